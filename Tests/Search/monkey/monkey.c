/*
 * monkey CALLS SEED [FIRST_ROUND [THREADS]]: calls every function of jacquard.h in random order with random arguments.
 *
 * A round begins and ends without a manager; in between, one thread or four make CALLS_PER_ROUND calls, and callbacks
 * make some more. The conditions are checked at each call and at the end of each round. With one thread, the calls and
 * their arguments depend only on the seed and the number of the round; the times of callbacks, and therefore which
 * handles exist already, depend on the machine.
 */
#define _GNU_SOURCE
#include "calls.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>

enum {
  CALLS_PER_ROUND = 10000,
  MOST_THREADS = 4,
  CALL_LIMIT_MS = 60000,  /* time for a function to return; callbacks that it waits for may sleep */
  ROUND_LIMIT_MS = 90000, /* time for all pending operations to complete */
  SILENCE_MS = 7000,      /* a service without an answer for 5 s is unavailable */
};

extern void __sanitizer_set_death_callback(void (*callback)(void));

static const char *const kinds[] = {KIND_NAMES};
static unsigned weights[FUNCTIONS], weight;
static int ends[FUNCTIONS], connect_function, disconnect_functions[2];
static unsigned long links;  /* used to begin rounds */
static unsigned long shared; /* links that two managers used */
static unsigned long kills;  /* kills of the service */
static unsigned long stops;  /* stops of the service, with SIGSTOP */
static unsigned long made; /* calls by threads of the monkey, in all rounds */
static uint64_t sequence;  /* a hash of all drawn values */

/* Choosing a function ---------------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* Functions that end many objects are rarely called, so that tags are usually connected; all others are equally
 * frequent. */
static void weigh(void) {
  static const struct { const char *name; unsigned weight; } rare[] = {
      {"jacquard_manager_new", 2}, {"jacquard_manager_unref", 1}, {"jacquard_manager_start", 8},
      {"jacquard_manager_connect", 32}, {"jacquard_manager_bind", 16}, {"jacquard_manager_unbind", 2},
      {"jacquard_connection_unref", 2}, {"jacquard_connection_disconnect", 4}, {"jacquard_tag_request_disconnect", 2},
      {"jacquard_tag_rename", 4},
      {"jacquard_tag_unref", 16}, {"jacquard_component_unref", 16}, {"jacquard_manager_dispatch", 800}};
  for (int i = 0; i < FUNCTIONS; i++) {
    const char *name = functions[i].name;
    ends[i] = ends_with(name, "_unref") || ends_with(name, "_cancel") || ends_with(name, "_stop");
    weights[i] = 128;
    for (unsigned k = 0; k < sizeof rare / sizeof *rare; k++)
      weights[i] = strcmp(name, rare[k].name) == 0 ? rare[k].weight : weights[i];
    if (strcmp(name, "jacquard_manager_dispatch") == 0)
      dispatch_function = i;
    if (strcmp(name, "jacquard_manager_connect") == 0)
      connect_function = i;
    if (strcmp(name, "jacquard_connection_disconnect") == 0)
      disconnect_functions[0] = i;
    if (strcmp(name, "jacquard_tag_request_disconnect") == 0)
      disconnect_functions[1] = i;
    weight += weights[i];
  }
}

static int draw_function(struct caller *caller) {
  unsigned place = below(caller, weight);
  int function = 0;
  while (place >= weights[function])
    place -= weights[function++];
  return function;
}

static void call_one(struct caller *caller) {
  int function = draw_function(caller);
  /* The library waits for a destroy callback, which therefore must not wait for callbacks or dispatch. */
  if (caller->is_destroying && is_threaded && (ends[function] || function == dispatch_function))
    return;
  if (!is_threaded && strcmp(functions[function].name, "jacquard_manager_start") == 0)
    return;
  caller->function = function;
  caller->is_ending = ends[function];
  caller->is_disconnecting = function == disconnect_functions[0] || function == disconnect_functions[1];
  functions[function].call(caller);
  caller->function = -1;
}

static void call_some(struct caller *caller, unsigned most) {
  for (unsigned left = 1 + below(caller, most); left > 0; left--)
    call_one(caller);
}

/* Rounds ----------------------------------------------------------------------------------------------------------- */

/* Runs the loops without their own thread. */
static void dispatch_all(void) {
  unsigned count = GET(owner_count);
  for (unsigned i = 0; i < count; i++) {
    void *handle = GET(owners[i].handle);
    if (!handle || GET(owners[i].is_gone))
      continue;
    struct watched before = watch_this("jacquard_manager_dispatch", now_ms());
    dispatching++;
    if (jacquard_manager_dispatch(handle) == JACQUARD_ERROR_INVALID_HANDLE)
      SET(owners[i].is_gone, 1);
    dispatching--;
    watch_this(before.function, before.since);
  }
}

