/* Finds a tag, connects to it, prints its battery and exits. The program runs its own poll loop. */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
static jacquard_connection *connection;
static int exit_code = -1; /* not yet */

static void fail(const char *what, const char *message, const char *advice) {
  fprintf(stderr, "%s: %s%s%s\n", what, message, *advice ? " " : "", advice);
  exit_code = 1;
}

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)user_data;
  printf("adapter%s%s %s\n", *adapter->address ? " " : "", adapter->address,
         jacquard_adapter_state_name(adapter->state));
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) { fail("battery", error->message, error->advice); return; }
  exit_code = printf("battery %u%%%s\n", (unsigned)battery->percent, battery->charging ? ", charging" : "") < 0;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  printf("%s %u/%u\n", jacquard_phase_name(state->phase), (unsigned)state->step, (unsigned)state->total_steps);
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, NULL, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason)
    fail("connection", state->reason->message, state->reason->advice);
}

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  if (found->rssi == JACQUARD_RSSI_UNKNOWN) printf("found %s %s\n", found->serial, found->name);
  else printf("found %s %s %d dBm\n", found->serial, found->name, (int)found->rssi);
  jacquard_scan_stop(found->scan); /* one tag is sufficient */
  int status = jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
  if (status < 0) fail("connect", jacquard_last_error()->message, jacquard_last_error()->advice);
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail("scan", result->error->message, result->error->advice);
  else if (result->reason == JACQUARD_SCAN_END_TIMED_OUT)
    fail("scan", "No tag was found.", "Hold the tag's button for three seconds until its light pulses.");
}

int main(void) {
  jacquard_manager *manager = NULL;
  jacquard_scan_options options = {.struct_size = sizeof options, .timeout_ms = 30000};
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL);
  if (status == 0) status = jacquard_manager_scan(manager, &options, on_advertisement, on_scan_end, NULL, NULL, NULL);
  if (status < 0) fail("manager", jacquard_last_error()->message, jacquard_last_error()->advice);
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (exit_code < 0 && poll(&loop, 1, -1) >= 0 && jacquard_manager_dispatch(manager) == 0) continue;
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return exit_code;
}
