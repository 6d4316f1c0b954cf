/*
 * The blocking layer of bindings/c with a library controlled by the input: it accepts, refuses, completes at once or
 * never, loses links, and passes strings of any length. The session's thread runs on the only thread, one
 * step at a time, so that each input always takes the same path. For libFuzzer.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* There is no kernel and no time here: a wait ends immediately, because no other thread could end it. */
static int input_poll(struct pollfd *descriptors, nfds_t count, int timeout);
static int input_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
static int input_join(pthread_t thread, void **result);
static int input_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
static int input_eventfd(unsigned count, int flags);
static int input_eventfd_write(int descriptor, eventfd_t count);
static int input_eventfd_read(int descriptor, eventfd_t *count);
static int input_close(int descriptor);
#define poll input_poll
#define pthread_create input_thread
#define pthread_join input_join
#define pthread_cond_timedwait input_wait
#define eventfd input_eventfd
#define eventfd_write input_eventfd_write
#define eventfd_read input_eventfd_read
#define close input_close

#define jacquard_component_get_info input_component_get_info
#define jacquard_component_play_haptic input_component_play_haptic
#define jacquard_component_play_led input_component_play_led
#define jacquard_component_ref input_component_ref
#define jacquard_component_set_touch_mode input_component_set_touch_mode
#define jacquard_component_unref input_component_unref
#define jacquard_connection_disconnect input_connection_disconnect
#define jacquard_connection_on_battery input_connection_on_battery
#define jacquard_connection_on_gear input_connection_on_gear
#define jacquard_connection_on_gesture input_connection_on_gesture
#define jacquard_connection_on_name input_connection_on_name
#define jacquard_connection_on_touch input_connection_on_touch
#define jacquard_connection_unref input_connection_unref
#define jacquard_last_error input_last_error
#define jacquard_manager_bind input_manager_bind
#define jacquard_manager_connect input_manager_connect
#define jacquard_manager_dispatch input_manager_dispatch
#define jacquard_manager_get_fd input_manager_get_fd
#define jacquard_manager_list_known input_manager_list_known
#define jacquard_manager_new input_manager_new
#define jacquard_manager_scan input_manager_scan
#define jacquard_manager_unbind input_manager_unbind
#define jacquard_manager_unref input_manager_unref
#define jacquard_phase_name input_phase_name
#define jacquard_request_unref input_request_unref
#define jacquard_scan_unref input_scan_unref
#define jacquard_status_text input_status_text
#define jacquard_tag_get_component input_tag_get_component
#define jacquard_tag_get_info input_tag_get_info
#define jacquard_tag_read_battery input_tag_read_battery
#define jacquard_tag_ref input_tag_ref
#define jacquard_tag_rename input_tag_rename
#define jacquard_tag_unref input_tag_unref

#include <jacquard-blocking.c>

enum { LOOP = 1, SESSION = 2 }; /* descriptors */
enum { MOST_TAGS = 3, MOST_TEXTS = 64, CONNECTIONS = MOST_TAGS + 1 };

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* The input -------------------------------------------------------------------------------------------------------- */

static const uint8_t *rest;
static size_t left;
static char *texts[MOST_TEXTS];
static unsigned text_count;

static unsigned byte(void) {
  if (left == 0) return 0;
  left--;
  return *rest++;
}

/* A separate copy, so that reads beyond its end are found. */
static const char *text(void) {
  size_t length = byte();
  char **place = &texts[text_count++ % MOST_TEXTS];
  length = length > 200 ? (length - 200) * 16 : length;
  free(*place);
  *place = (char *)malloc(length + 1);
  for (size_t i = 0; i < length; i++) (*place)[i] = (char)(left ? 1 + byte() % 255 : 'x');
  (*place)[length] = 0;
  return *place;
}

/* The caller's strings must end within their buffers. */
#define HOLDS(place) require(memchr((place), 0, sizeof(place)) != NULL, "a string without its end")

/* The library ------------------------------------------------------------------------------------------------------ */

