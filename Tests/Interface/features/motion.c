/* Motion: recording, sessions, downloads and streams. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static struct outcome last;

typedef int (*verb)(jacquard_tag *, const jacquard_request_options *, jacquard_done_callback, void *,
                    jacquard_destroy_callback, jacquard_request **);

static int act(verb verb) {
  memset(&last, 0, sizeof last);
  return finish(&last, verb(tag, NULL, on_done, &last, on_destroy, NULL));
}

static jacquard_session named(const char *name) {
  jacquard_session session = JACQUARD_SESSION_INIT;
  session.name = name;
  return session;
}

static int record(const char *name, const jacquard_motion_settings *settings) {
  jacquard_session session = named(name);
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_tag_start_recording(tag, &session, settings, NULL, on_done, &last, on_destroy, NULL));
}

struct reading {
  struct outcome outcome;
  int activity;
  uint32_t code;
  char text[32];
};

static void on_status(const jacquard_motion_status *status, const jacquard_error *error, void *user_data) {
  struct reading *reading = user_data;
  EXPECT(!error == !!status);
  if (status) {
    reading->activity = status->activity;
    reading->code = status->code;
    snprintf(reading->text, sizeof reading->text, "%s", status->text);
  }
  note_error(&reading->outcome, error);
}

static struct reading read_status(void) {
  struct reading reading = {.activity = -1};
  EXPECT_NUMBER(JACQUARD_OK, finish(&reading.outcome, jacquard_tag_read_motion_status(tag, NULL, on_status, &reading,
                                                                                     on_destroy, NULL)));
  return reading;
}

/* The sessions on the tag; their texts are copied. */
struct list {
  struct outcome outcome;
  size_t count;
  jacquard_session sessions[8];
  char texts[8][5][32];
};

static const char *copy(char *to, const char *text) {
  snprintf(to, 32, "%s", text);
  return to;
}

static void on_list(const jacquard_session *const *sessions, size_t count, const jacquard_error *error,
                    void *user_data) {
  struct list *list = user_data;
  list->count = count;
  for (size_t i = 0; i < count && i < 8; i++) {
    COPY(&list->sessions[i], sessions[i]);
    list->sessions[i].name = copy(list->texts[i][0], sessions[i]->name);
    list->sessions[i].campaign = copy(list->texts[i][1], sessions[i]->campaign);
    list->sessions[i].group = copy(list->texts[i][2], sessions[i]->group);
    list->sessions[i].subject = copy(list->texts[i][3], sessions[i]->subject);
    list->sessions[i].product = copy(list->texts[i][4], sessions[i]->product);
  }
  note_error(&list->outcome, error);
}

static struct list list_sessions(void) {
  static struct list list;
  memset(&list, 0, sizeof list);
  EXPECT_NUMBER(JACQUARD_OK,
                finish(&list.outcome, jacquard_tag_list_sessions(tag, NULL, on_list, &list, on_destroy, NULL)));
  return list;
}

/* Cancelling does not wait for the tag. */
static void await_idle(void) {
  for (int i = 0; i < 50 && read_status().activity != JACQUARD_MOTION_ACTIVITY_IDLE; i++) run_for(100);
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_IDLE, read_status().activity);
}

static void is_prepared_and_released(void) {
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_prepare_motion));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_prepare_motion));
  EXPECT_NUMBER(1, requests("load-module"));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_release_motion));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_release_motion));
  EXPECT_NUMBER(1, requests("unload-module"));
  tell("module missing");
  EXPECT_NUMBER(JACQUARD_ERROR_MODULE_MISSING, act(jacquard_tag_prepare_motion));
  tell("module installed");
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_prepare_motion));
}

static void is_recorded(void) {
  jacquard_motion_settings settings = JACQUARD_MOTION_SETTINGS_INIT;
  settings.accelerometer_rate = 100;
  settings.gyroscope_rate = 200;
  settings.accelerometer_range = 4;
  settings.gyroscope_range = 500;
  settings.filter = JACQUARD_MOTION_FILTER_OVERSAMPLING2;
  EXPECT_NUMBER(JACQUARD_OK, record("first", &settings));
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_RECORDING, read_status().activity);
  EXPECT_NUMBER(JACQUARD_ERROR_CAPTURE_IN_PROGRESS, record("second", NULL));
  run_for(300);
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_stop_motion));
  struct reading after = read_status();
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_IDLE, after.activity);
  EXPECT_NUMBER(0, after.code);
  EXPECT_TEXT("idle", after.text);
  struct list list = list_sessions();
  EXPECT_NUMBER(1, list.count);
  EXPECT_TEXT("first", list.texts[0][0]);
  EXPECT_TEXT("jacquard", list.texts[0][1]);
  EXPECT(list.sessions[0].size > 16 * 20);
}

