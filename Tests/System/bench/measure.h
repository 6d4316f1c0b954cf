/* Processor time of this process per notification, during a window that starts after a warm-up; with BENCH_CONTROL in
   the environment, the latency (latency.h). */
#ifndef MEASURE_H
#define MEASURE_H

#include "readings.h"
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

/* Notifications before the window opens, more than during a handshake; of each of several tags, more than arrive before
   the last one sends any. */
enum { WARM_UP = 30, WARM_UP_OF_SEVERAL = 200 };

static uint64_t window_ns, opened, processor;
static long seen, warm_up = WARM_UP;
static volatile unsigned sum; /* prevents the compiler from omitting the read */

/* For programs with several tags, which are connected now. */
static inline void several_connected(int tags) { warm_up = seen + tags * WARM_UP_OF_SEVERAL; }

/* Counts one notification with this value. When the window closes, prints "count seconds processor-seconds" and
   ends the program. */
static void delivered(unsigned value) {
  sum += value;
  if (control_path)
    measure_latency();
  else if (++seen == warm_up) {
    opened = nanoseconds(CLOCK_MONOTONIC);
    processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  } else if (seen > warm_up && window_ns != 0) {
    uint64_t passed = nanoseconds(CLOCK_MONOTONIC) - opened;
    if (passed < window_ns)
      return;
    uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    printf("%ld %.6f %.6f\n", seen - warm_up, (double)passed / 1e9, (double)spent / 1e9);
    exit(fflush(stdout));
  }
}

#endif
