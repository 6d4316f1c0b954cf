/*
 * waits CALLS SEED: calls every function of the blocking layer in random order with random arguments, from four
 * threads, while a fifth interrupts them. At the end every session is closed, and no thread or descriptor may be left.
 */
#define _GNU_SOURCE
#include "waits-calls.h"

#include <dirent.h>
#include <poll.h>

enum { THREADS = 4, CALL_LIMIT_MS = 60000 };

static unsigned long wanted;
static int is_over;

static const char *name(int function) { return functions[function].name; }

static void *make_calls(void *argument) {
  unsigned long thread = (unsigned long)(size_t)argument;
  struct caller caller;
  memset(&caller, 0, sizeof caller);
  for (unsigned long i = 0; i < wanted / THREADS; i++) {
    caller.random = mixed(seed, mixed(thread, i));
    caller.function = (int)below(&caller, FUNCTIONS);
    /* The first writes to the terminal; if the others were frequent, the rest would have no objects to be called on. */
    static const struct { const char *name; unsigned one_in; } rare[] = {
        {"jb_complain", 200}, {"jb_open", 20}, {"jb_close", 20}, {"jb_interrupt", 100}, {"jb_disconnect", 2}};
    unsigned share = 1;
    for (unsigned k = 0; k < sizeof rare / sizeof *rare; k++)
      share = strcmp(name(caller.function), rare[k].name) == 0 ? rare[k].one_in : share;
    if (!one_in(&caller, share))
      continue;
    functions[caller.function].call(&caller);
  }
  return NULL;
}

/* Interrupts calls that would otherwise wait forever, and detects calls that do. */
static void *interrupt(void *nothing) {
  for (unsigned turn = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); turn++, poll(NULL, 0, 10)) {
    for (unsigned i = 0; i < sizeof watched / sizeof *watched; i++) {
      int64_t since = __atomic_load_n(&watched[i].since, __ATOMIC_RELAXED);
      if (since && now_ms() - since > CALL_LIMIT_MS)
        fail(__atomic_load_n(&watched[i].function, __ATOMIC_RELAXED), "it does not return");
    }
    struct held_session *it = &sessions[turn / 2 % SESSIONS];
    if (turn % 200 > 3 || pthread_rwlock_tryrdlock(&it->lock) != 0)
      continue;
    (turn % 2 ? jb_resume : jb_interrupt)(it->session);
    pthread_rwlock_unlock(&it->lock);
  }
  return nothing;
}

static int count_in(const char *folder) {
  int count = 0;
  DIR *entries = opendir(folder);
  while (entries && readdir(entries))
    count++;
  closedir(entries);
  return count;
}

static void find_tags(void) {
  jb_error error = JB_ERROR_INIT;
  jb_found found[TAGS];
  jb_session *session = jb_open(NULL, &error);
  size_t count = jb_find_all(session, found, TAGS, 60000, &error);
  if (error.code || count < TAGS)
    fail("jb_find_all", error.message);
  for (int i = 0; i < TAGS; i++) {
    memcpy(identifiers[i], found[i].identifier, sizeof identifiers[i]);
    memcpy(serials[i], found[i].serial, sizeof serials[i]);
  }
  jb_close(session);
}

static void on_death(void) { fprintf(stderr, "waits: seed %llu\n", (unsigned long long)seed); }

extern void __sanitizer_set_death_callback(void (*callback)(void));

int main(int count, char **arguments) {
  static unsigned long counts[2][FUNCTIONS];
  unsigned long all = 0;
  pthread_t threads[THREADS], interrupter;
  wanted = count > 1 ? strtoul(arguments[1], NULL, 0) : 10000;
  seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 1;
  state_directory = getenv("XDG_STATE_HOME");
  calls = counts[0], accepted = counts[1], name_of = name;
  __sanitizer_set_death_callback(on_death);
  for (int i = 0; i < SESSIONS; i++) {
    pthread_rwlock_init(&sessions[i].lock, NULL);
    for (int k = 0; k < TAGS_OF_SESSION; k++)
      pthread_rwlock_init(&sessions[i].tags[k].lock, NULL);
  }
  find_tags();
  int tasks = count_in("/proc/self/task"), descriptors = count_in("/proc/self/fd");
  pthread_create(&interrupter, NULL, interrupt, NULL);
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, make_calls, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  pthread_join(interrupter, NULL);
  for (int i = 0; i < SESSIONS; i++)
    jb_close(sessions[i].session);
  if (count_in("/proc/self/task") > tasks || count_in("/proc/self/fd") > descriptors)
    fail("jb_close", "a thread or a descriptor is left");
  for (int i = 0; i < FUNCTIONS; i++) {
    printf("%s %lu %lu\n", functions[i].name, calls[i], accepted[i]);
    all += calls[i];
  }
  printf("seed %llu, %lu calls\n", (unsigned long long)seed, all);
  return 0;
}
