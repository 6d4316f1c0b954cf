/* Processor time of this process per notification, during a window that starts after a warm-up; with BENCH_CONTROL in
   the environment, the latency (latency.h). */
#ifndef MEASURE_H
#define MEASURE_H

#include "readings.h"
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

/* Notifications before the window opens, more than during a handshake; with several tags, the time after the last one
   was connected, in which it too begins to send. */
enum { WARM_UP = 30 };
#define WARM_UP_OF_SEVERAL_NS 4000000000u

static uint64_t window_ns, opens_at, opened, processor;
static long seen;
static volatile unsigned sum; /* prevents the compiler from omitting the read */

/* For programs with several tags, which are connected now. */
static inline void several_connected(void) { opens_at = nanoseconds(CLOCK_MONOTONIC) + WARM_UP_OF_SEVERAL_NS; }

/* Counts one notification with this value. When the window closes, prints "count seconds processor-seconds" and
   ends the program. */
static inline void delivered(unsigned value) {
  sum += value;
  if (control_path) {
    measure_latency();
    return;
  }
  uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (++seen < WARM_UP || now < opens_at)
    return;
  if (opened == 0) {
    opened = now;
    processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    seen = WARM_UP;
  } else if (now - opened >= window_ns) {
    uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    printf("%ld %.6f %.6f\n", seen - WARM_UP, (double)(now - opened) / 1e9, (double)spent / 1e9);
    exit(fflush(stdout));
  }
}

#endif
