/* The same with the library: finds a tag, connects, and counts notifications. `library SECONDS [touch]`. */
#include "measure.h"
#include "memory.h"

#include <jacquard.h>
#include <poll.h>
#include <string.h>

static jacquard_connection *connection;
static uint64_t started;
static int counts_touches; /* otherwise the battery */

static void on_battery(const jacquard_battery *battery, void *user_data) {
  (void)user_data;
  delivered(battery->percent);
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)user_data;
  delivered(touch->proximity);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    printf("connected %.6f %ld\n", (double)(nanoseconds(CLOCK_MONOTONIC) - started) / 1e9, resident_kib());
    fflush(stdout);
  } else if (state->phase == JACQUARD_PHASE_DISCONNECTED) {
    fprintf(stderr, "%s\n", state->reason ? state->reason->message : "disconnected");
    exit(1);
  }
}

static void on_found(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(scan);
  if (connection)
    return;
  started = nanoseconds(CLOCK_MONOTONIC);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
  if (counts_touches)
    jacquard_connection_on_touch(connection, on_touch, NULL, NULL, NULL);
  else
    jacquard_connection_on_battery(connection, on_battery, NULL, NULL, NULL);
}

int main(int count, char **arguments) {
  jacquard_manager *manager = NULL;
  counts_touches = count > 2 && strcmp(arguments[2], "touch") == 0;
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0)
    status = jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL);
  if (status < 0) {
    fprintf(stderr, "%s\n", jacquard_status_text(status));
    return 1;
  }
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (poll(&loop, 1, -1) >= 0 && jacquard_manager_dispatch(manager) == 0)
    continue;
  return 1;
}
