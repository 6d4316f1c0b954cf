/*
 * A model of the library's objects (managers, handles and registrations), and the conditions that they must satisfy.
 *
 * Variables shared by threads are read and written without any ordering (RELAXED): a lock here would order the threads,
 * and would hide races in the library from ThreadSanitizer. Callbacks deliberately write `token` without atomic
 * operations, because the library must order callbacks and destroy.
 */
#ifndef WORLD_H
#define WORLD_H

#include "choices.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define POISON ((void *)0x5a5a5a5a)
#define GET(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define SET(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#define ADD(place, value) __atomic_add_fetch(&(place), (value), __ATOMIC_RELAXED)
#define SWAP(place, value) __atomic_exchange_n(&(place), (value), __ATOMIC_RELAXED)

enum { SLOTS = 8, MANAGER_SLOTS = 3, MOST_OBJECTS = 1 << 17, WATCHED = 256 };

struct function {
  const char *name;
  void (*call)(struct caller *caller);
};

/* A manager. */
struct owner {
  void *handle;
  int may_end; /* a reference to it was released: its operations need not complete */
  int is_gone; /* its handle is invalid, but it may still be ending */
  int is_over;
  int running; /* number of its running callbacks */
};

/* A handle returned by the library, and the number of our references to it. */
struct object {
  enum kind kind;
  void *handle;
  struct owner *owner;
  struct registration *registration;
  int is_kept;     /* a manager or connection that exists during most of a round */
  int is_borrowed; /* the library has a reference as well */
  int references;
};

struct token {
  int calls;
};

/* One callback with its user_data, from the beginning of the call that registers it. */
struct registration {
  enum kind kind; /* the kind of the handle that the call creates */
  struct owner *owner;
  struct token *token;
  void *connection; /* the connection on which it was called */
  int function;
  int has_destroy;
  int is_accepted, is_refused;
  int may_end; /* it was cancelled, or a reference to it or to its connection was released */
  int calls, ends, running, destroyed;
};

enum sort { MEANT, EMPTY, WRONG };

/* The object that a function is called on. */
struct target {
  enum kind kind;
  enum sort sort;
  void *handle;
  struct object *object;
  struct owner *owner;
};

static uint64_t seed;
static unsigned long round_number;
static int threads; /* threads of the monkey in this round */
static int is_quiet; /* the round is ending: callbacks make no calls and keep nothing */
static int is_threaded; /* callbacks may run on threads other than the monkey's */

static void fail(const char *function, const char *what) {
  fprintf(stderr, "monkey: %s: %s\nmonkey: seed %llu, round %lu\n", function, what, (unsigned long long)seed,
          round_number);
  fflush(NULL);
  _exit(1);
}

static struct owner owners[4096];
static struct object objects[MOST_OBJECTS];
static struct registration registrations[MOST_OBJECTS];
static unsigned owner_count, object_count, registration_count;
static struct object *slots[KINDS][SLOTS];
static struct object *released[KINDS][SLOTS];
static struct watched watched[WATCHED];
static unsigned watched_count;
static unsigned long *calls, *accepted, *succeeded; /* by function; the last counts completions without an error */
static const struct function *all_functions;
static int dispatch_function;

static __thread struct registration *registering;
static __thread int dispatching;
static __thread int is_monkey;
static __thread struct watched *watch;
static __thread int depth;
static __thread volatile unsigned seen;

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static const char *name_of(const struct caller *caller) {
  return caller->function < 0 ? "callback" : all_functions[caller->function].name;
}

static void require(const struct caller *caller, int condition, const char *what) {
  if (!condition)
    fail(name_of(caller), what);
}

/* Reading data from the library ------------------------------------------------------------------------------------ */

static void see(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    seen += ((const unsigned char *)bytes)[i];
}

static void see_text(const char *text) {
  if (text)
    see(text, strlen(text));
}

static void see_code(int code) {
  if (code == JACQUARD_ERROR_INTERNAL || code >= 0)
    fail("error", jacquard_status_name(code));
}

/* The process of the service through which a connection has its tag; 0 before the first one. */
static int32_t service;

static void see_service(int32_t process) {
  if (process > 0)
    SET(service, process);
}