struct connection {
  int is_open, has_ended;
  jacquard_connection_callback on_state;
  jacquard_gesture_callback on_gesture;
  jacquard_touch_callback on_touch;
  jacquard_battery_event_callback on_battery;
  jacquard_name_callback on_name;
  jacquard_gear_callback on_gear;
  void *user_data;
};

static struct {
  int ready[3]; /* which descriptors are ready: the loop's, the session's */
  int open;     /* the number of open descriptors of the session */
  void *(*run)(void *);
  void *argument;
  jmp_buf idle; /* where the session's thread would wait */
  void (*step)(void *subject);
  void *subject;
  int status; /* the status of dispatch */
  int tags, components; /* references that the layer holds */
  int pending;          /* requests and scans that it has not released */
  unsigned calls;
  struct connection connections[CONNECTIONS];
} library;

static jacquard_error last_error;
static jacquard_tag_info tag_info;
static jacquard_component_info component_info;

/* Runs the session's thread until it waits, or ends. */
static void run_thread(void) {
  if (setjmp(library.idle) == 0) library.run(library.argument);
}

static int input_poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  int ready = 0;
  require(timeout == -1, "the loop wakes up by itself");
  for (nfds_t i = 0; i < count; i++) {
    descriptors[i].revents = library.ready[descriptors[i].fd] ? POLLIN : 0;
    ready += descriptors[i].revents != 0;
  }
  if (ready == 0) longjmp(library.idle, 1);
  return ready;
}

static int input_eventfd(unsigned count, int flags) {
  (void)count, (void)flags;
  library.open++;
  return SESSION;
}

static int input_eventfd_write(int descriptor, eventfd_t count) {
  (void)count;
  library.ready[descriptor] = 1;
  return 0;
}

static int input_eventfd_read(int descriptor, eventfd_t *count) {
  *count = (eventfd_t)library.ready[descriptor];
  library.ready[descriptor] = 0;
  return *count ? 0 : -1;
}

static int input_close(int descriptor) {
  (void)descriptor;
  library.open--;
  return 0;
}

static int input_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  (void)condition, (void)mutex, (void)until;
  return ETIMEDOUT;
}

static int input_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  (void)attributes;
  memset(thread, 0, sizeof *thread);
  library.run = run, library.argument = argument;
  return 0;
}

static int input_join(pthread_t thread, void **result) {
  (void)thread, (void)result;
  run_thread();
  return 0;
}

/* Runs something on the loop. */
static void on_loop(void (*step)(void *), void *subject) {
  library.step = step, library.subject = subject;
  library.ready[LOOP] = 1;
  run_thread();
}

static const jacquard_error *any_error(void) {
  static const int codes[] = {JACQUARD_ERROR_STALE_TAG, JACQUARD_ERROR_TIMEOUT, JACQUARD_ERROR_CLOSED,
                              JACQUARD_ERROR_TAG_STATUS, JACQUARD_ERROR_NO_ADAPTER};
  memset(&last_error, 0, sizeof last_error);
  last_error.code = codes[byte() % 5];
  last_error.att_code = (int)byte();
  last_error.message = text();
  last_error.advice = text();
  return &last_error;
}

/* A status, usually 0. */
static int accepted(void) {
  library.calls++;
  return byte() > 230 ? any_error()->code : 0;
}

const jacquard_error *jacquard_last_error(void) { return last_error.code ? &last_error : NULL; }
const char *jacquard_status_text(int status) { return status ? "It failed." : ""; }
const char *jacquard_phase_name(uint32_t phase) { return phase ? "connecting" : "disconnected"; }

int jacquard_manager_new(const jacquard_manager_options *options, jacquard_manager **manager) {
  (void)options;
  int status = accepted();
  if (status == 0) *manager = (jacquard_manager *)&library;
  return status;
}

jacquard_manager *jacquard_manager_unref(jacquard_manager *manager) { return (void)manager, NULL; }
int jacquard_manager_get_fd(jacquard_manager *manager) { return (void)manager, LOOP; }

