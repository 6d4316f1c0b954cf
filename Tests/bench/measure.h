/* Processor time of this process per notification, during a window that starts after a warm-up. */
#ifndef MEASURE_H
#define MEASURE_H

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 30 }; /* notifications before the window opens, more than during a handshake */

static uint64_t window_ns, opened, processor;
static long seen;
static volatile unsigned sum; /* prevents the compiler from omitting the read */

/* Counts one notification with this value. When the window closes, prints "count seconds processor-seconds" and
   ends the program. */
static void delivered(unsigned value) {
  sum += value;
  if (++seen == WARM_UP) {
    opened = nanoseconds(CLOCK_MONOTONIC);
    processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  } else if (seen > WARM_UP && window_ns != 0) {
    uint64_t passed = nanoseconds(CLOCK_MONOTONIC) - opened;
    if (passed < window_ns)
      return;
    uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    printf("%ld %.6f %.6f\n", seen - WARM_UP, (double)passed / 1e9, (double)spent / 1e9);
    exit(fflush(stdout));
  }
}

#endif
