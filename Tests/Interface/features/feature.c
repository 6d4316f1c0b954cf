#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const int TIMEOUT_MS = 60000;

jacquard_manager *manager;
jacquard_connection *connection;
char found_identifier[64];
int found_rssi = JACQUARD_RSSI_UNKNOWN;
jacquard_tag *tag;
int links, losses, ends;
int last_reason;
int uses_service, is_beside_others;

static const char *area;
static const char *running = "beginning";
static int passed, failed;
static int wrong; /* in the running test */
static int requests_before;
static int control = -1;
static char answer[1 << 20];

/* Expectations ----------------------------------------------------------------------------------------------------- */

static void fail(const char *file, int line) {
  wrong++;
  printf("%s:%d: ", file, line);
}

void expect(int holds, const char *text, const char *file, int line) {
  if (holds) return;
  fail(file, line);
  printf("not so: %s\n", text);
}

void expect_number(long long expected, long long actual, const char *text, const char *file, int line) {
  if (expected == actual) return;
  fail(file, line);
  printf("%s is %lld and not %lld\n", text, actual, expected);
}

void expect_text(const char *expected, const char *actual, const char *text, const char *file, int line) {
  if (actual && strcmp(expected, actual) == 0) return;
  fail(file, line);
  printf("%s is \"%s\" and not \"%s\"\n", text, actual ? actual : "(NULL)", expected);
}

/* All further steps depend on this. */
static void need(int holds, const char *failure) {
  if (holds) return;
  printf("%s: %s\n", area, failure);
  exit(1);
}

/* The loop --------------------------------------------------------------------------------------------------------- */

int milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int)(now.tv_sec % 1000000) * 1000 + (int)(now.tv_nsec / 1000000);
}

int64_t boot_time_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int run_until_time(const int *number, int wanted, int deadline) {
  struct pollfd loop = {0, POLLIN, 0};
  loop.fd = jacquard_manager_get_fd(manager);
  while (!number || *number < wanted) {
    int left = deadline - milliseconds_now();
    if (left <= 0) return 0;
    if (poll(&loop, 1, left) > 0) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(manager));
  }
  return 1;
}

/* A pending result may still be written to the caller's memory, so the program does not continue without it. */
int run_until(const int *number, int wanted) {
  if (run_until_time(number, wanted, milliseconds_now() + TIMEOUT_MS)) return 1;
  printf("not ok %s: %s: waited for %d s\n", area, running, TIMEOUT_MS / 1000);
  exit(1);
}

void run_for(int milliseconds) { run_until_time(NULL, 0, milliseconds_now() + milliseconds); }

static void on_settled(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)battery;
  note_error(user_data, error);
}

void settle(void) {
  struct outcome outcome = {0};
  EXPECT_NUMBER(JACQUARD_OK,
                finish(&outcome, jacquard_tag_read_battery(tag, NULL, on_settled, &outcome, on_destroy, NULL)));
}

/* The tag's control socket ----------------------------------------------------------------------------------------- */

static void open_control(void) {
  const char *path = getenv("JACQUARD_CONTROL");
  struct sockaddr_un address = {0};
  struct timespec pause = {0, 50000000};
  int deadline = milliseconds_now() + TIMEOUT_MS;
  address.sun_family = AF_UNIX;
  if (!path || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "JACQUARD_CONTROL is not set\n");
    exit(2);
  }
  strcpy(address.sun_path, path);
  control = socket(AF_UNIX, SOCK_STREAM, 0);
  /* With a real radio the tag may be started after this program. */
  while (connect(control, (struct sockaddr *)&address, sizeof address) != 0 && milliseconds_now() < deadline)
    nanosleep(&pause, NULL);
}