int jacquard_manager_dispatch(jacquard_manager *manager) {
  eventfd_t count;
  (void)manager;
  if (eventfd_read(LOOP, &count) != 0) return 0;
  library.step(library.subject);
  return library.status;
}

jacquard_tag *jacquard_tag_ref(jacquard_tag *tag) {
  if (tag) library.tags++;
  return tag;
}

jacquard_tag *jacquard_tag_unref(jacquard_tag *tag) {
  if (tag) library.tags--;
  return NULL;
}

jacquard_component *jacquard_component_ref(jacquard_component *component) {
  if (component) library.components++;
  return component;
}

jacquard_component *jacquard_component_unref(jacquard_component *component) {
  if (component) library.components--;
  return NULL;
}

int jacquard_tag_get_component(jacquard_tag *tag, jacquard_component **component) {
  int status = tag ? accepted() : JACQUARD_ERROR_INVALID_ARGUMENT;
  if (status == 0) *component = jacquard_component_ref((jacquard_component *)&component_info);
  return status;
}

int jacquard_tag_get_info(jacquard_tag *tag, const jacquard_tag_info **info) {
  (void)tag;
  tag_info.identifier = text(), tag_info.name = text(), tag_info.serial = text(), tag_info.model = "UJT";
  *info = &tag_info;
  return accepted();
}

int jacquard_component_get_info(jacquard_component *component, const jacquard_component_info **info) {
  (void)component;
  component_info.vendor = text(), component_info.product = text();
  *info = &component_info;
  return byte() > 230 ? JACQUARD_ERROR_INVALID_HANDLE : 0;
}

/* Connections */

static struct connection *made; /* the connection that a step affects */

static void report_state(void *subject) {
  jacquard_connection_state state;
  const uint32_t *phase = (const uint32_t *)subject;
  memset(&state, 0, sizeof state);
  state.phase = *phase;
  state.step = byte() % 15, state.total_steps = 14, state.attempt = byte();
  state.tag = *phase == JACQUARD_PHASE_CONNECTED ? (jacquard_tag *)&tag_info : NULL;
  state.reason = *phase != JACQUARD_PHASE_CONNECTED && byte() > 100 ? any_error() : NULL;
  state.identifier = "";
  made->has_ended |= *phase == JACQUARD_PHASE_DISCONNECTED;
  made->on_state(&state, made->user_data);
}

static void report_phase(struct connection *connection, uint32_t phase) {
  if (!connection->is_open || connection->has_ended) return;
  made = connection;
  on_loop(report_state, &phase);
}

static int open_connection(jacquard_connection_callback on_state, void *user_data, jacquard_connection **connection) {
  int index = 0, status = accepted();
  if (status != 0) return status;
  while (index < CONNECTIONS && library.connections[index].is_open) index++;
  require(index < CONNECTIONS, "a connection was not released");
  struct connection *self = &library.connections[index];
  memset(self, 0, sizeof *self);
  self->is_open = 1, self->on_state = on_state, self->user_data = user_data;
  *connection = (jacquard_connection *)self;
  for (unsigned count = byte() % 4; count > 0; count--) report_phase(self, byte() % 7);
  if (byte() < 200) report_phase(self, JACQUARD_PHASE_CONNECTED);
  return 0;
}

int jacquard_manager_connect(jacquard_manager *manager, const char *identifier, const jacquard_connect_options *options,
                             jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_connection **connection) {
  (void)manager, (void)identifier, (void)destroy;
  require(options->timeout_ms > 0, "a time-out became the library's default");
  return open_connection(on_state, user_data, connection);
}

int jacquard_manager_bind(jacquard_manager *manager, const char *identifier, const jacquard_bind_options *options,
                          jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                          jacquard_connection **connection) {
  (void)manager, (void)identifier, (void)destroy;
  require(options->timeout_ms > 0, "a time-out became the library's default");
  return open_connection(on_state, user_data, connection);
}

