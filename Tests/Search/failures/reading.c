/*
 * Finds a tag, connects to it, reads its battery, disconnects and releases everything, while one call fails:
 * `reading KIND FIRST LAST STEP EXCLUSIVE MILLISECONDS` with failures.c preloaded. Calls that follow within that many
 * milliseconds fail too. Prints one line for each n-th call, until a cycle has fewer. A step that ended with an error
 * is tried again, and must succeed then.
 */
#define _GNU_SOURCE
#include "../../System/load/process.h"
#include "failures.h"

#include <jacquard.h>
#include <malloc.h>
#include <poll.h>
#include <time.h>

enum { LIMIT_MS = 60000, WARM_UP = 3 };

static jacquard_manager *manager;
static jacquard_tag *tag;
static jacquard_connection *connection;
static char identifier[64];
static int scan_ended, disconnected, completed, charges, last;
static uint32_t percent;
static int links, keeps_the_bus;
/* The errors of this cycle, and whether a condition does not hold. */
static char errors[512];
static int errors_noted, wrong;

static void complain(const char *text) {
  printf("WRONG: %s\n", text);
  wrong = 1;
}

static void note(const char *step, int code, const char *message) {
  size_t length = strlen(errors);
  errors_noted++;
  if (!message || !*message || code >= 0) complain("an error without a code or a message");
  snprintf(errors + length, sizeof errors - length, " [%s: %s: %s]", step, jacquard_status_name(code), message);
}

static void note_error(const char *step, const jacquard_error *error) {
  last = error ? error->code : 0;
  if (error) note(step, error->code, error->message);
}

static int accepted(const char *step, int code) {
  if (code < 0) note(step, code, jacquard_last_error()->message);
  return code >= 0;
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  snprintf(identifier, sizeof identifier, "%s", found->identifier);
  /* The link of the previous cycle. If the connection to the bus failed when the link was to be dropped, it cannot be
   * dropped. */
  if (found->connected && !links && keeps_the_bus) complain("a link is left");
  jacquard_scan_stop(found->scan);
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  note_error("scan", result->error);
  scan_ended = 1;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    jacquard_tag_unref(tag);
    tag = jacquard_tag_ref(state->tag);
    links++;
  } else if (tag) {
    tag = jacquard_tag_unref(tag);
  }
  if (state->phase != JACQUARD_PHASE_DISCONNECTED) return;
  note_error("connection", state->reason);
  disconnected = 1;
}

static void on_charge(const jacquard_battery_event *event, void *user_data) {
  (void)user_data;
  if (event->battery->percent == 80) charges++;
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  note_error("battery", error);
  percent = battery ? battery->percent : 0;
  completed = 1;
}

/* A service that cannot write an event drops it, and reports that. */
static void count_dropped_charges(void) {
  jacquard_counters counters = {.struct_size = sizeof counters};
  if (connection && jacquard_connection_get_counters(connection, &counters) == 0 && counters.dropped_notifications > 0)
    charges++;
}

/* Runs the loop until one of them is set. A dispatch that fails is repeated: poll reports the remaining work. */
static int run_until(const char *what, const int *one, const void *const *other) {
  long deadline = milliseconds() + LIMIT_MS;
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!*one && !(other && *other)) {
    long left = deadline - milliseconds();
    if (left <= 0) {
      complain(what);
      return 0;
    }
    if (poll(&loop, 1, (int)left) > 0) accepted("dispatch", jacquard_manager_dispatch(manager));
    count_dropped_charges();
  }
  return 1;
}

/* Waits as a program would: after a while the library tries a bus again that could not be reached. */
static void pause_a_moment(void) {
  long deadline = milliseconds() + 100, left;
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while ((left = deadline - milliseconds()) > 0)
    if (poll(&loop, 1, (int)left) > 0) accepted("dispatch", jacquard_manager_dispatch(manager));
}

