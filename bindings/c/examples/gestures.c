/* Runs a command for each gesture: gestures brush-in 'playerctl next' cover 'playerctl pause' */
#define _POSIX_C_SOURCE 200809L
#include <jacquard.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>

extern char **environ;
static jacquard_connection *connection;
static volatile sig_atomic_t interrupted;
static int failed;

static void fail(const jacquard_error *error) {
  fprintf(stderr, "%s %s\n", error->message, error->advice);
  failed = 1;
}

static void on_signal(int number) { interrupted = number; }

/* Starts the command without waiting: callbacks should be short, because the loop waits for them. */
static void start(char *command) {
  char shell[] = "/bin/sh", option[] = "-c", *words[] = {shell, option, command, NULL};
  pid_t child;
  if (posix_spawn(&child, shell, NULL, NULL, words, environ) != 0) perror(command);
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  if (gesture->may_be_copy) return; /* of the previous one, for another program's subscription */
  for (char **pair = user_data; pair[0] && pair[1]; pair += 2)
    if (strcmp(gesture->name, pair[0]) == 0) start(pair[1]);
}

/* Lost links are re-established; the end of the connection ends the program. */
static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) == 0)
    jacquard_connection_on_gesture(connection, on_gesture, user_data, NULL, NULL); /* also after reconnections */
  else fail(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: %s GESTURE COMMAND ...\n", *argv), 1;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGCHLD, SIG_IGN); /* child processes are reaped automatically */

  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, argv + 1, NULL, NULL);
  if (status < 0) fail(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!failed && !interrupted && poll(&loop, 1, -1) > 0) jacquard_manager_dispatch(manager);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return failed;
}