jacquard_connection *jacquard_connection_unref(jacquard_connection *connection) {
  if (connection) ((struct connection *)connection)->is_open = 0;
  return NULL;
}

int jacquard_connection_disconnect(jacquard_connection *connection) {
  report_phase((struct connection *)connection, JACQUARD_PHASE_DISCONNECTED);
  return 0;
}

#define SUBSCRIBE(event, type)                                                                                         \
  int jacquard_connection_on_##event(jacquard_connection *connection, type callback, void *user_data,                  \
                                     jacquard_destroy_callback destroy, jacquard_subscription **subscription) {        \
    (void)user_data, (void)destroy, (void)subscription;                                                                \
    ((struct connection *)connection)->on_##event = callback;                                                          \
    return accepted();                                                                                                 \
  }
SUBSCRIBE(gesture, jacquard_gesture_callback)
SUBSCRIBE(touch, jacquard_touch_callback)
SUBSCRIBE(battery, jacquard_battery_event_callback)
SUBSCRIBE(name, jacquard_name_callback)
SUBSCRIBE(gear, jacquard_gear_callback)

/* Events, while the caller is subscribed. */
static void report_event(void *subject) {
  jacquard_gesture gesture = {NULL, byte(), 0, text(), 0};
  jacquard_battery battery = {byte(), byte()};
  jacquard_battery_event charge = {NULL, &battery};
  jacquard_name name = {NULL, text()};
  jacquard_gear gear = {NULL, byte() & 1 ? (jacquard_component *)&component_info : NULL};
  jacquard_touch touch;
  unsigned kind = byte() % 5, count = byte() > 250 ? 300 : 1;
  (void)subject;
  memset(&touch, 7, sizeof touch);
  for (; count > 0; count--) {
    if (kind == 0 && made->on_gesture) made->on_gesture(&gesture, made->user_data);
    if (kind == 1 && made->on_touch) made->on_touch(&touch, made->user_data);
    if (kind == 2 && made->on_battery) made->on_battery(&charge, made->user_data);
    if (kind == 3 && made->on_name) made->on_name(&name, made->user_data);
    if (kind == 4 && made->on_gear) made->on_gear(&gear, made->user_data);
  }
}

/* Requests and scans */

struct request {
  jacquard_done_callback on_done;
  jacquard_battery_callback on_battery;
  jacquard_known_tags_callback on_known;
  jacquard_advertisement_callback on_found;
  jacquard_scan_end_callback on_end;
  void *user_data;
};

static void complete_request(void *subject) {
  struct request *self = (struct request *)subject;
  const jacquard_error *error = byte() > 180 ? any_error() : NULL;
  jacquard_battery battery = {byte(), 1};
  jacquard_known_tag known[5];
  const jacquard_known_tag *all[5];
  unsigned count = byte() % 6;
  memset(known, 0, sizeof known);
  for (unsigned i = 0; i < count; i++) {
    known[i].identifier = text(), known[i].name = text(), known[i].owner = text();
    known[i].serial = known[i].address = "";
    all[i] = &known[i];
  }
  if (self->on_done) self->on_done(error, self->user_data);
  if (self->on_battery) self->on_battery(error ? NULL : &battery, error, self->user_data);
  if (self->on_known) self->on_known(error ? NULL : all, error ? 0 : count, error, self->user_data);
  for (unsigned i = 0; self->on_found && i < count; i++) {
    jacquard_advertisement found = {NULL, NULL, known[i].identifier, known[i].owner, known[i].name, "", -40, 0, 1, 0};
    self->on_found(&found, self->user_data);
  }
  if (self->on_end && byte() > 128) {
    jacquard_scan_result result = {NULL, NULL, JACQUARD_SCAN_END_ERROR, 0, error};
    self->on_end(&result, self->user_data);
  }
}

static int request(struct request self, void **handle) {
  int status = accepted();
  if (status != 0) return status;
  library.pending++;
  *handle = &library;
  if (byte() < 200) on_loop(complete_request, &self);
  return 0;
}