static void refusals_have_their_errors(void) {
  tell("battery 49");
  EXPECT_NUMBER(JACQUARD_ERROR_LOW_BATTERY, record("none", NULL));
  tell("battery 90");
  tell("storage full");
  EXPECT_NUMBER(JACQUARD_ERROR_LOW_STORAGE, record("none", NULL));
  tell("storage free");
  tell("motion status 9");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, record("none", NULL));
  EXPECT_NUMBER(9, last.tag_status);
  struct reading reading = read_status();
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_FAILED, reading.activity);
  EXPECT_TEXT("IMU config write failed", reading.text);
  tell("motion status normal");
}

static int erase(const jacquard_session *session) {
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_tag_erase_session(tag, session, NULL, on_done, &last, on_destroy, NULL));
}

static void are_listed_and_erased(void) {
  for (int i = 0; i < 4; i++) tell("session number-%d samples 10", i);
  EXPECT_NUMBER(5, list_sessions().count);
  jacquard_session second = list_sessions().sessions[1];
  EXPECT_TEXT("jqCampaign", second.campaign);
  EXPECT_NUMBER(JACQUARD_OK, erase(&second));
  struct list list = list_sessions();
  EXPECT_NUMBER(4, list.count);
  EXPECT_TEXT("number-1", list.texts[1][0]);
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_erase_all_sessions));
  EXPECT_NUMBER(0, list_sessions().count);
}

/* The library's struct_size may be that of a later header: it then reads the bytes after the program's copy. */
static void is_passed_with_the_size_of_the_copy(void) {
  struct {
    jacquard_session session;
    uint32_t after[2];
  } kept;
  tell("session kept samples 10");
  struct list list = list_sessions();
  kept.session = list.sessions[0];
  kept.after[0] = kept.after[1] = 1;
#ifndef OF_ANOTHER_VERSION
  kept.session.struct_size = sizeof kept;
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, erase(&kept.session));
  EXPECT_NUMBER(1, list_sessions().count);
#endif
  kept.session.struct_size = list.sessions[0].struct_size;
  EXPECT_NUMBER(JACQUARD_OK, erase(&kept.session));
  EXPECT_NUMBER(0, list_sessions().count);
}

struct transfer {
  struct outcome outcome;
  uint8_t bytes[65536];
  size_t size;
  size_t limit;
  uint32_t size_at_end;
  int seed;
  int calls;
};

static int on_progress(const jacquard_download_data *progress, void *user_data) {
  struct transfer *transfer = user_data;
  if (transfer->size + progress->size > transfer->limit) return 1;
  memcpy(transfer->bytes + transfer->size, progress->data, progress->size);
  transfer->size += progress->size;
  EXPECT_NUMBER(transfer->size, progress->received);
  transfer->calls++;
  return 0;
}

static void on_download(const jacquard_download *download, const jacquard_error *error, void *user_data) {
  struct transfer *transfer = user_data;
  EXPECT(!error == !!download);
  if (download) {
    transfer->size_at_end = download->size;
    transfer->seed = download->checksum_seed;
  }
  note_error(&transfer->outcome, error);
}

static int download(const jacquard_session *session, const jacquard_download_options *options,
                    struct transfer *transfer) {
  memset(&transfer->outcome, 0, sizeof transfer->outcome);
  return finish(&transfer->outcome, jacquard_connection_download_session(connection, session, options, on_progress,
                                                                         on_download, transfer, on_destroy, NULL));
}