static int is_service(int32_t process) {
  char path[32], name[16] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
  FILE *file = fopen(path, "re");
  int is = file && fgets(name, sizeof name, file) && strcmp(name, "jacquardd\n") == 0;
  if (file)
    fclose(file);
  return is;
}

/* The simulator starts the service again. */
static void kill_service(void) {
  if (is_service(GET(service)) && kill(GET(service), SIGKILL) == 0)
    kills++;
}

/* The process that was stopped; 0 if none. Used by the first thread. */
static int32_t stopped;

/* Stops it usually until this thread has made its next calls; sometimes for longer than the library waits for it. */
static void stop_service(int is_long) {
  int32_t process = GET(service);
  if (!is_service(process) || kill(process, SIGSTOP) != 0)
    return;
  stopped = process;
  stops++;
  if (is_long)
    poll(NULL, 0, SILENCE_MS);
}

static void continue_service(void) {
  if (stopped && is_service(stopped))
    kill(stopped, SIGCONT);
  stopped = 0;
}

static void *make_calls(void *argument) {
  unsigned long thread = (unsigned long)(size_t)argument;
  struct caller caller;
  memset(&caller, 0, sizeof caller);
  is_monkey = 1;
  caller.sequence = thread == 0 ? &sequence : NULL;
  for (unsigned long i = 0; i < (unsigned long)(CALLS_PER_ROUND / threads); i++) {
    caller.random = mixed(mixed(seed, round_number), mixed(thread, i));
    call_one(&caller);
    if (i % 16 == 0)
      dispatch_all();
    if (i % 256 == 0)
      poll(NULL, 0, 1);
    if (thread == 0 && i % 512 == 511) {
      continue_service();
      unsigned chance = below(&caller, 8);
      int is_long = one_in(&caller, 16);
      if (chance == 0)
        kill_service();
      else if (chance == 1)
        stop_service(is_long);
    }
  }
  if (thread == 0)
    continue_service();
  return NULL;
}

static struct owner *make_manager(struct caller *caller) {
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  jacquard_manager *manager = NULL;
  options.restore_id = one_in(caller, 2) ? "monkey-1" : NULL;
  options.auto_connect = options.restore_id && one_in(caller, 2);
  if (jacquard_manager_new(&options, &manager) != 0)
    fail("jacquard_manager_new", jacquard_last_error()->message);
  if (is_threaded && one_in(caller, 2))
    jacquard_manager_start(manager);
  keep(caller, MANAGER, manager, NULL, NULL);
  struct owner *owner = &owners[GET(owner_count) - 1];
  /* A callback on another thread may have made another one. */
  while (GET(owner->handle) != manager)
    owner--;
  return owner;
}

static void on_unbound(const jacquard_error *error, void *user_data) {
  (void)error;
  ADD(*(int *)user_data, 1);
}

/* Tags bound in earlier rounds, whose bonds are lost in the meantime, would prevent connections in this round. */
static void unbind_all(void) {
  static int unbound;
  SET(unbound, 0);
  for (int i = 0; i < TAGS; i++)
    jacquard_manager_unbind(GET(owners[0].handle), identifiers[i], NULL, on_unbound, &unbound, NULL, NULL);
  for (int i = 0; i < 500 && GET(unbound) < TAGS; i++, poll(NULL, 0, 1))
    dispatch_all();
}

/* Waits for a connection; returns whether the tag is connected. */
static int make_connection(struct caller *caller, struct owner *owner, const char *identifier) {
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  struct target on = {MANAGER, MEANT, NULL, NULL, owner};
  jacquard_connection *connection = NULL;
  options.wait_for_adapter = 1;
  caller->function = connect_function;
  struct registration *registration = draw_registration(caller, CONNECTION, on);
  jacquard_destroy_callback destroy = draw_destroy(caller, registration);
  int status = jacquard_manager_connect(GET(owner->handle), identifier, &options, on_jacquard_connection_callback,
                                        registration, destroy, &connection);
  registering = NULL;
  settle(registration, status);
  /* Restored already, or a callback has ended the manager. */
  if (status == JACQUARD_ERROR_ALREADY_CONNECTED || (status != 0 && GET(owner->may_end)))
    return 0;
  if (status != 0)
    fail("jacquard_manager_connect", jacquard_last_error()->message);
  keep(caller, CONNECTION, connection, &on, registration);
  for (int i = 0; i < 2000 && jacquard_connection_get_phase(connection) != JACQUARD_PHASE_CONNECTED; i++) {
    dispatch_all();
    poll(NULL, 0, 1);
  }
  return jacquard_connection_get_phase(connection) == JACQUARD_PHASE_CONNECTED;
}

