/* Uses the tag's protocol directly (docs/protocol.md): prints notifications as bytes, and sends a raw request. */
#include <jacquard.h>
#include <jacquard/protocol.h>
#include <poll.h>
#include <stdio.h>

static jacquard_connection *connection;
static int exit_code = -1; /* not yet */

/* Ends the program, with an error if there is one. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
}

static void print(const char *what, const jacquard_bytes *bytes) {
  printf("%s", what);
  for (size_t index = 0; index < bytes->size; index++) printf(" %02x", bytes->data[index]);
  printf("\n");
}

static void on_notification(const jacquard_bytes *bytes, void *user_data) {
  (void)user_data;
  print("notification", bytes);
}

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (response) print("response", response);
  finish(error);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  /* domain BASE, opcode BATTERY_STATUS, extension 121 { level yes, charging yes }; the library adds the ID */
  static const uint8_t request[] = {0x08, 0x00, 0x10, 0x17, 0xca, 0x07, 0x04, 0x08, 0x01, 0x10, 0x01};
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_send_request(state->tag, request, sizeof request, NULL, on_response, NULL, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) == 0)
    jacquard_connection_on_notification(connection, on_notification, NULL, NULL, NULL);
  else finish(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) finish(result->error);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) finish(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (exit_code < 0 && poll(&loop, 1, -1) > 0 && jacquard_manager_dispatch(manager) == 0) continue;
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return exit_code;
}
