/* Prints the states of a connection, until it has been established a number of times: states [TIMES] */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static jacquard_connection *connection;
static int wanted = 1;
static int exit_code = -1; /* not yet */

/* Ends the program, with an error if there is one. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
}

/* Receives the current state, then each change: after a lost link the phase is preparing again. */
static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  printf("%s %u/%u, attempt %u%s%s\n", jacquard_phase_name(state->phase), (unsigned)state->step,
         (unsigned)state->total_steps, (unsigned)state->attempt, state->reason ? ": " : "",
         state->reason ? state->reason->message : "");
  if (state->phase == JACQUARD_PHASE_CONNECTED && --wanted == 0) finish(NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason); /* no more attempts */
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  options.timeout_ms = UINT32_MAX; /* no limit for the first connection */
  options.wait_for_adapter = 1;    /* wait if the adapter is powered off */
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, &options, on_state, NULL, NULL, &connection) < 0)
    finish(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) finish(result->error);
}

int main(int argc, char **argv) {
  jacquard_manager *manager = NULL;
  if (argc > 1) wanted = atoi(argv[1]);
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) finish(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (exit_code < 0 && poll(&loop, 1, -1) > 0 && jacquard_manager_dispatch(manager) == 0) continue;
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return exit_code;
}
