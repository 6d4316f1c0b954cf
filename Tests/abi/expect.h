/* Counting what is not as the header says. */
#ifndef EXPECT_H
#define EXPECT_H

#include <jacquard.h>
#include <stdio.h>

static int wrong;

/* The call must return this status. */
#define EXPECT(status, call)                                                                                        \
  do {                                                                                                              \
    int got_ = (call);                                                                                              \
    if (got_ != (status)) {                                                                                         \
      wrong++;                                                                                                      \
      printf("%s:%d: %s is %s and not %s\n", __FILE__, __LINE__, #call, jacquard_status_name(got_),                 \
             jacquard_status_name(status));                                                                         \
    }                                                                                                               \
  } while (0)

#define EXPECT_TRUE(condition)                                                                                      \
  do {                                                                                                              \
    if (!(condition)) {                                                                                             \
      wrong++;                                                                                                      \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                                \
    }                                                                                                               \
  } while (0)

#endif
