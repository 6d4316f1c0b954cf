/*
 * Random arguments: numbers, strings and structs, more often valid than invalid. Memory passed to a function has
 * exactly its declared size and is freed when the call returns, so that AddressSanitizer detects reads beyond it or
 * after the call.
 */
#ifndef CHOICES_H
#define CHOICES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 3, MOST_SCRATCH = 512 };

/* A call that has begun. */
struct watched {
  const char *function;
  int64_t since;
};

/* A caller: a thread of the monkey, or a callback. */
struct caller {
  uint64_t random;
  unsigned long number;     /* the number of this call in its thread */
  int function;             /* the function being called */
  int is_ending;            /* it waits for callbacks that run on other threads */
  int is_disconnecting;     /* it ends a connection, without waiting */
  int is_beginning;         /* it creates the objects that stay for the round */
  struct owner *inside;     /* the manager whose callback this is, or NULL */
  const char *callback;     /* the type of this callback */
  struct registration *run; /* the registration whose callback this is, or NULL */
  int is_destroying;        /* this is a destroy callback */
  int has_error;            /* it receives an error */
  int has_ended;            /* it has released something, possibly an argument of its callback */
  struct watched before;    /* the call that this thread had already begun */
  uint64_t *sequence;       /* a hash of the drawn values; NULL inside callbacks */
  void *scratch[MOST_SCRATCH];
  int scratched;
};

/* Known after the first scan. */
static char identifiers[TAGS][40], serials[TAGS][40];
static const char *state_directory;

static uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint64_t draw(struct caller *caller) { return caller->random = mixed(caller->random, 1); }

static unsigned below(struct caller *caller, unsigned count) { return (unsigned)(draw(caller) % count); }

static int one_in(struct caller *caller, unsigned count) { return below(caller, count) == 0; }

static void *room(struct caller *caller, size_t size) {
  void *it = malloc(size ? size : 1);
  if (!it || caller->scratched == MOST_SCRATCH)
    abort();
  return caller->scratch[caller->scratched++] = it;
}

static void free_scratch(struct caller *caller) {
  while (caller->scratched > 0)
    free(caller->scratch[--caller->scratched]);
}

static int64_t draw_number(struct caller *caller, const char *name) {
  unsigned how = below(caller, 16);
  uint64_t any = draw(caller);
  if (strcmp(name, "timeout_ms") == 0)
    return how < 8 ? 0 : how < 15 ? (int64_t)(1 + any % 2000) : (int64_t)any;
  if (how < 6)
    return 0;
  if (how < 11)
    return 1;
  if (how < 14)
    return (int64_t)(any % 100);
  return how < 15 ? (int64_t)(any % 70000) : (int64_t)any;
}

static int draw_constant(struct caller *caller, const int *values, unsigned count) {
  unsigned how = below(caller, 16);
  uint64_t any = draw(caller);
  return how < 14 ? values[any % count] : how < 15 ? (int)(any % 300) - 20 : (int)any;
}

static double draw_real(struct caller *caller) {
  static const double values[] = {0, 20, 152.5, 10240, -1, 1e30, NAN, INFINITY};
  return values[below(caller, 8)];
}

/* A struct_size, usually the correct one. */
static uint32_t draw_size(struct caller *caller, size_t size) {
  unsigned how = below(caller, 16);
  uint64_t any = draw(caller);
  return how < 13 ? (uint32_t)size : how < 15 ? (uint32_t)(any % (size + 9)) : (uint32_t)(any % 5000);
}

/* As many bytes of a struct as its struct_size says; bytes beyond the known struct are zero. */
static void *sized_copy(struct caller *caller, const void *from, size_t claimed, size_t size) {
  size_t held = claimed < sizeof(uint32_t) ? sizeof(uint32_t) : claimed;
  char *copy = room(caller, held);
  memset(copy, 0, held);
  return memcpy(copy, from, held < size ? held : size);
}

