/* The time from a line to the simulator until the delivery of the notification that it causes. */
#ifndef LATENCY_H
#define LATENCY_H

#include "readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_SAMPLES = 1000 };
static const char *control_path; /* of the simulator; NULL if the latency is not measured */
static const char *line;         /* causes a notification */
static long wanted_samples = MOST_SAMPLES;
static uint64_t sent_at, latencies[MOST_SAMPLES];
static long samples = -1; /* The first notification comes from the scenario. */

__attribute__((constructor)) static void find_control(void) {
  const char *wanted = getenv("BENCH_SAMPLES");
  control_path = getenv("BENCH_CONTROL");
  line = getenv("BENCH_LINE");
  if (wanted && atol(wanted) < MOST_SAMPLES)
    wanted_samples = atol(wanted);
}

static int ascending(const void *one, const void *other) {
  uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)other;
  return left < right ? -1 : left > right;
}

static int control_socket(const char *path) {
  struct sockaddr_un address;
  int control = socket(AF_UNIX, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (connect(control, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(path);
    exit(1);
  }
  return control;
}

/* Prints the median and the 99th percentile in microseconds. counts.py does not count this function. */
__attribute__((noinline)) static void measure_latency(void) {
  static const struct timespec pause = {0, 2000000};
  static int control = -1;
  char replies[256];
  uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (control < 0)
    control = control_socket(control_path);
  if (samples >= 0)
    latencies[samples] = now - sent_at;
  if (++samples == wanted_samples) {
    qsort(latencies, (size_t)samples, sizeof *latencies, ascending);
    printf("%.1f %.1f\n", (double)latencies[samples / 2] / 1e3, (double)latencies[samples * 99 / 100] / 1e3);
    exit(fflush(stdout));
  }
  /* All others are idle again. */
  nanosleep(&pause, NULL);
  while (recv(control, replies, sizeof replies, MSG_DONTWAIT) > 0)
    continue;
  sent_at = nanoseconds(CLOCK_MONOTONIC);
  if (dprintf(control, "%s\n", line) < 0)
    exit(1);
}

#endif