static void are_downloaded_in_parts(void) {
  static struct transfer transfer;
  tell("session a samples 200");
  jacquard_session session = list_sessions().sessions[0];
  jacquard_session unlisted = JACQUARD_SESSION_INIT;
  unlisted.name = "a";
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_connection_download_session(connection, &unlisted, NULL, on_progress, on_download, &transfer,
                                                     NULL, NULL));
  transfer.limit = 1600;
  EXPECT_NUMBER(JACQUARD_ERROR_SYSTEM, download(&session, NULL, &transfer));
  EXPECT(transfer.size > 0 && transfer.size <= 1600);
  jacquard_download_options options = JACQUARD_DOWNLOAD_OPTIONS_INIT;
  uint8_t received[1600];
  memcpy(received, transfer.bytes, transfer.size);
  options.received = received;
  options.received_size = transfer.size;
  transfer.limit = sizeof transfer.bytes;
  EXPECT_NUMBER(JACQUARD_OK, download(&session, &options, &transfer));
  EXPECT_NUMBER(session.size, transfer.size);
  EXPECT_NUMBER(session.size, transfer.size_at_end);
  EXPECT_NUMBER(0, transfer.seed);
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_IDLE, read_status().activity);
}

static void are_downloaded_to_a_file(void) {
  static struct transfer whole, rest, repeated, other;
  char path[] = "/tmp/jacquard-motion-XXXXXX";
  int file = mkstemp(path);
  EXPECT(file >= 0);
  jacquard_session session = list_sessions().sessions[0];
  whole.limit = rest.limit = repeated.limit = other.limit = sizeof whole.bytes;
  EXPECT_NUMBER(JACQUARD_OK, download(&session, NULL, &whole));
  jacquard_download_options options = JACQUARD_DOWNLOAD_OPTIONS_INIT;
  options.to_descriptor = 1;
  options.descriptor = file;
  /* Too few bytes to recognise the session, then half of it. */
  for (size_t part = 10; part < whole.size; part = part * 40) {
    EXPECT_NUMBER(part, pwrite(file, whole.bytes, part, 0));
    EXPECT_NUMBER(0, ftruncate(file, (off_t)part));
    rest.size = part < 100 ? 0 : part;
    EXPECT_NUMBER(JACQUARD_OK, download(&session, &options, &rest));
    uint8_t bytes[16384];
    EXPECT_NUMBER(whole.size, pread(file, bytes, sizeof bytes, 0));
    EXPECT(memcmp(bytes, whole.bytes, whole.size) == 0);
  }
  EXPECT_NUMBER(JACQUARD_OK, download(&session, &options, &repeated));
  EXPECT_NUMBER(0, repeated.calls);
  /* A file of another session is not changed. */
  tell("session b samples 300");
  session = list_sessions().sessions[1];
  EXPECT_NUMBER(JACQUARD_ERROR_DAMAGED_SESSION, download(&session, &options, &other));
  EXPECT_NUMBER(whole.size, lseek(file, 0, SEEK_END));
  close(file);
  unlink(path);
}

struct contents {
  jacquard_motion_settings settings;
  char name[32];
  jacquard_motion_writer *writer;
  size_t samples;
  int headers, actions, ends;
};

static void on_part(const jacquard_motion_part *part, void *user_data) {
  struct contents *contents = user_data;
  if (part->type == JACQUARD_MOTION_PART_HEADER) {
    contents->headers++;
    COPY(&contents->settings, part->settings);
    snprintf(contents->name, sizeof contents->name, "%s", part->session->name);
    EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_writer_new(part->session, part->settings, &contents->writer));
  } else if (part->type == JACQUARD_MOTION_PART_START) {
    contents->actions++;
    EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_writer_start(contents->writer, part->number));
  } else if (part->type == JACQUARD_MOTION_PART_SAMPLES) {
    contents->samples += part->count;
    EXPECT_NUMBER(2142, part->samples[0].acceleration[2]);
    EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_writer_add(contents->writer, part->samples, part->count));
  } else if (part->type == JACQUARD_MOTION_PART_END) {
    contents->ends++;
    EXPECT_NUMBER(1, part->number);
    EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_writer_end(contents->writer, part->number));
  }
}

