/* A program that shares a tag: `member IDENTIFIER NUMBER WORD...`. It reports what happens in lines with their time.
 *
 *   state PHASE SERVICE REASON       gesture NUMBER          light NUMBER CODE
 *   sent NUMBER                      download CODE          dropped COUNT
 *   streaming                        stream CODE            missing COUNT
 *   update CODE
 *
 * lights: plays light patterns, each different; lights=MS: with this pause instead of 10 ms. limit=MS: the time limit
 * of each. exclusive: does not share. bind=CODE: binds the tag. log: writes the library's log to standard error.
 *
 * Each line of its standard input is a file: the tag's first session is downloaded to it, one file after another. The
 * line "stream" starts a motion stream, "stop" stops it; "dark" stops the light patterns, "lights" starts them again;
 * "update MINOR" installs the firmware 1.MINOR.0. It ends when its standard input ends.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static jacquard_connection *connection;
static jacquard_tag *tag;
static int number, plays, is_waiting, light;
static int pause_ms = 10;
static jacquard_request_options light_options = JACQUARD_REQUEST_OPTIONS_INIT;
static long long next_light;

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void say(const char *line) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%lld.%06ld %s\n", (long long)now.tv_sec, now.tv_nsec / 1000, line);
}

static void require(int status, const char *what) {
  if (status == JACQUARD_OK) return;
  fprintf(stderr, "%s: %d\n", what, status);
  exit(1);
}

static void on_log(const jacquard_log *log, void *user_data) {
  long long now = now_ms();
  (void)user_data;
  fprintf(stderr, "%lld.%03d member %d: %s\n", now / 1000, (int)(now % 1000), number, log->message);
}

/* Downloads -------------------------------------------------------------------------------------------------------- */

/* The file, and the tag that was asked for its sessions. */
static int file = -1, is_downloading;
static jacquard_tag *asked;

static void ask_for_sessions(void);

static void end_download(const jacquard_error *error) {
  char line[40];
  int code = error ? (int)error->code : 0;
  if (error) fprintf(stderr, "member %d cannot download: %s\n", number, error->message);
  snprintf(line, sizeof line, "download %d", code);
  say(line);
  close(file);
  file = -1;
  is_downloading = 0;
}

static void on_download(const jacquard_download *download, const jacquard_error *error, void *user_data) {
  (void)download, (void)user_data;
  end_download(error);
}

/* The next link repeats requests that were lost with the last one. */
static int failed(const jacquard_error *error) {
  jacquard_tag *last = asked;
  if (!error) return 0;
  asked = NULL;
  if (error->code != JACQUARD_ERROR_STALE_TAG && error->code != JACQUARD_ERROR_CONNECTION_LOST)
    end_download(error);
  else if (tag != last)
    ask_for_sessions();
  jacquard_tag_unref(last);
  return 1;
}

static void on_sessions(const jacquard_session *const *sessions, size_t count, const jacquard_error *error,
                        void *user_data) {
  jacquard_download_options options = JACQUARD_DOWNLOAD_OPTIONS_INIT;
  (void)user_data;
  if (failed(error)) return;
  asked = jacquard_tag_unref(asked);
  require(count == 0, "the number of sessions");
  options.to_descriptor = 1;
  options.descriptor = file;
  is_downloading = 1;
  require(jacquard_connection_download_session(connection, sessions[0], &options, NULL, on_download, NULL, NULL, NULL),
          "download");
}

static void on_prepared(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (!failed(error)) require(jacquard_tag_list_sessions(asked, NULL, on_sessions, NULL, NULL, NULL), "sessions");
}

/* Without a tag, the next state calls this again. */
static void ask_for_sessions(void) {
  if (file < 0 || is_downloading || asked || !tag) return;
  asked = jacquard_tag_ref(tag);
  require(jacquard_tag_prepare_motion(asked, NULL, on_prepared, NULL, NULL, NULL), "motion");
}

/* Streams ---------------------------------------------------------------------------------------------------------- */

static jacquard_request *stream;
static int has_samples;

static void on_motion(const jacquard_motion_event *event, void *user_data) {
  char line[40];
  (void)user_data;
  if (event->type == JACQUARD_MOTION_EVENT_SAMPLES && !has_samples) say("streaming");
  has_samples |= event->type == JACQUARD_MOTION_EVENT_SAMPLES;
  if (event->type != JACQUARD_MOTION_EVENT_GAP) return;
  snprintf(line, sizeof line, "missing %u", (unsigned)event->missing);
  say(line);
}

static void on_stream_end(const jacquard_error *error, void *user_data) {
  char line[40];
  (void)user_data;
  snprintf(line, sizeof line, "stream %d", (int)error->code);
  say(line);
  stream = jacquard_request_unref(stream);
}

static void start_stream(void) {
  has_samples = 0;
  require(jacquard_connection_stream_motion(connection, NULL, on_motion, on_stream_end, NULL, NULL, &stream), "stream");
}

/* Updates ---------------------------------------------------------------------------------------------------------- */

static void on_update(const jacquard_update_result *const *results, size_t count, const jacquard_error *error,
                      void *user_data) {
  char line[40];
  (void)results, (void)count, (void)user_data;
  if (error) fprintf(stderr, "member %d cannot update: %s\n", number, error->message);
  snprintf(line, sizeof line, "update %d", error ? (int)error->code : 0);
  say(line);
}

