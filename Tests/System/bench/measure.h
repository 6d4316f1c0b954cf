/* Processor time of this process per notification, during a window that starts after a warm-up; with BENCH_CONTROL in
   the environment, the latency (latency.h). */
#ifndef MEASURE_H
#define MEASURE_H

#include "readings.h"
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

/* Notifications before the window opens, more than during a handshake. With several tags, those of each after the last
   one was connected, and the time in which the last one begins to send. */
enum { WARM_UP = 30, WARM_UP_OF_SEVERAL = 15 };
#define WARM_UP_OF_SEVERAL_NS 4000000000u

static uint64_t window_ns, opens_at, opened, processor, latest, shortest = UINT64_MAX;
static long seen, warm_up = WARM_UP;
static volatile unsigned sum; /* prevents the compiler from omitting the read */

/* Called when all tags of a program with several tags are connected. */
static inline void several_connected(int tags) {
  warm_up = seen + tags * WARM_UP_OF_SEVERAL;
  opens_at = nanoseconds(CLOCK_MONOTONIC) + WARM_UP_OF_SEVERAL_NS;
}

/* Counts one notification with this value. When the window closes, prints "count seconds processor-seconds
   shortest-seconds", and ends the program. The last figure is the time between two notifications. */
static inline void delivered(unsigned value) {
  sum += value;
  if (control_path) {
    measure_latency();
    return;
  }
  uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (++seen < warm_up || now < opens_at)
    return;
  if (opened == 0) {
    opened = now;
    processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    seen = 0;
    warm_up = 0;
  } else {
    shortest = now - latest < shortest ? now - latest : shortest;
  }
  latest = now;
  if (now - opened >= window_ns) {
    uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    printf("%ld %.6f %.6f %.9f\n", seen, (double)(now - opened) / 1e9, (double)spent / 1e9, (double)shortest / 1e9);
    exit(fflush(stdout));
  }
}

#endif