static void is_read_and_written(void) {
  static struct transfer whole;
  struct contents contents = {.writer = NULL}, again = {.writer = NULL};
  jacquard_motion_reader *reader = NULL, *second = NULL;
  jacquard_session session = list_sessions().sessions[0];
  const uint8_t *bytes = NULL;
  size_t size = 0;
  uint64_t offset = 1;
  whole.limit = sizeof whole.bytes;
  whole.size = 0;
  EXPECT_NUMBER(JACQUARD_OK, download(&session, NULL, &whole));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_reader_new(NULL, &reader));
  EXPECT_NUMBER(JACQUARD_ERROR_DAMAGED_SESSION, jacquard_motion_reader_get_end(reader, NULL));
  for (size_t place = 0; place < whole.size; place += 7) {
    size_t count = whole.size - place < 7 ? whole.size - place : 7;
    EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_reader_read(reader, whole.bytes + place, count, on_part, &contents));
    if (place == 700) EXPECT_NUMBER(JACQUARD_MOTION_END_INCOMPLETE, jacquard_motion_reader_get_end(reader, NULL));
  }
  EXPECT_NUMBER(JACQUARD_MOTION_END_COMPLETE, jacquard_motion_reader_get_end(reader, &offset));
  EXPECT_NUMBER(0, offset);
  EXPECT_NUMBER(1, contents.headers);
  EXPECT_NUMBER(1, contents.actions);
  EXPECT_NUMBER(200, contents.samples);
  EXPECT_NUMBER(1, contents.ends);
  EXPECT_TEXT("a", contents.name);
  /* A rewritten file has the same contents, but this library encodes the header differently from the tag. */
  EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_writer_take(contents.writer, &bytes, &size));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_reader_new(NULL, &second));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_reader_read(second, bytes, size, on_part, &again));
  EXPECT_NUMBER(JACQUARD_MOTION_END_COMPLETE, jacquard_motion_reader_get_end(second, NULL));
  EXPECT_NUMBER(200, again.samples);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_motion_writer_end(contents.writer, 1));
  /* Not a motion file. */
  EXPECT(jacquard_motion_reader_unref(second) == NULL);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_motion_reader_new(NULL, &second));
  EXPECT_NUMBER(JACQUARD_ERROR_DAMAGED_SESSION,
                jacquard_motion_reader_read(second, (const uint8_t *)"\xff\xff\xff\xff\xff\xff", 6, on_part, &again));
  jacquard_motion_reader_unref(second);
  jacquard_motion_reader_unref(reader);
  jacquard_motion_writer_unref(contents.writer);
  jacquard_motion_writer_unref(again.writer);
}

static void a_download_outlives_links(void) {
  static struct transfer transfer;
  /* Large enough to take some seconds on a real link. */
  tell("session c samples 3000");
  jacquard_session session = list_sessions().sessions[2];
  memset(&transfer, 0, sizeof transfer);
  transfer.limit = sizeof transfer.bytes;
  int before = losses;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_download_session(connection, &session, NULL, on_progress, on_download,
                                                                  &transfer, on_destroy, NULL));
  EXPECT(run_until(&transfer.calls, 2));
  tell("drop link");
  EXPECT(run_until(&transfer.outcome.destroyed, 1));
  EXPECT_NUMBER(JACQUARD_OK, transfer.outcome.code);
  EXPECT_NUMBER(before + 1, losses);
  EXPECT_NUMBER(session.size, transfer.size);
  await_link();
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_erase_all_sessions));
}

struct stream {
  struct outcome outcome;
  int samples, gaps, missing;
  int64_t first, previous, begun, arrival, longest_wait;
  double rate;
};

static void on_motion(const jacquard_motion_event *event, void *user_data) {
  struct stream *stream = user_data;
  EXPECT(event->connection == connection);
  if (event->type == JACQUARD_MOTION_EVENT_GAP) {
    stream->gaps++;
    stream->missing += (int)event->missing;
  }
  for (size_t i = 0; i < event->count; i++) {
    EXPECT(event->samples[i].ticks > stream->previous);
    if (stream->samples++ == 0) stream->first = event->samples[i].ticks;
    stream->previous = event->samples[i].ticks;
    EXPECT_NUMBER((uint32_t)event->samples[i].ticks, event->samples[i].raw_ticks);
    EXPECT_NUMBER(2142, event->samples[i].acceleration[2]);
    int64_t wait = boot_time_ns() - event->samples[i].arrival_ns;
    EXPECT(wait >= 0 && event->samples[i].arrival_ns >= stream->arrival);
    EXPECT(event->samples[i].time_ns >= stream->begun && event->samples[i].time_ns <= event->samples[i].arrival_ns);
    stream->arrival = event->samples[i].arrival_ns;
    if (wait > stream->longest_wait) stream->longest_wait = wait;
  }
  if (event->count) stream->rate = event->samples_per_second;
}

