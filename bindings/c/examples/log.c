/* Connects, and lets the library say on stderr what it does on the way. */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>

static jacquard_connection *connection;
static int done;

/* The library writes nothing by itself; this is the only way to see its messages. */
static void on_log(const jacquard_log *log, void *user_data) {
  static const char *const levels[] = {"", "warning", "info", "debug"};
  (void)user_data;
  fprintf(stderr, "%s %s: %s\n", levels[log->level], log->part, log->message);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  done = state->phase == JACQUARD_PHASE_CONNECTED || state->phase == JACQUARD_PHASE_DISCONNECTED;
}

static void on_tag(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(scan);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_on_log(manager, JACQUARD_LOG_DEBUG, on_log, NULL, NULL, NULL);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (status == 0 && !done && poll(&loop, 1, -1) > 0) status = jacquard_manager_dispatch(manager);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return status < 0;
}
