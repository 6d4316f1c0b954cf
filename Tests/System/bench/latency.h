/* The time from a line to the simulator that makes the tag send touch data until its delivery. */
#ifndef LATENCY_H
#define LATENCY_H

#include "readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SAMPLES = 1000 };
static const char *control_path; /* of the simulator; NULL if the latency is not measured */
static uint64_t sent_at, latencies[SAMPLES];
static long samples = -1; /* The first notification comes from the scenario. */

__attribute__((constructor)) static void find_control(void) { control_path = getenv("BENCH_CONTROL"); }

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

/* Prints the median and the 99th percentile in microseconds. */
static void measure_latency(void) {
  static const char line[] =
      "send notification c0 1c 08 08 10 07 18 65 aa 39 13 12 11 20 05 3a 0d 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d\n";
  static const struct timespec pause = {0, 2000000};
  static int control = -1;
  char replies[256];
  uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (control < 0)
    control = control_socket(control_path);
  if (samples >= 0)
    latencies[samples] = now - sent_at;
  if (++samples == SAMPLES) {
    qsort(latencies, SAMPLES, sizeof *latencies, ascending);
    printf("%.1f %.1f\n", (double)latencies[SAMPLES / 2] / 1e3, (double)latencies[SAMPLES * 99 / 100] / 1e3);
    exit(fflush(stdout));
  }
  /* Everybody else is idle again. */
  nanosleep(&pause, NULL);
  while (recv(control, replies, sizeof replies, MSG_DONTWAIT) > 0)
    continue;
  sent_at = nanoseconds(CLOCK_MONOTONIC);
  if (write(control, line, sizeof line - 1) != (ssize_t)sizeof line - 1)
    exit(1);
}

#endif
