/* Waits for other threads in tests with deliberate races. Writes before a count that look() returns are visible. */
#ifndef CONTENTION_H
#define CONTENTION_H

#include "expect.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 20000 };

static inline int look(const int *counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }

static inline void count_up(int *counter) { __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL); }

/* Ends the program if it takes too long. */
static inline void wait_for(const int *counter, int value, const char *what) {
  for (int waited = 0; look(counter) < value; waited++) {
    if (waited == TIMEOUT_MS) {
      printf("waited in vain: %s\n", what);
      exit(1);
    }
    poll(NULL, 0, 1);
  }
}

/* Like wait_for, for waits of microseconds. */
static inline void spin_for(const int *counter, int value) {
  while (look(counter) < value)
    sched_yield();
}

#endif
