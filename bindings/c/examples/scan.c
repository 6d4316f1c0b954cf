/* Lists each advertisement of tags for the given time: scan [SECONDS] */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static int exit_code = -1; /* not yet */

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  printf("%-6s %-21s %s", found->serial, found->name, found->identifier);
  if (found->rssi != JACQUARD_RSSI_UNKNOWN) printf(" %d dBm", (int)found->rssi);
  printf("%s%s\n", found->bonded ? ", bonded" : "", found->connected ? ", connected already" : "");
}

static void on_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fprintf(stderr, "scan: %s %s\n", result->error->message, result->error->advice);
  exit_code = result->error != NULL;
}

int main(int argc, char **argv) {
  jacquard_manager *manager = NULL;
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  options.timeout_ms = (uint32_t)(1000 * (argc > 1 ? strtod(argv[1], NULL) : 10));
  options.every_report = 1; /* 0: each tag once */
  options.minimum_rssi = -90;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, &options, on_advertisement, on_end, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (status == 0 && exit_code < 0 && poll(&loop, 1, -1) > 0) status = jacquard_manager_dispatch(manager);
  jacquard_manager_unref(manager);
  return status < 0 || exit_code != 0;
}
