/* Reads the battery with a time limit, and cancels the command after it: deadline [MILLISECONDS] */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static jacquard_connection *connection;
static jacquard_request *request;
static int exit_code = -1; /* not yet */

/* Ends the program, with an error if there is one. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (battery) printf("battery %u%%\n", (unsigned)battery->percent);
  finish(error);
}

/* Called exactly once: after the response, or when the command has been cancelled. */
static void on_destroy(void *user_data) { printf("%s\n", (const char *)user_data); }

static void on_state(const jacquard_connection_state *state, void *user_data) {
  static char told[] = "over";
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED && !request)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, told, on_destroy, &request);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason);
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

int main(int argc, char **argv) {
  jacquard_manager *manager = NULL;
  int patience = argc > 1 ? atoi(argv[1]) : 1000, status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) finish(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  /* The time limit starts when the command has been sent. */
  while (exit_code < 0 && poll(&loop, 1, request ? patience : -1) > 0)
    if (jacquard_manager_dispatch(manager) < 0) break;
  if (exit_code < 0) {
    exit_code = printf("withdrawn\n") < 0;
    jacquard_request_cancel(request); /* its callback no longer runs, and its destroy has run */
  }
  jacquard_request_unref(request);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return exit_code;
}
