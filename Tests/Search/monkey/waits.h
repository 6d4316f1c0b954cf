/*
 * Sessions and tags of the blocking layer. They are addresses: a call prevents its arguments from being closed in the
 * meantime, as the layer requires of its callers.
 */
#ifndef WAITS_H
#define WAITS_H

#include "choices.h"

#include <jacquard-blocking.h>
#include <pthread.h>
#include <unistd.h>

enum { SESSIONS = 2, TAGS_OF_SESSION = 3 };

struct function {
  const char *name;
  void (*call)(struct caller *caller);
};

struct held_tag {
  pthread_rwlock_t lock; /* locked after the session's lock */
  jb_tag *tag;
};

struct held_session {
  pthread_rwlock_t lock;
  jb_session *session;
  struct held_tag tags[TAGS_OF_SESSION];
};

static struct held_session sessions[SESSIONS];
static __thread struct held_session *in_session;
static __thread struct held_tag *on_tag;
static __thread jb_error error_before, error_now;
static __thread volatile unsigned seen;
static __thread struct watched *watch;
static struct watched watched[8];
static unsigned watched_count;
static unsigned long *calls, *accepted; /* by function */
static const char *(*name_of)(int function);
static uint64_t seed;

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void fail(const char *function, const char *what) {
  fprintf(stderr, "waits: %s: %s\nwaits: seed %llu\n", function, what, (unsigned long long)seed);
  fflush(NULL);
  _exit(1);
}

static void see(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    seen += ((const unsigned char *)bytes)[i];
}

/* Holding ---------------------------------------------------------------------------------------------------------- */

/* A session, or NULL, with exclusive or shared access. */
static jb_session *hold_session(struct caller *caller, int alone) {
  struct held_session *it = &sessions[below(caller, SESSIONS)];
  if (one_in(caller, 16) || (alone ? pthread_rwlock_trywrlock : pthread_rwlock_tryrdlock)(&it->lock) != 0)
    return NULL;
  in_session = it;
  return it->session;
}

static jb_tag *hold_tag(struct caller *caller, int alone) {
  unsigned which = below(caller, TAGS_OF_SESSION);
  if (!hold_session(caller, 0))
    return NULL;
  struct held_tag *it = &in_session->tags[which];
  if ((alone ? pthread_rwlock_trywrlock : pthread_rwlock_tryrdlock)(&it->lock) != 0)
    return NULL;
  on_tag = it;
  return it->tag;
}

static void release(struct caller *caller) {
  (void)caller;
  if (on_tag)
    pthread_rwlock_unlock(&on_tag->lock);
  if (in_session)
    pthread_rwlock_unlock(&in_session->lock);
  on_tag = NULL, in_session = NULL;
}

static void keep_session(jb_session *made) {
  for (int i = 0; made && i < SESSIONS; i++) {
    if (pthread_rwlock_trywrlock(&sessions[i].lock) != 0)
      continue;
    if (!sessions[i].session)
      sessions[i].session = made, made = NULL;
    pthread_rwlock_unlock(&sessions[i].lock);
  }
  if (jb_close(made) != 0)
    fail("jb_close", "it refuses outside a callback");
}

static void keep_tag(jb_session *session, jb_tag *made) {
  if (made && !session)
    fail("jb_connect", "a tag without a session");
  for (int i = 0; made && i < TAGS_OF_SESSION; i++) {
    struct held_tag *it = &in_session->tags[i];
    if (pthread_rwlock_trywrlock(&it->lock) != 0)
      continue;
    if (!it->tag)
      it->tag = made, made = NULL;
    pthread_rwlock_unlock(&it->lock);
  }
  jb_disconnect(made);
}

static void forget_session(jb_session *session) {
  if (!session)
    return;
  in_session->session = NULL;
  for (int i = 0; i < TAGS_OF_SESSION; i++)
    in_session->tags[i].tag = NULL;
}

static void forget_tag(jb_tag *tag) {
  if (tag)
    on_tag->tag = NULL;
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static int draw_wait(struct caller *caller) {
  unsigned how = below(caller, 64);
  uint64_t any = draw(caller);
  /* Long enough for tags to exist on which the other functions can be called. */
  if (strcmp(name_of(caller->function), "jb_connect") == 0 && how < 48)
    return 2000;
  return how < 24 ? 0 : how < 62 ? (int)(any % 30) : how < 63 ? JB_FOREVER : (int)(any % 1000);
}

/* Usually without an error. */
static jb_error *draw_error(struct caller *caller) {
  if (!one_in(caller, 16))
    jb_clear(&error_now);
  caller->has_error = !one_in(caller, 16);
  return caller->has_error ? &error_now : NULL;
}

static void begin(struct caller *caller) {
  if (!watch)
    watch = &watched[__atomic_fetch_add(&watched_count, 1, __ATOMIC_RELAXED) % 8];
  __atomic_add_fetch(&calls[caller->function], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&watch->function, name_of(caller->function), __ATOMIC_RELAXED);
  __atomic_store_n(&watch->since, now_ms(), __ATOMIC_RELAXED);
  error_before = error_now;
}

static void end(struct caller *caller) {
  const char *function = name_of(caller->function);
  __atomic_store_n(&watch->since, 0, __ATOMIC_RELAXED);
  free_scratch(caller);
  if (error_before.code && strcmp(function, "jb_clear") != 0 &&
      memcmp(&error_before, &error_now, sizeof error_now) != 0)
    fail(function, "the first error was lost");
  if (caller->has_error && !error_now.code)
    __atomic_add_fetch(&accepted[caller->function], 1, __ATOMIC_RELAXED);
  if (error_now.code && (!*error_now.what || !*error_now.message))
    fail(function, "the error says nothing");
  if (error_now.code == JACQUARD_ERROR_INTERNAL || error_now.code == JACQUARD_ERROR_SYSTEM)
    fail(function, error_now.message);
  if (!memchr(error_now.message, 0, sizeof error_now.message) || !memchr(error_now.advice, 0, sizeof error_now.advice))
    fail(function, "a string without its end");
}

#endif
