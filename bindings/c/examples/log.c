/* Connects, and prints the library's log on stderr. */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>

static jacquard_connection *connection;
static int exit_code = -1; /* not yet */

/* Ends the program, with an error if there is one. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
}

/* The library itself prints nothing; a callback receives its messages. */
static void on_log(const jacquard_log *log, void *user_data) {
  static const char *const levels[] = {"", "warning", "info", "debug"};
  (void)user_data;
  fprintf(stderr, "%s %s: %s\n", levels[log->level], log->part, log->message);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED || state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) < 0)
    finish(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) finish(result->error);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_DEBUG, on_log, NULL, NULL, NULL);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) finish(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (exit_code < 0 && poll(&loop, 1, -1) > 0 && jacquard_manager_dispatch(manager) == 0) continue;
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return exit_code;
}