static void update(uint32_t minor) {
  static const uint8_t bytes[4000];
  jacquard_firmware_source source = JACQUARD_FIRMWARE_SOURCE_INIT;
  jacquard_firmware *firmware = NULL;
  source.data = bytes;
  source.data_size = sizeof bytes;
  source.identified = 1;
  source.vendor_id = 0x117830c8;
  source.product_id = 0x283be7a0;
  source.version[0] = 1;
  source.version[1] = minor;
  require(jacquard_firmware_new(&source, &firmware), "firmware");
  require(jacquard_connection_update_firmware(connection, &firmware, 1, NULL, NULL, on_update, NULL, NULL, NULL),
          "update");
  jacquard_firmware_unref(firmware);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Returns 0 at the end of the input. */
static int read_line(void) {
  static char name[512];
  static size_t length;
  char byte;
  if (read(STDIN_FILENO, &byte, 1) != 1) return 0;
  if (byte != '\n') {
    if (length + 1 < sizeof name) name[length++] = byte;
    return 1;
  }
  name[length] = 0;
  length = 0;
  if (strcmp(name, "stream") == 0 || strcmp(name, "stop") == 0) {
    stream = jacquard_request_unref(stream);
    if (strcmp(name, "stream") == 0) start_stream();
    return 1;
  }
  if (strcmp(name, "dark") == 0 || strcmp(name, "lights") == 0) {
    plays = strcmp(name, "lights") == 0;
    return 1;
  }
  if (strncmp(name, "update ", 7) == 0) {
    update((uint32_t)atoi(name + 7));
    return 1;
  }
  file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) require(JACQUARD_ERROR_SYSTEM, name);
  ask_for_sessions();
  return 1;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void on_state(const jacquard_connection_state *state, void *user_data) {
  char line[80];
  (void)user_data;
  snprintf(line, sizeof line, "state %d %d %d", (int)state->phase, (int)state->service_process,
           state->reason ? (int)state->reason->code : 0);
  say(line);
  jacquard_tag_unref(tag);
  tag = state->tag ? jacquard_tag_ref(state->tag) : NULL;
  ask_for_sessions();
}

/* Events that were dropped since the last gesture, for example because this program was too slow. */
static void report_drops(void) {
  static uint64_t reported;
  jacquard_counters counters = {.struct_size = sizeof counters};
  char line[40];
  uint64_t dropped;
  if (jacquard_connection_get_counters(connection, &counters) < 0) return;
  dropped = counters.dropped_notifications + counters.dropped_fragments;
  if (dropped == reported) return;
  snprintf(line, sizeof line, "dropped %u", (unsigned)(dropped - reported));
  reported = dropped;
  say(line);
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  char line[40];
  (void)user_data;
  report_drops();
  snprintf(line, sizeof line, "gesture %u", (unsigned)gesture->type);
  say(line);
}

static void on_light(const jacquard_error *error, void *user_data) {
  char line[40];
  (void)user_data;
  is_waiting = 0;
  next_light = now_ms() + pause_ms;
  snprintf(line, sizeof line, "light %d %d", light, error ? (int)error->code : 0);
  say(line);
}

/* The colour is the member, the duration of the frame is the number of the pattern. */
static void play_light(void) {
  char line[40];
  jacquard_led_frame frame = {0, 0, 0, 0, 0};
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  jacquard_component *component = NULL;
  if (!tag || is_waiting || now_ms() < next_light) return;
  require(jacquard_tag_get_component(tag, &component), "component");
  frame.red = (uint8_t)(number & 0xff);
  frame.green = (uint8_t)(number >> 8);
  frame.duration_ms = (uint32_t)++light;
  pattern.frames = &frame;
  pattern.frame_count = 1;
  is_waiting = 1;
  snprintf(line, sizeof line, "sent %d", light);
  say(line);
  require(jacquard_component_play_led(component, &pattern, &light_options, on_light, NULL, NULL, NULL), "light");
  jacquard_component_unref(component);
}

static int connect_or_bind(jacquard_manager *manager, const char *identifier, const char *code) {
  jacquard_bind_options options = JACQUARD_BIND_OPTIONS_INIT;
  options.code = code;
  if (!code) return jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, NULL, &connection);
  return jacquard_manager_bind(manager, identifier, &options, on_state, NULL, NULL, &connection);
}

int main(int count, char **arguments) {
  const char *code = NULL;
  jacquard_manager_options manager_options = JACQUARD_MANAGER_OPTIONS_INIT;
  jacquard_manager *manager = NULL;
  struct pollfd files[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};
  int logs = 0;
  if (count < 3) return 2;
  number = atoi(arguments[2]);
  for (int i = 3; i < count; i++) {
    plays |= strncmp(arguments[i], "lights", 6) == 0;
    if (strncmp(arguments[i], "lights=", 7) == 0) pause_ms = atoi(arguments[i] + 7);
    if (strncmp(arguments[i], "limit=", 6) == 0) light_options.timeout_ms = (uint32_t)atoi(arguments[i] + 6);
    manager_options.exclusive |= strcmp(arguments[i], "exclusive") == 0;
    if (strncmp(arguments[i], "bind=", 5) == 0) code = arguments[i] + 5;
    logs |= strcmp(arguments[i], "log") == 0;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  require(jacquard_manager_new(&manager_options, &manager), "manager");
  if (logs) require(jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_INFO, on_log, NULL, NULL, NULL), "log");
  require(connect_or_bind(manager, arguments[1], code), "connection");
  require(jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, NULL), "gestures");
  files[0].fd = jacquard_manager_get_fd(manager);
  while (!files[1].revents || read_line()) {
    if (plays) play_light();
    if (poll(files, 2, plays ? pause_ms : -1) > 0 && files[0].revents)
      require(jacquard_manager_dispatch(manager), "dispatch");
  }
  jacquard_request_unref(stream);
  jacquard_tag_unref(asked);
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return 0;
}