static int find(void) {
  jacquard_scan *scan = NULL;
  scan_ended = 0;
  if (accepted("scan", jacquard_manager_scan(manager, NULL, on_found, on_scan_end, NULL, NULL, &scan)))
    run_until("the scan does not end", &scan_ended, NULL);
  jacquard_scan_unref(scan);
  return identifier[0] != 0;
}

static int read_charge(void) {
  completed = 0;
  if (!accepted("battery", jacquard_tag_read_battery(tag, NULL, on_battery, NULL, NULL, NULL))) return 0;
  run_until("the command does not end", &completed, NULL);
  return percent == 80;
}

static int use(void) {
  int done = 0;
  disconnected = charges = 0;
  if (!accepted("connect", jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, NULL, &connection)))
    return 0;
  accepted("subscription", jacquard_connection_on_battery(connection, on_charge, NULL, NULL, NULL));
  for (int attempt = 0; attempt < 3 && !done && !disconnected && !wrong; attempt++)
    if (run_until("the connection is neither established nor ended", &disconnected, (const void *const *)&tag) && tag)
      done = read_charge();
  if (done && !run_until("the event of the battery is lost", &charges, NULL)) done = 0;
  if (!disconnected && accepted("disconnect", jacquard_connection_disconnect(connection)))
    run_until("the connection does not end", &disconnected, NULL);
  connection = jacquard_connection_unref(connection);
  tag = jacquard_tag_unref(tag);
  return done;
}

static void cycle(int exclusive) {
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  int done = 0;
  options.exclusive = (uint32_t)exclusive;
  errors[0] = identifier[0] = 0;
  errors_noted = links = 0;
  for (int attempt = 0; attempt < 2 && !manager; attempt++)
    accepted("manager", jacquard_manager_new(&options, &manager));
  if (!manager) {
    complain("no manager");
    return;
  }
  for (long deadline = milliseconds() + LIMIT_MS; !done && !wrong && milliseconds() < deadline;) {
    done = (identifier[0] || find()) && use();
    if (!done) pause_a_moment();
  }
  manager = jacquard_manager_unref(manager);
  if (!done && !wrong) complain("it never succeeds");
}

int main(int count, char **arguments) {
  if (count != 7) return 2;
  const char *kind = arguments[1];
  long first = atol(arguments[2]), end = atol(arguments[3]), step = atol(arguments[4]), cycles = 0;
  long duration = atol(arguments[6]);
  int exclusive = atoi(arguments[5]);
  struct holdings before = {0, 0, 0, 0}, after;
  long blocks = 0, heap = 0;
  keeps_the_bus = strcmp(kind, "memory") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  /* One n alone runs in a fresh process, because calls that happen once in a process may fail too. */
  for (int i = 0; first != end && i < WARM_UP; i++) {
    fail_call(NULL, 0, 0);
    cycle(exclusive);
    if (errors[0] || wrong) complain(errors);
    before = holdings();
    blocks = blocks_of_libdbus();
    heap = (long)mallinfo2().uordblks;
  }
  if (first == end) before = holdings();
  for (long n = first; n <= end && !wrong; n += step) {
    long start = milliseconds();
    printf("begin %s %ld\n", kind, n);
    fail_call(kind, n, duration);
    cycle(exclusive);
    int reached = has_failed();
    fail_call(NULL, 0, 0);
    after = holdings();
    if (after.descriptors != before.descriptors || after.threads != before.threads)
      complain("descriptors or threads are left");
    /* libdbus keeps a few messages and lists for later. */
    if (first != end && blocks_of_libdbus() > blocks + 32) complain("libdbus's memory is left");
    const char *outcome = !reached ? "beyond" : errors[0] ? "error" : "success";
    printf("end %s %ld %s %ld ms, %ld blocks, %d errors%s\n", kind, n, outcome, milliseconds() - start,
           blocks_of_libdbus() - blocks, errors_noted, errors);
    if (!reached) break;
    cycles++;
  }
  printf("%ld cycles, %ld bytes each\n", cycles, cycles ? ((long)mallinfo2().uordblks - heap) / cycles : 0);
  return wrong;
}