/* Sets the current call of this thread; returns the previous one. */
static struct watched watch_this(const char *function, int64_t since) {
  if (!watch) {
    unsigned index = ADD(watched_count, 1) - 1;
    if (index >= WATCHED)
      fail("monkey", "too many threads in one round");
    watch = &watched[index];
  }
  struct watched before = {GET(watch->function), GET(watch->since)};
  SET(watch->function, function);
  SET(watch->since, since);
  return before;
}

/* Handles ---------------------------------------------------------------------------------------------------------- */

static unsigned slot_count(enum kind kind) { return kind == MANAGER ? MANAGER_SLOTS : SLOTS; }

/* A function that waits for callbacks on other threads must not wait for a callback that waits for this thread. */
static int may_end(const struct caller *caller, const struct object *object) {
  if (!is_threaded)
    return 1;
  return !caller->is_destroying && (!caller->inside || GET(object->owner) == caller->inside);
}

static struct target draw_target(struct caller *caller, enum kind kind) {
  struct target on = {kind, MEANT, NULL, NULL, NULL};
  unsigned how = below(caller, 32), which = below(caller, slot_count(kind));
  unsigned other = below(caller, KINDS), slot = below(caller, MANAGER_SLOTS);
  uint64_t number = draw(caller);
  if (how == 0)
    on.sort = EMPTY;
  else if (how == 1 && other != kind)
    on.sort = WRONG, on.object = GET(slots[other][slot]);
  else if (how == 2 && !(caller->is_ending && (caller->inside || caller->is_destroying)))
    on.sort = WRONG, on.handle = (void *)(size_t)(number % 3 ? number | 1 : number % 4096 * 2 + 2);
  else if (how < 6)
    on.object = GET(released[kind][which]);
  else
    for (unsigned i = 0; i < slot_count(kind) && !on.object; i++)
      on.object = GET(slots[kind][(which + i) % slot_count(kind)]);
  if (on.object && caller->is_ending && !may_end(caller, on.object))
    on.object = NULL;
  int is_spared = on.object && GET(on.object->is_kept) && (caller->is_ending || caller->is_disconnecting);
  if (one_in(caller, 200) < is_spared)
    on.object = NULL;
  /* If callbacks cannot race, their arguments must be valid, because the library keeps its references. */
  if (on.object && caller->is_ending && !is_threaded && GET(on.object->is_borrowed) && !GET(on.object->references))
    on.object = NULL;
  if (on.object) {
    on.handle = GET(on.object->handle);
    on.owner = GET(on.object->owner);
  }
  if (!on.handle)
    on.sort = EMPTY, on.object = NULL;
  return on;
}

/* Called before a call that may end its object. */
static void will_end(struct object *object) {
  if (GET(object->kind) == MANAGER)
    SET(GET(object->owner)->may_end, 1);
  if (GET(object->kind) == CONNECTION)
    for (unsigned i = 0; i < GET(registration_count); i++)
      if (GET(registrations[i].connection) == GET(object->handle))
        SET(registrations[i].may_end, 1);
  struct registration *registration = GET(object->registration);
  if (registration)
    SET(registration->may_end, 1);
}

