/* Like bare.c, with the library: finds tags, connects, and counts notifications. `library SECONDS [touch [TAGS]]`;
   with 0 seconds only until the tags are connected. */
#include "measure.h"
#include "readings.h"

#include <jacquard.h>
#include <poll.h>
#include <string.h>

enum { MOST_TAGS = 500 };

static jacquard_connection *connections[MOST_TAGS];
static int wanted = 1, requested, connected;
static uint64_t started, spent;
static int counts_touches; /* otherwise the battery */

static void on_battery(const jacquard_battery_event *event, void *user_data) {
  (void)user_data;
  delivered(event->battery->percent);
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)user_data;
  delivered(touch->proximity);
}

/* Prints "connected seconds KiB processor-seconds", from the first request to the last connection. */
static void all_connected(void) {
  double passed = (double)(nanoseconds(CLOCK_MONOTONIC) - started) / 1e9;
  double processor_time = (double)(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - spent) / 1e9;
  printf("connected %.6f %ld %.6f\n", passed, resident_kib(), processor_time);
  fflush(stdout);
  if (window_ns == 0)
    exit(0);
  if (wanted > 1)
    several_connected(wanted);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    if (++connected == wanted)
      all_connected();
  } else if (state->phase == JACQUARD_PHASE_DISCONNECTED) {
    fprintf(stderr, "%s\n", state->reason ? state->reason->message : "disconnected");
    exit(1);
  }
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  if (requested == wanted)
    return;
  if (requested == 0) {
    started = nanoseconds(CLOCK_MONOTONIC);
    spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  }
  jacquard_connection **connection = &connections[requested++];
  if (requested == wanted)
    jacquard_scan_stop(found->scan);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, connection);
  if (counts_touches)
    jacquard_connection_on_touch(*connection, on_touch, NULL, NULL, NULL);
  else
    jacquard_connection_on_battery(*connection, on_battery, NULL, NULL, NULL);
}

int main(int count, char **arguments) {
  jacquard_manager *manager = NULL;
  counts_touches = count > 2 && strcmp(arguments[2], "touch") == 0;
  wanted = count > 3 ? atoi(arguments[3]) : 1;
  if (wanted < 1 || wanted > MOST_TAGS)
    return 1;
  if (wanted > 1)
    opens_at = UINT64_MAX;
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