static size_t draw_count(struct caller *caller) {
  unsigned how = below(caller, 16);
  uint64_t any = draw(caller);
  return how < 4 ? 0 : how < 12 ? 1 : how < 15 ? any % 5 : any % 70;
}

/* With NULL, the count is arbitrary. */
static size_t draw_claimed_count(struct caller *caller, size_t count) {
  int isWrong = one_in(caller, 8);
  uint64_t any = draw(caller);
  return count == 0 && isWrong ? (size_t)(any % 100) : count;
}

static const char *copied(struct caller *caller, const char *text, size_t length) {
  char *copy = room(caller, length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static const char *generic_text(struct caller *caller) {
  static const char *const texts[] = {
      "", "a", "Jacquard", "Jacquard \xe2\x9c\x93", "\xff\xfe\xc3", "1\n2\x1b[31m", "twenty-one bytes long",
      "motion", "org.example.key", "%s%n%x",
  };
  enum { TEXTS = sizeof texts / sizeof *texts };
  unsigned which = below(caller, TEXTS + 3);
  uint64_t any = draw(caller);
  if (which < TEXTS)
    return copied(caller, texts[which], strlen(texts[which]));
  if (which > TEXTS)
    return NULL;
  size_t length = any % 16 ? any % 300 : any % 6000;
  char *text = room(caller, length + 1);
  for (size_t i = 0; i < length; i++)
    text[i] = (char)(1 + mixed(any, i) % 255);
  text[length] = 0;
  return text;
}

static const char *draw_text(struct caller *caller, const char *name) {
  unsigned how = below(caller, 16), which = below(caller, TAGS);
  const char *other = generic_text(caller), *good = NULL;
  if (strcmp(name, "identifier") == 0)
    good = how < 1 ? "ae7dc88c-1437-5d1e-a862-000000000000" : identifiers[which];
  else if (strcmp(name, "code") == 0 || strcmp(name, "serial") == 0)
    good = serials[which];
  else if (strcmp(name, "bus_address") == 0)
    good = how < 1 ? "unix:abstract=jacquard-no-bus" : NULL;
  else if (strcmp(name, "adapter") == 0)
    good = how < 1 ? "00:11:22:33:44:55" : NULL;
  else if (strcmp(name, "state_directory") == 0)
    good = how < 1 ? "/proc/nonexistent/jacquard" : how < 4 ? state_directory : NULL;
  else if (strcmp(name, "restore_id") == 0)
    good = how < 4 ? "monkey-1" : how < 8 ? "monkey-2" : NULL;
  else if (strcmp(name, "owner") == 0)
    good = how < 3 ? "anna" : how < 5 ? "bert" : NULL;
  else
    return other;
  return how > 13 ? other : good ? copied(caller, good, strlen(good)) : NULL;
}

/* Complete requests, or invalid bytes, which the library must refuse. */
static const uint8_t *draw_bytes(struct caller *caller, size_t *size) {
  static const uint8_t battery[] = {0x08, 0x00, 0x10, 0x17, 0x18, 0x01, 0xca, 0x07, 0x04, 0x08, 0x01, 0x10, 0x01};
  static const uint8_t information[] = {0x08, 0, 0x10, 0x04, 0x18, 0x03, 0x20, 0, 0xba, 0x06, 0x02, 0x08, 0};
  unsigned how = below(caller, 8);
  uint64_t any = draw(caller);
  const uint8_t *whole = how < 3 ? battery : information;
  *size = how < 3 ? sizeof battery : how < 5 ? sizeof information : how < 7 ? any % 60 : any % 1200;
  if (how == 7 && any % 3 == 0)
    return NULL;
  uint8_t *bytes = room(caller, *size);
  for (size_t i = 0; i < *size; i++)
    bytes[i] = how < 5 ? whole[i] : (uint8_t)mixed(any, i);
  if (how >= 5 && *size > 0)
    bytes[0] |= 7; /* a field of a type that does not exist */
  return bytes;
}

#endif