#define REQUEST(name, parameters, ...)                                                                                 \
  int name parameters {                                                                                                \
    struct request self = {__VA_ARGS__, .user_data = user_data};                                                       \
    return request(self, (void **)request_);                                                                           \
  }
#define OPTIONS const jacquard_request_options *options
#define OUTPUT void *user_data, jacquard_destroy_callback destroy, jacquard_request **request_
REQUEST(jacquard_tag_read_battery, (jacquard_tag *tag, OPTIONS, jacquard_battery_callback callback, OUTPUT),
        .on_battery = callback)
REQUEST(jacquard_tag_rename, (jacquard_tag *tag, const char *name, OPTIONS, jacquard_done_callback callback, OUTPUT),
        .on_done = callback)
REQUEST(jacquard_component_play_led, (jacquard_component *component, const jacquard_led_pattern *pattern, OPTIONS,
                                      jacquard_done_callback callback, OUTPUT), .on_done = callback)
REQUEST(jacquard_component_play_haptic, (jacquard_component *component, const jacquard_haptic *haptic, OPTIONS,
                                         jacquard_done_callback callback, OUTPUT), .on_done = callback)
REQUEST(jacquard_component_set_touch_mode, (jacquard_component *component, uint32_t mode, OPTIONS,
                                            jacquard_done_callback callback, OUTPUT), .on_done = callback)
REQUEST(jacquard_manager_list_known, (jacquard_manager *manager, const jacquard_list_known_options *options,
                                      jacquard_known_tags_callback callback, OUTPUT), .on_known = callback)
REQUEST(jacquard_manager_unbind, (jacquard_manager *manager, const char *identifier,
                                  const jacquard_unbind_options *options, jacquard_done_callback callback, OUTPUT),
        .on_done = callback)

int jacquard_manager_scan(jacquard_manager *manager, const jacquard_scan_options *options,
                          jacquard_advertisement_callback on_advertisement, jacquard_scan_end_callback on_end,
                          void *user_data, jacquard_destroy_callback destroy, jacquard_scan **scan) {
  struct request self = {.on_found = on_advertisement, .on_end = on_end, .user_data = user_data};
  (void)manager, (void)options, (void)destroy;
  return request(self, (void **)scan);
}

static void released(void *handle) {
  if (handle) library.pending--;
}

jacquard_request *jacquard_request_unref(jacquard_request *request) { return released(request), NULL; }
jacquard_scan *jacquard_scan_unref(jacquard_scan *scan) { return released(scan), NULL; }

/* The caller ------------------------------------------------------------------------------------------------------- */

static jb_session *session;
static jb_tag *tags[MOST_TAGS];

/* After an error of an earlier call, a function must do nothing. */
static void check_error(const jb_error *before, const jb_error *after, unsigned calls) {
  require(before->code == 0 || library.calls == calls, "something was done in spite of an error");
  require(before->code == 0 || memcmp(before, after, sizeof *after) == 0, "the first error was lost");
  HOLDS(after->what);
  HOLDS(after->message);
  HOLDS(after->advice);
}

static void call_connection(jb_tag **place, int timeout, jb_error *error) {
  jacquard_profile_entry entry = {"key", "value"};
  if (*place) jb_disconnect(*place), *place = NULL;
  else if (byte() & 1) *place = jb_connect(session, text(), timeout, error);
  else *place = jb_bind(session, text(), "01ZK", NULL, &entry, 1, timeout, error);
  require(!*place || !error || error->code == 0, "connected with an error");
}

static void call_finding(int timeout, jb_error *error) {
  jb_found found[3];
  jb_known known[3];
  size_t room = byte() % 4, count = 0;
  if (byte() & 1) {
    count = jb_find_all(session, found, room, timeout, error);
    require(count <= room, "more tags than there is room");
    for (size_t i = 0; i < count; i++) HOLDS(found[i].name);
  } else if (byte() & 1) {
    found[0] = jb_find(session, NULL, timeout, error);
    HOLDS(found[0].identifier);
    HOLDS(found[0].serial);
  } else {
    count = jb_list_known(session, known, room, timeout, error);
    for (size_t i = 0; i < count && i < room; i++) HOLDS(known[i].owner);
  }
}

