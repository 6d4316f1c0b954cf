/* Prints the acceleration of a tag in g until Ctrl-C, or the number of samples given: motion-stream [SAMPLES] */
#define _POSIX_C_SOURCE 200809L
#include <jacquard.h>
#include <jacquard/motion.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jacquard_connection *connection;
static jacquard_request *stream;
static volatile sig_atomic_t interrupted;
static long wanted = -1;
static int failed;

static void fail(const jacquard_error *error) {
  fprintf(stderr, "%s %s\n", error->message, error->advice);
  failed = 1;
}

static void on_signal(int number) { interrupted = number; }

static void on_motion(const jacquard_motion_event *event, void *user_data) {
  (void)user_data;
  if (event->type == JACQUARD_MOTION_EVENT_GAP)
    fprintf(stderr, "%llu samples are missing\n", (unsigned long long)event->missing);
  for (size_t i = 0; i < event->count && wanted != 0; i++) {
    const int16_t *counts = event->samples[i].acceleration; /* 32768 are the range, by default 16 g */
    printf("%.3f %.3f %.3f %.3f\n", (double)event->samples[i].time_ns / 1e9, counts[0] / 2048.0, counts[1] / 2048.0,
           counts[2] / 2048.0);
    if (wanted > 0) wanted--;
  }
}

static void on_end(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) fail(error);
}

/* A lost link does not end the stream; the end of the connection ends the program. */
static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) < 0 ||
      jacquard_connection_stream_motion(connection, NULL, on_motion, on_end, NULL, NULL, &stream) < 0)
    fail(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);

  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) fail(jacquard_last_error());

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!failed && !interrupted && wanted != 0 && poll(&loop, 1, -1) > 0) jacquard_manager_dispatch(manager);
  jacquard_request_unref(stream);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager); /* also stops the stream on the tag */
  return failed;
}