static int is_pending(const struct registration *it) {
  return GET(it->is_accepted) && GET(it->kind) == REQUEST && !GET(it->ends) && !GET(it->may_end) &&
         !GET(GET(it->owner)->may_end);
}

static int is_left(const struct registration *it) {
  return GET(it->is_accepted) && GET(it->has_destroy) && GET(it->destroyed) == 0;
}

/* Waits until no registration has that state. */
static void wait_until_none(int (*is_so)(const struct registration *), const char *what) {
  for (int64_t until = now_ms() + ROUND_LIMIT_MS;;) {
    const struct registration *found = NULL;
    for (unsigned i = 0; i < GET(registration_count) && !found; i++)
      if (is_so(&registrations[i]))
        found = &registrations[i];
    if (!found)
      return;
    if (now_ms() > until)
      fail(functions[GET(found->function)].name, what);
    dispatch_all();
    poll(NULL, 0, 1);
  }
}

/* Every connection and every command ends when requested. */
static void wait_for_completions(void) {
  for (unsigned i = 0; i < GET(object_count); i++)
    if (GET(objects[i].kind) == CONNECTION)
      jacquard_connection_disconnect(GET(objects[i].handle));
  wait_until_none(is_pending, "it never completes");
  int64_t until = now_ms() + ROUND_LIMIT_MS;
  for (unsigned i = 0; i < GET(object_count); i++)
    while (GET(objects[i].kind) == CONNECTION && !GET(GET(objects[i].owner)->may_end) &&
           jacquard_connection_get_phase(GET(objects[i].handle)) > 0) {
      if (now_ms() > until)
        fail("jacquard_connection_disconnect", "the connection never ends");
      dispatch_all();
      poll(NULL, 0, 1);
    }
}

static int count_in(const char *folder) {
  int count = -3; /* the entries . and .., and the descriptor that reads the directory */
  DIR *entries = opendir(folder);
  while (entries && readdir(entries))
    count++;
  closedir(entries);
  return count;
}

static int descriptors, tasks;

/* Threads that were stopped in their own callbacks end shortly afterwards. */
static void wait_for_threads(void) {
  for (int64_t until = now_ms() + ROUND_LIMIT_MS; count_in("/proc/self/task") > tasks; poll(NULL, 0, 1))
    if (now_ms() > until)
      fail("round", "a thread is left");
  if (count_in("/proc/self/fd") > descriptors)
    fail("round", "a descriptor is left");
}

/* Returns whether this program still had a reference. */
static int give_all_back(int of_managers) {
  int found = 0;
  for (unsigned i = 0; i < GET(object_count); i++)
    if ((GET(objects[i].kind) == MANAGER) == of_managers && GET(objects[i].references) > 0)
      give_back(&objects[i]), found = 1;
  return found;
}

static void end_round(struct caller *caller) {
  SET(is_quiet, 1);
  wait_for_completions();
  int managersFirst = one_in(caller, 2);
  /* Again, for handles that callbacks have kept in the meantime. */
  while (give_all_back(managersFirst) | give_all_back(!managersFirst))
    ;
  for (unsigned i = 0; i < GET(owner_count); i++) {
    if (jacquard_manager_get_fd(GET(owners[i].handle)) != JACQUARD_ERROR_INVALID_HANDLE)
      fail("jacquard_manager", "it outlives its references");
    SET(owners[i].is_over, 1);
  }
  wait_until_none(is_left, "its destroy is never called");
  wait_for_threads();
  for (unsigned i = 0; i < GET(object_count); i++)
    if (ref_handle(GET(objects[i].kind), GET(objects[i].handle)))
      fail(kinds[GET(objects[i].kind)], "a handle outlives its references");
}

static void begin_round(struct caller *caller) {
  for (unsigned i = 0; i < GET(registration_count); i++) {
    struct registration *it = &registrations[i];
    SET(it->is_accepted, 0), SET(it->is_refused, 0), SET(it->may_end, 0), SET(it->calls, 0);
    SET(it->ends, 0), SET(it->running, 0), SET(it->destroyed, 0);
  }
  for (unsigned i = 0; i < GET(owner_count); i++)
    SET(owners[i].may_end, 0), SET(owners[i].is_over, 0), SET(owners[i].is_gone, 0), SET(owners[i].running, 0),
        SET(owners[i].handle, NULL);
  for (unsigned i = 0; i < KINDS * SLOTS; i++)
    SET(slots[i / SLOTS][i % SLOTS], NULL), SET(released[i / SLOTS][i % SLOTS], NULL);
  SET(registration_count, 0), SET(object_count, 0), SET(owner_count, 0);
  /* Only the first of the counted threads remains. */
  for (unsigned i = 1; i < WATCHED; i++)
    SET(watched[i].function, NULL), SET(watched[i].since, 0);
  SET(watched_count, 1);
  SET(is_quiet, 0);
  caller->is_beginning = 1;
  const char *identifier = identifiers[below(caller, TAGS)];
  int is_linked;
  struct owner *first = make_manager(caller);
  unbind_all();
  links += is_linked = make_connection(caller, first, identifier);
  caller->is_beginning = 0;
  struct owner *second = make_manager(caller);
  if (one_in(caller, 2))
    shared += make_connection(caller, second, identifier) && is_linked;
}

