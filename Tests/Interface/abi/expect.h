/* Counts deviations from the header. */
#ifndef EXPECT_H
#define EXPECT_H

#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>
#include <jacquard/service.h>
#include <jacquard/touch.h>
#include <stdio.h>
#include <string.h>

static int wrong;

/* Whether the last error has this status, a message and advice. */
static inline int is_explained(int status) {
  const jacquard_error *error = jacquard_last_error();
  if (!error || error->code != status) return 0;
  return strlen(error->message) > 8 && strchr(error->message, 0)[-1] == '.' && *error->advice;
}

/* The call must return this status, and explain it if it is a failure. */
#define EXPECT(status, call)                                                                                        \
  do {                                                                                                              \
    int got_ = (call);                                                                                              \
    if (got_ != (status)) {                                                                                         \
      wrong++;                                                                                                      \
      printf("%s:%d: %s is %s and not %s\n", __FILE__, __LINE__, #call, jacquard_status_name(got_),                 \
             jacquard_status_name(status));                                                                         \
    } else if (got_ < 0 && !is_explained(got_)) {                                                                   \
      wrong++;                                                                                                      \
      printf("%s:%d: %s is not explained\n", __FILE__, __LINE__, #call);                                            \
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