static void call_events(jb_tag *tag, int timeout, jb_error *error) {
  jb_event event;
  int fetched;
  memset(&event, 0, sizeof event);
  fetched = jb_next(tag, byte() & JB_ANYTHING, timeout, &event, error);
  require(fetched == (event.kind != 0), "an event without a kind");
  HOLDS(event.gesture.name);
  HOLDS(event.gear.vendor);
  HOLDS(event.name);
}

static void call_command(jb_tag *tag, int timeout, jb_error *error) {
  jacquard_haptic haptic = JACQUARD_HAPTIC_INIT;
  jb_part part = (jb_part)(byte() & 1);
  int performed = 0, known = 1;
  jb_error before = error ? *error : (jb_error)JB_ERROR_INIT;
  jb_info info;
  switch (byte() % 8) {
    case 0: performed = jb_light(tag, part, 0xff0000, 10, timeout, error); break;
    case 1: performed = jb_haptic(tag, &haptic, timeout, error); break;
    case 2: performed = jb_touch_mode(tag, JACQUARD_TOUCH_MODE_CONTINUOUS, timeout, error); break;
    case 3: performed = jb_rename(tag, text(), timeout, error); break;
    case 4: performed = jb_unbind(session, text(), timeout, error); break;
    case 5: performed = jb_connected(tag, timeout, error); break;
    case 6:
      info = jb_tag_info(tag, timeout, error);
      HOLDS(info.name);
      HOLDS(info.serial);
      known = 0;
      break;
    default:
      jb_battery(tag, timeout, error);
      known = 0;
  }
  if (known && error) require((error->code == 0) == performed || before.code, "neither done nor failed");
}

static void call(void) {
  static jb_error kept;
  jb_error before, *error = byte() > 20 ? &kept : NULL;
  jb_tag **place = &tags[byte() % MOST_TAGS];
  unsigned calls = library.calls, what = byte() % 16;
  int timeout = byte() > 250 ? 1 : 0;
  struct connection *connection = &library.connections[byte() % CONNECTIONS];
  if (byte() < 200) jb_clear(&kept);
  before = kept;
  switch (what) {
    case 0:
    case 1:
      if (!before.code || !error) call_connection(place, timeout, error);
      return;
    case 2: call_finding(timeout, error); break;
    case 3:
    case 4: call_events(*place, timeout, error); break;
    case 5:
      jb_interrupt(session);
      run_thread();
      return;
    case 6:
    case 7: jb_resume(session); return;
    case 8: (void)jb_wait_for_gear(*place, timeout, error); break;
    case 9:
    case 10:
    case 11:
      made = connection;
      if (connection->is_open && !connection->has_ended) on_loop(report_event, NULL);
      return;
    case 12: report_phase(connection, byte() % 7); return;
    default: call_command(*place, timeout, error);
  }
  if (error) check_error(&before, error, calls);
}

/* The entry point for libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jb_error error = JB_ERROR_INIT;
  rest = bytes, left = size;
  memset(&library, 0, sizeof library);
  memset(&last_error, 0, sizeof last_error);
  session = jb_open(NULL, &error);
  require((session != NULL) == (error.code == 0), "neither opened nor failed");
  memset(tags, 0, sizeof tags);
  for (int calls = 0; session && left > 0 && calls < 200; calls++) call();
  jb_close(session);
  require(library.tags == 0 && library.components == 0, "a reference was not released");
  require(library.pending == 0, "a request was not released");
  for (int i = 0; i < CONNECTIONS; i++) require(!library.connections[i].is_open, "a connection was not released");
  while (text_count > 0) {
    char **place = &texts[--text_count % MOST_TEXTS];
    free(*place);
    *place = NULL;
  }
  require(library.open == 0, "a descriptor is left");
  return 0;
}
