/* Battery requests, one after the other: `command SECONDS`. Prints as measure.h does; a request is a delivery. */
#include "measure.h"

#include <jacquard.h>
#include <poll.h>

static jacquard_connection *connection;
static jacquard_tag *tag;

static void on_charge(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
  delivered(battery->percent);
  jacquard_tag_read_battery(tag, NULL, on_charge, NULL, NULL, NULL);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase != JACQUARD_PHASE_CONNECTED)
    return;
  tag = jacquard_tag_ref(state->tag);
  jacquard_tag_read_battery(tag, NULL, on_charge, NULL, NULL, NULL);
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (!connection)
    jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
}

int main(int count, char **arguments) {
  jacquard_manager *manager = NULL;
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  if (jacquard_manager_new(NULL, &manager) < 0 ||
      jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL) < 0)
    return 1;
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (poll(&loop, 1, -1) >= 0 && jacquard_manager_dispatch(manager) == 0)
    continue;
  return 1;
}
