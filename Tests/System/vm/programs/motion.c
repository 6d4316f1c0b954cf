/*
 * motion ADAPTER download FILE [TIMES]     downloads the tag's first recording, and continues FILE if there is one;
 *                                          with TIMES, downloads it that often to the beginning of FILE. Prints its
 *                                          size, and for each time the kB/s between the first and the last packet
 * motion ADAPTER stream HERTZ SAMPLES      prints what it received when it has that many samples
 *
 * Both print the state of the adapter. With $TAG they use the tag with this serial number.
 */
#include <fcntl.h>
#include <jacquard.h>
#include <jacquard/motion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static jacquard_manager *manager;
static jacquard_connection *connection;
static jacquard_tag *tag;
static jacquard_request *stream;
static jacquard_motion_settings settings = JACQUARD_MOTION_SETTINGS_INIT;
static jacquard_session session = JACQUARD_SESSION_INIT;
static char texts[5][32];
static int file = -1, is_repeated, begun, done, failed;
static long times = 1, hertz, wanted;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const jacquard_error *error) {
  printf("%s: %s %s\n", jacquard_status_name(error->code), error->message, error->advice);
  failed = 1;
}

static void must(int status) {
  if (status < 0) fail(jacquard_last_error());
}

/* Whether a command was lost before the download began: the next link repeats it. */
static int is_lost(const jacquard_error *error) {
  if (!error) return 0;
  if (error->code != JACQUARD_ERROR_STALE_TAG && error->code != JACQUARD_ERROR_CONNECTION_LOST) fail(error);
  return 1;
}

/* Downloads -------------------------------------------------------------------------------------------------------- */

static double first, last;
static uint32_t received, expected;

static void start_download(void);

static int on_progress(const jacquard_download_data *progress, void *user_data) {
  (void)user_data;
  last = now();
  if (first == 0) {
    first = last;
    received = progress->received;
  }
  expected = progress->total;
  return 0;
}

static void on_download(const jacquard_download *download, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  printf("downloaded %u bytes, start value %d, %.2f kB/s\n", (unsigned)download->size, (int)download->checksum_seed,
         first < last ? (expected - received) / (last - first) / 1000 : 0);
  if (--times > 0) start_download();
  else done = 1;
}

static void start_download(void) {
  jacquard_download_options options = JACQUARD_DOWNLOAD_OPTIONS_INIT;
  options.to_descriptor = 1;
  options.descriptor = file;
  first = last = 0;
  begun = 1;
  if (is_repeated && ftruncate(file, 0) < 0) failed = 1;
  must(jacquard_connection_download_session(connection, &session, &options, on_progress, on_download, NULL, NULL,
                                            NULL));
}

static const char *copy(int index, const char *text) {
  snprintf(texts[index], sizeof texts[index], "%s", text);
  return texts[index];
}

static void on_sessions(const jacquard_session *const *sessions, size_t count, const jacquard_error *error,
                        void *user_data) {
  (void)user_data;
  if (is_lost(error) || begun) return;
  if (count == 0) {
    printf("there are no recordings\n");
    failed = 1;
    return;
  }
  /* The library's struct may be larger or smaller than that of this program. */
  uint32_t size = sessions[0]->struct_size < sizeof session ? sessions[0]->struct_size : sizeof session;
  memcpy(&session, sessions[0], size);
  session.struct_size = size;
  session.name = copy(0, session.name);
  session.campaign = copy(1, session.campaign);
  session.group = copy(2, session.group);
  session.subject = copy(3, session.subject);
  session.product = copy(4, session.product);
  start_download();
}

static void on_prepared(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (!is_lost(error) && tag) must(jacquard_tag_list_sessions(tag, NULL, on_sessions, NULL, NULL, NULL));
}

/* Streams ---------------------------------------------------------------------------------------------------------- */

static long samples, missing, uncertain;
static int64_t first_ticks, last_ticks;
static double rate;

static void on_motion(const jacquard_motion_event *event, void *user_data) {
  (void)user_data;
  if (event->type == JACQUARD_MOTION_EVENT_GAP) {
    missing += (long)event->missing;
    uncertain += (long)event->missing_uncertainty;
  }
  for (size_t i = 0; i < event->count; i++) {
    if (samples++ == 0) first_ticks = event->samples[i].ticks;
    else if (event->samples[i].ticks <= last_ticks) {
      printf("%lld comes after %lld\n", (long long)event->samples[i].ticks, (long long)last_ticks);
      failed = 1;
    }
    last_ticks = event->samples[i].ticks;
  }
  if (event->count) rate = event->samples_per_second;
}

static void on_end(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) fail(error);
}

static void end_stream(void) {
  printf("%ld samples, %ld missing (%ld uncertain), of %.0f; %.1f a second\n", samples, missing, uncertain,
         (double)(last_ticks - first_ticks) * (double)hertz / 31250 + 1, rate);
  /* Nothing waits for the tag: the end of the manager sends it the last requests. */
  must(jacquard_request_cancel(stream));
  stream = jacquard_request_unref(stream);
  done = 1;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) printf("connected\n");
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
  jacquard_tag_unref(tag);
  tag = jacquard_tag_ref(state->tag);
  if (!tag || hertz || begun) return;
  must(jacquard_tag_prepare_motion(tag, NULL, on_prepared, NULL, NULL, NULL));
}

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)user_data;
  printf("adapter %s\n", jacquard_adapter_state_name(adapter->state));
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  const char *serial = getenv("TAG");
  if (connection || (serial && strcmp(serial, found->serial) != 0)) return;
  jacquard_scan_stop(found->scan);
  must(jacquard_manager_connect(manager, found->identifier, NULL, on_state, NULL, NULL, &connection));
  if (hertz) must(jacquard_connection_stream_motion(connection, &settings, on_motion, on_end, NULL, NULL, &stream));
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  if (strcmp(arguments[2], "stream") == 0 && count == 5) {
    hertz = strtol(arguments[3], NULL, 10);
    wanted = strtol(arguments[4], NULL, 10);
    settings.accelerometer_rate = settings.gyroscope_rate = (double)hertz;
  } else {
    file = open(arguments[3], O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return 2;
    is_repeated = count > 4;
    if (is_repeated) times = strtol(arguments[4], NULL, 10);
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.adapter = arguments[1];
  must(jacquard_manager_new(&options, &manager));
  if (!failed) must(jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL));
  if (!failed) must(jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL));
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!failed && !done && poll(&loop, 1, -1) >= 0) {
    must(jacquard_manager_dispatch(manager));
    if (stream && samples >= wanted) end_stream();
  }
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return failed;
}