/* Removes one of our references, if there is one. */
static void went_once(struct object *object) {
  int count = GET(object->references);
  while (count > 0 && !__atomic_compare_exchange_n(&object->references, &count, count - 1, 0, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED))
    ;
  if (count != 1)
    return;
  enum kind kind = GET(object->kind);
  for (unsigned i = 0; i < slot_count(kind); i++) {
    struct object *mine = object;
    if (__atomic_compare_exchange_n(&slots[kind][i], &mine, NULL, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      SET(released[kind][i], object);
  }
}

/* Releases all our references. */
static void give_back(struct object *object) {
  struct watched before = watch_this("unref", now_ms());
  will_end(object);
  while (GET(object->references) > 0) {
    unref_handle(GET(object->kind), GET(object->handle));
    went_once(object);
  }
  watch_this(before.function, before.since);
}

/* Makes the handle available for calls; the handle that it replaces is released. */
static void place(struct caller *caller, struct object *object) {
  enum kind kind = GET(object->kind);
  unsigned which = below(caller, slot_count(kind));
  struct object *before = GET(slots[kind][which]);
  /* A handle that must not be released here is released at the end of the round. */
  if (before && (!may_end(caller, before) || GET(before->is_kept)))
    return;
  SET(slots[kind][which], object);
  if (before && before != object) {
    SET(released[kind][which], before);
    caller->has_ended = 1;
    give_back(before);
  }
}

static void put(struct caller *caller, enum kind kind, void *handle, struct owner *owner,
                struct registration *registration, int is_borrowed) {
  unsigned index = ADD(object_count, 1) - 1;
  if (index >= MOST_OBJECTS)
    fail("monkey", "too many handles in one round");
  struct object *object = &objects[index];
  SET(object->kind, kind);
  SET(object->registration, registration);
  SET(object->owner, owner);
  SET(object->is_borrowed, is_borrowed);
  SET(object->is_kept, caller->is_beginning);
  SET(object->references, 1);
  SET(object->handle, handle);
  place(caller, object);
}

/* A handle returned with a reference. */
static void keep(struct caller *caller, enum kind kind, void *handle, struct target *on,
                 struct registration *registration) {
  require(caller, handle != POISON && handle != NULL, "success without a handle");
  struct owner *owner = on ? on->owner : NULL;
  if (kind == MANAGER) {
    unsigned index = ADD(owner_count, 1) - 1;
    if (index >= sizeof owners / sizeof *owners)
      fail("monkey", "too many managers in one round");
    owner = &owners[index];
    SET(owner->handle, handle);
  }
  put(caller, kind, handle, owner, registration, kind == COMPONENT);
}

/* A handle passed to a callback. */
static void borrow(struct caller *caller, enum kind kind, void *handle) {
  if (!handle || GET(is_quiet) || !one_in(caller, kind == TAG || kind == COMPONENT ? 1 : 4))
    return;
  void *same = ref_handle(kind, handle);
  int may_be_stale = is_threaded || caller->has_ended;
  if (same != handle && (same || !may_be_stale))
    fail(caller->callback, "a borrowed handle cannot be kept");
  if (same)
    put(caller, kind, handle, caller->inside, NULL, 1);
}

static void came(struct caller *caller, struct target *on, void *same) {
  require(caller, same == NULL || same == on->handle, "another handle");
  require(caller, same == NULL || on->sort == MEANT, "a reference to nothing");
  if (same)
    ADD(accepted[caller->function], 1);
  if (same && on->object && ADD(on->object->references, 1) == 1)
    place(caller, on->object);
}

static void went(struct caller *caller, struct target *on, void *same) {
  require(caller, same == NULL, "unref returned a handle");
  if (on->object && on->sort == MEANT)
    went_once(on->object);
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static void begin(struct caller *caller, struct target *on) {
  if (caller->is_ending && on && on->object)
    will_end(on->object);
  ADD(calls[caller->function], 1);
  if (caller->sequence)
    *caller->sequence = mixed(*caller->sequence + (uint64_t)caller->function, caller->random);
  caller->before = watch_this(name_of(caller), now_ms());
  dispatching += caller->function == dispatch_function;
}

static void end(struct caller *caller) {
  dispatching -= caller->function == dispatch_function;
  watch_this(caller->before.function, caller->before.since);
  registering = NULL;
  free_scratch(caller);
}

static void judge(struct caller *caller, const struct target *on, int status) {
  if (status >= 0) {
    ADD(accepted[caller->function], 1);
    require(caller, !on || on->sort == MEANT, "a handle that is none was accepted");
    return;
  }
  const jacquard_error *error = jacquard_last_error();
  require(caller, error && error->code == status, "the failure is not explained");
  require(caller, error->message && *error->message && error->advice && *error->advice, "the error says nothing");
  require(caller, status != JACQUARD_ERROR_INTERNAL && status != JACQUARD_ERROR_SYSTEM &&
          status != JACQUARD_ERROR_FORKED, jacquard_status_name(status));
  require(caller, !on || on->sort == MEANT || status == JACQUARD_ERROR_INVALID_ARGUMENT ||
          status == JACQUARD_ERROR_INVALID_HANDLE, "another status for a handle that is none");
}

/* Registrations ---------------------------------------------------------------------------------------------------- */

static void on_destroy(void *user_data);

static struct registration *draw_registration(struct caller *caller, enum kind kind, struct target on) {
  unsigned index = ADD(registration_count, 1) - 1;
  if (index >= MOST_OBJECTS)
    fail("monkey", "too many registrations in one round");
  struct registration *it = &registrations[index];
  SET(it->kind, kind);
  SET(it->owner, on.owner);
  SET(it->connection, on.kind == CONNECTION ? on.handle : NULL);
  SET(it->function, caller->function);
  SET(it->has_destroy, 0);
  SET(it->token, NULL);
  return registering = it;
}

static jacquard_destroy_callback draw_destroy(struct caller *caller, struct registration *registration) {
  if (one_in(caller, 16))
    return NULL;
  SET(registration->has_destroy, 1);
  SET(registration->token, calloc(1, sizeof(struct token)));
  return on_destroy;
}

/* Whether the function accepted it. */
static void settle(struct registration *it, int status) {
  if (status >= 0) {
    SET(it->is_accepted, 1);
    return;
  }
  if (GET(it->calls) || GET(it->destroyed))
    fail(all_functions[GET(it->function)].name, "it failed and called back");
  SET(it->is_refused, 1);
  free(GET(it->token));
}

static void call_some(struct caller *caller, unsigned most);

/* A callback begins. */
static struct caller *enter(struct caller *caller, void *user_data, const char *name) {
  struct registration *it = user_data;
  unsigned number = ADD(it->calls, 1);
  memset(caller, 0, offsetof(struct caller, scratch));
  caller->scratched = 0;
  caller->random = mixed(mixed(seed, round_number), mixed((uint64_t)(it - registrations), number));
  caller->function = -1;
  caller->callback = name;
  struct owner *owner = caller->inside = GET(it->owner);
  caller->run = it;
  if (GET(it->destroyed))
    fail(name, "called after destroy");
  if (GET(it->is_refused))
    fail(name, "called although the function had failed");
  if (registering == it)
    fail(name, "called inside the function that registers it");
  if (is_monkey && !dispatching)
    fail(name, "called outside a dispatch");
  if (!owner || GET(owner->is_over))
    fail(name, "called after the end of its manager");
  if (SWAP(owner->running, 1))
    fail(name, "two callbacks of one manager at a time");
  if (GET(it->kind) == REQUEST) {
    int isEnd = strcmp(name, "jacquard_download_data_callback") != 0 && strcmp(name, "jacquard_motion_callback") != 0 &&
                strcmp(name, "jacquard_update_progress_callback") != 0;
    if (ADD(it->ends, isEnd) > isEnd)
      fail(name, "called after a command completed");
  }
  if (GET(it->kind) == SCAN) {
    int isEnd = strcmp(name, "jacquard_scan_end_callback") == 0;
    if (ADD(it->ends, isEnd) > isEnd)
      fail(name, "called after the end of the scan");
  }
  SET(it->running, 1);
  if (GET(it->token))
    GET(it->token)->calls++;
  depth++;
  return caller;
}

static void leave(struct caller *caller) {
  struct registration *it = caller->run;
  if (one_in(caller, 128))
    usleep(below(caller, 20000)); /* a slow callback */
  if (one_in(caller, 4) && depth < 3 && !GET(is_quiet))
    call_some(caller, 3);
  depth--;
  SET(it->running, 0);
  SET(caller->inside->running, 0);
}

static void on_destroy(void *user_data) {
  struct registration *it = user_data;
  struct caller caller;
  memset(&caller, 0, offsetof(struct caller, scratch));
  caller.scratched = 0;
  caller.random = mixed(mixed(seed, round_number), (uint64_t)(it - registrations));
  caller.function = -1;
  caller.is_destroying = 1;
  if (ADD(it->destroyed, 1) > 1)
    fail(all_functions[GET(it->function)].name, "destroyed twice");
  if (GET(it->running))
    fail(all_functions[GET(it->function)].name, "destroyed while its callback runs");
  if (GET(it->is_refused) || registering == it)
    fail(all_functions[GET(it->function)].name, "destroyed although the function has not succeeded");
  free(GET(it->token));
  depth++;
  if (one_in(&caller, 8) && depth < 3 && !GET(is_quiet))
    call_some(&caller, 2);
  depth--;
}

#endif