static void is_streamed(void) {
  struct stream stream = {.begun = boot_time_ns()};
  jacquard_motion_settings settings = JACQUARD_MOTION_SETTINGS_INIT;
  jacquard_request *request = NULL;
  settings.accelerometer_rate = settings.gyroscope_rate = 100;
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_connection_stream_motion(connection, &settings, on_motion, on_done, &stream, on_destroy,
                                                               &request));
  EXPECT(run_until(&stream.samples, 150));
  EXPECT(stream.arrival >= stream.begun);
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_STREAMING, read_status().activity);
  if (uses_service) {
    /* The service receives samples while this program does not dispatch. */
    poll(NULL, 0, 300);
    EXPECT(run_until(&stream.samples, stream.samples + 30));
    EXPECT(stream.longest_wait > 200000000);
  }
  EXPECT_NUMBER(0, stream.outcome.completed);
  int taken = (int)((stream.previous - stream.first) / 312.5 + 1.5);
  EXPECT_NUMBER(taken, stream.samples + stream.missing);
  EXPECT(stream.rate > 80 && stream.rate < 120);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(request));
  jacquard_request_unref(request);
  EXPECT_NUMBER(1, stream.outcome.destroyed);
  await_idle();
}

static void a_stream_outlives_links(void) {
  struct stream stream = {.samples = 0};
  jacquard_request *request = NULL;
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_connection_stream_motion(connection, NULL, on_motion, on_done, &stream, on_destroy, &request));
  EXPECT(run_until(&stream.samples, 60));
  int before = losses;
  tell("drop link");
  EXPECT(run_until(&losses, before + 1));
  await_link();
  EXPECT(run_until(&stream.samples, stream.samples + 60));
  EXPECT(stream.gaps >= 1);
  EXPECT_NUMBER(0, stream.outcome.completed);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(request));
  jacquard_request_unref(request);
  await_idle();
}

/* Called before the library has sent its request to stop. */
static void commands_follow_a_cancelled_stream(void) {
  for (int step = 0; step < 2; step++) {
    struct stream stream = {.samples = 0};
    jacquard_request *request = NULL;
    EXPECT_NUMBER(JACQUARD_OK,
                  jacquard_connection_stream_motion(connection, NULL, on_motion, on_done, &stream, on_destroy,
                                                    &request));
    EXPECT(run_until(&stream.samples, 30));
    EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(request));
    jacquard_request_unref(request);
    EXPECT_NUMBER(JACQUARD_OK, step == 0 ? act(jacquard_tag_erase_all_sessions) : record("next", NULL));
  }
  EXPECT_NUMBER(JACQUARD_MOTION_ACTIVITY_RECORDING, read_status().activity);
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_stop_motion));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_erase_all_sessions));
}

static void a_refused_stream_ends_with_an_error(void) {
  struct stream stream = {.samples = 0};
  tell("battery 30");
  EXPECT_NUMBER(JACQUARD_ERROR_LOW_BATTERY,
                finish(&stream.outcome, jacquard_connection_stream_motion(connection, NULL, on_motion, on_done, &stream,
                                                                          on_destroy, NULL)));
  tell("battery 90");
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_release_motion));
}

static void a_released_connection_cancels_its_stream(void) {
  struct stream stream = {.samples = 0};
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_connection_stream_motion(connection, NULL, on_motion, on_done, &stream, on_destroy, NULL));
  EXPECT(run_until(&stream.samples, 30));
  connection = jacquard_connection_unref(connection);
  EXPECT_NUMBER(1, stream.outcome.destroyed);
  EXPECT_NUMBER(0, stream.outcome.completed);
}

int main(void) {
  begin("motion");
  connect_tag();
  test("motion is prepared and released", is_prepared_and_released);
  test("motion is recorded until it is stopped", is_recorded);
  test("a refused recording has a distinct error", refusals_have_their_errors);
  test("sessions are listed and erased", are_listed_and_erased);
  test("a copy of a session is passed with its own size", is_passed_with_the_size_of_the_copy);
  test("a session is downloaded in parts", are_downloaded_in_parts);
  test("a session is downloaded to a file", are_downloaded_to_a_file);
  test("a motion file is read and written", is_read_and_written);
  test("a download continues on the next link", a_download_outlives_links);
  test("motion is streamed until it is cancelled", is_streamed);
  test("a stream continues on the next link", a_stream_outlives_links);
  test("commands follow a cancelled stream", commands_follow_a_cancelled_stream);
  test("a refused stream ends with an error", a_refused_stream_ends_with_an_error);
  test("a released connection cancels its stream", a_released_connection_cancels_its_stream);
  return end();
}
