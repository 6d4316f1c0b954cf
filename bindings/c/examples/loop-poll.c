/* A tag and the keyboard in one loop around poll(): "b" and Enter read the battery, until the input ends. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-poll.h"

#include <stdio.h>
#include <unistd.h>

static jacquard_connection *connection;
static jacquard_tag *tag;
static int questions, failed;

static void fail(const jacquard_error *error) {
  fprintf(stderr, "%s %s\n", error->message, error->advice);
  failed = 1;
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) fail(error);
  else printf("battery %u%%\n", (unsigned)battery->percent);
  questions--;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
  if (state->phase != JACQUARD_PHASE_CONNECTED) return;
  jacquard_tag_unref(tag);
  tag = jacquard_tag_ref(state->tag); /* a new one after each reconnection */
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) < 0)
    fail(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);

  struct pollfd keyboard = {.fd = STDIN_FILENO, .events = POLLIN};
  while (status >= 0 && !failed && (keyboard.fd >= 0 || questions > 0)) {
    /* The keyboard is polled while there is a tag. */
    status = jacquard_poll(manager, &keyboard, tag ? 1 : 0, -1);
    if (status < 1) continue;
    char line[80];
    ssize_t size = read(STDIN_FILENO, line, sizeof line);
    if (size <= 0) keyboard.fd = -1; /* poll() ignores it */
    for (ssize_t index = 0; index < size; index++)
      if (line[index] == 'b' && jacquard_tag_read_battery(tag, NULL, on_battery, NULL, NULL, NULL) == 0) questions++;
  }
  if (status < 0) fprintf(stderr, "%s\n", jacquard_status_text(status));
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return status < 0 || failed;
}