static void play_round(int wanted_threads) {
  struct caller caller;
  pthread_t others[MOST_THREADS];
  memset(&caller, 0, sizeof caller);
  caller.random = mixed(seed, round_number);
  caller.function = -1;
  threads = wanted_threads ? wanted_threads : one_in(&caller, 2) ? 1 : MOST_THREADS;
  is_threaded = threads > 1 || one_in(&caller, 2);
  begin_round(&caller);
  for (int i = 1; i < threads; i++)
    if (pthread_create(&others[i], NULL, make_calls, (void *)(size_t)i) != 0)
      fail("round", "no thread");
  make_calls(NULL);
  for (int i = 1; i < threads; i++)
    pthread_join(others[i], NULL);
  end_round(&caller);
  made += CALLS_PER_ROUND / threads * threads;
}

/* The program ------------------------------------------------------------------------------------------------------ */

static void *watch_calls(void *nothing) {
  for (;; poll(NULL, 0, 1000))
    for (unsigned i = 0; i < WATCHED; i++) {
      const char *function = GET(watched[i].function);
      int64_t since = GET(watched[i].since);
      if (function && since && now_ms() - since > CALL_LIMIT_MS)
        fail(function, "it does not return");
    }
  return nothing;
}

static void on_death(void) {
  fprintf(stderr, "monkey: seed %llu, round %lu\n", (unsigned long long)seed, round_number);
}

static void on_first_seen(const jacquard_advertisement *seen_tag, void *user_data) {
  int *found = user_data;
  if (*found == TAGS)
    return;
  snprintf(identifiers[*found], sizeof *identifiers, "%s", seen_tag->identifier);
  snprintf(serials[*found], sizeof *serials, "%s", seen_tag->serial);
  ++*found;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

/* The tags, always in the same order. */
static void find_tags(void) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  jacquard_manager *manager = NULL;
  int found = 0;
  options.wait_for_adapter = 1;
  if (jacquard_manager_new(NULL, &manager) ||
      jacquard_manager_scan(manager, &options, on_first_seen, NULL, &found, NULL, NULL))
    fail("monkey", jacquard_last_error()->message);
  for (int64_t until = now_ms() + 60000; found < TAGS; poll(NULL, 0, 1)) {
    jacquard_manager_dispatch(manager);
    if (now_ms() > until)
      fail("monkey", "there are fewer than three tags");
  }
  jacquard_manager_unref(manager);
  qsort(identifiers, TAGS, sizeof *identifiers, compare);
  qsort(serials, TAGS, sizeof *serials, compare);
}

int main(int count, char **arguments) {
  unsigned long wanted = count > 1 ? strtoul(arguments[1], NULL, 0) : CALLS_PER_ROUND;
  int wanted_threads = count > 4 ? atoi(arguments[4]) : 0;
  static unsigned long counts[3][FUNCTIONS];
  unsigned long all = 0;
  pthread_t watcher;
  seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 1;
  round_number = count > 3 ? strtoul(arguments[3], NULL, 0) : 0;
  unsigned long first = round_number;
  state_directory = getenv("XDG_STATE_HOME");
  all_functions = functions, calls = counts[0], accepted = counts[1], succeeded = counts[2];
  __sanitizer_set_death_callback(on_death);
  weigh();
  watch_this(NULL, 0);
  find_tags();
  pthread_create(&watcher, NULL, watch_calls, NULL);
  descriptors = count_in("/proc/self/fd");
  tasks = count_in("/proc/self/task");
  for (int64_t told = now_ms(); made < wanted; round_number++) {
    play_round(wanted_threads);
    if (now_ms() - told < 60000)
      continue;
    told = now_ms();
    fprintf(stderr, "monkey: %lu calls\n", made);
  }
  for (int i = 0; i < FUNCTIONS; i++) {
    printf("%s %lu %lu %lu\n", functions[i].name, calls[i], accepted[i], succeeded[i]);
    all += calls[i];
  }
  printf("seed %llu, %lu rounds, %lu of them connected at first, %lu shared, %lu kills of the service, %lu stops, "
         "%lu calls, %lu with those of callbacks, sequence %016llx\n",
         (unsigned long long)seed, round_number - first, links, shared, kills, stops, made, all,
         (unsigned long long)sequence);
  return 0;
}