/* One line after "ok " in `answer`; 0 if the tag refused the line. */
static int ask(const char *line) {
  size_t length = 0;
  if (control < 0) open_control();
  answer[0] = 0;
  if (write(control, line, strlen(line)) != (ssize_t)strlen(line)) return 0;
  while (length < sizeof answer - 1) {
    ssize_t count = read(control, answer + length, sizeof answer - 1 - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    length += (size_t)count;
    if (answer[length - 1] == '\n') break;
  }
  answer[length ? length - 1 : 0] = 0;
  if (strncmp(answer, "ok", 2) != 0) return 0;
  memmove(answer, answer + (answer[2] == ' ' ? 3 : 2), length - 2);
  return 1;
}

const char *tell(const char *format, ...) {
  char line[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  strcat(line, "\n");
  if (!ask(line)) {
    fail("tell", 0);
    printf("%s: %s\n", strtok(line, "\n"), answer);
  }
  return answer;
}

const char *noted(const char *page) {
  const char *entry = tell("journal %s", page), *next;
  while ((next = strstr(entry, "; "))) entry = next + 2;
  return entry;
}

void await_noted(const char *page, const char *entry) {
  int deadline = milliseconds_now() + TIMEOUT_MS;
  while (strcmp(noted(page), entry) != 0 && milliseconds_now() < deadline) run_for(10);
  expect_text(entry, noted(page), page, __FILE__, __LINE__);
}

const char *all_kinds(void) {
  static const char others[] = "fault-log-get";
  char *from, *to = answer;
  tell("journal requests");
  for (from = answer; *from;) {
    if (strncmp(from, others, sizeof others - 1) == 0) {
      from += sizeof others - 1;
      if (*from == ';') from += 2;
      continue;
    }
    while (*from && *from != ';') *to++ = *from++;
    if (*from) *to++ = *from++, *to++ = *from++;
  }
  *to = 0;
  return answer;
}

static int all_requests(const char *kind, int skipped) {
  char *entry;
  int count = 0, index = 0;
  all_kinds();
  for (entry = strtok(answer, "; "); entry; entry = strtok(NULL, "; "))
    if (index++ >= skipped && (!kind || strcmp(entry, kind) == 0)) count++;
  return count;
}

int requests(const char *kind) { return all_requests(kind, requests_before); }

/* Commands --------------------------------------------------------------------------------------------------------- */

void note_error(struct outcome *outcome, const jacquard_error *error) {
  outcome->completed++;
  outcome->code = error ? error->code : JACQUARD_OK;
  outcome->att_code = error ? error->att_code : 0;
  outcome->tag_status = error ? error->tag_status : 0;
  outcome->tag_status_name[0] = 0;
  if (!error) return;
  if (error->tag_status_name)
    snprintf(outcome->tag_status_name, sizeof outcome->tag_status_name, "%s", error->tag_status_name);
  EXPECT(error->code < 0 && error->message && *error->message && error->advice && *error->advice);
  EXPECT((error->tag_status != 0) == (error->tag_status_name != NULL));
}

void on_done(const jacquard_error *error, void *user_data) { note_error(user_data, error); }

void on_destroy(void *user_data) { ((struct outcome *)user_data)->destroyed++; }

int finish(struct outcome *outcome, int accepted) {
  if (accepted != JACQUARD_OK) {
    EXPECT_NUMBER(0, outcome->completed + outcome->destroyed);
    return accepted;
  }
  EXPECT_NUMBER(0, outcome->completed);
  EXPECT(run_until(&outcome->destroyed, 1));
  EXPECT_NUMBER(1, outcome->completed);
  EXPECT_NUMBER(1, outcome->destroyed);
  return outcome->code;
}

/* The connection --------------------------------------------------------------------------------------------------- */

static void on_state(const jacquard_connection_state *state, void *user_data) {
  static int connected;
  (void)user_data;
  last_reason = state->reason ? state->reason->code : JACQUARD_OK;
  if (connected && state->phase != JACQUARD_PHASE_CONNECTED) losses++;
  connected = state->phase == JACQUARD_PHASE_CONNECTED;
  uses_service = state->service_process != 0;
  if (connected) {
    jacquard_tag_unref(tag);
    tag = jacquard_tag_ref(state->tag);
    links++;
  }
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) ends++;
}

static void on_found(const jacquard_advertisement *advertisement, void *user_data) {
  jacquard_scan_stop(advertisement->scan);
  snprintf(found_identifier, sizeof found_identifier, "%s", advertisement->identifier);
  found_rssi = advertisement->rssi;
  ++*(int *)user_data;
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  need(!result->error, result->error ? result->error->message : "");
}

void find_tag(void) {
  jacquard_scan *scan = NULL;
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  int found = 0;
  options.serial = "01ZK";
  need(jacquard_manager_scan(manager, &options, on_found, on_scan_end, &found, NULL, &scan) == JACQUARD_OK,
       "no scan was begun");
  need(run_until(&found, 1), "the tag was not found");
  jacquard_scan_unref(scan);
}

void open_connection(void) {
  find_tag();
  need(jacquard_manager_connect(manager, found_identifier, NULL, on_state, NULL, NULL, &connection) == JACQUARD_OK,
       "no connection was begun");
}

void await_link(void) { need(run_until(&links, losses + 1), "the link did not come up"); }

void connect_tag(void) {
  open_connection();
  await_link();
}

/* The program ------------------------------------------------------------------------------------------------------ */

void begin(const char *name) {
  area = name;
  is_beside_others = getenv("JACQUARD_BESIDE_OTHERS") != NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  need(jacquard_manager_new(NULL, &manager) == JACQUARD_OK, "no manager was created");
}

void test(const char *name, void (*body)(void)) {
  running = name;
  requests_before = all_requests(NULL, 0);
  body();
  printf("%s %s: %s\n", wrong ? "not ok" : "ok", area, name);
  *(wrong ? &failed : &passed) += 1;
  wrong = 0;
}

int end(void) {
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  if (control >= 0) close(control);
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}

void copy_struct(void *to, size_t size, const void *from) {
  uint32_t known;
  memcpy(&known, from, sizeof known);
  if (known > size) known = (uint32_t)size;
  memset(to, 0, size);
  memcpy(to, from, known);
  memcpy(to, &known, sizeof known);
}
