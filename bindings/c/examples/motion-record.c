/* Records motion on a tag and downloads it: motion-record SECONDS FILE */
#define _GNU_SOURCE
#include <fcntl.h>
#include <jacquard.h>
#include <jacquard/motion.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static jacquard_connection *connection;
static jacquard_tag *tag;
static char name[31];
static const char *path;
static int file = -1, recording, done, failed;

static void fail(const jacquard_error *error) {
  fprintf(stderr, "%s %s\n", error->message, error->advice);
  failed = 1;
}

static void check(int status) {
  if (status < 0) fail(jacquard_last_error());
}

/* Gives the file its name, unless another file has it. */
static void save(void) {
  char descriptor[32];
  snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file);
  if (linkat(AT_FDCWD, descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) perror(path), failed = 1;
}

static void on_download(const jacquard_download *download, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  save();
  if (!failed) printf("%s: %u bytes\n", name, (unsigned)download->size);
  done = 1;
}

static void on_sessions(const jacquard_session *const *sessions, size_t count, const jacquard_error *error,
                        void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  jacquard_download_options options = JACQUARD_DOWNLOAD_OPTIONS_INIT;
  options.to_descriptor = 1;
  options.descriptor = file;
  if (count > 0) /* the latest is the last */
    check(jacquard_connection_download_session(connection, sessions[count - 1], &options, NULL, on_download, NULL, NULL,
                                               NULL));
}

static void on_stopped(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  check(jacquard_tag_list_sessions(tag, NULL, on_sessions, NULL, NULL, NULL));
}

static void on_started(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  recording = 1;
}

static void on_prepared(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  jacquard_session session = JACQUARD_SESSION_INIT;
  jacquard_motion_settings settings = JACQUARD_MOTION_SETTINGS_INIT;
  session.name = name;
  settings.accelerometer_rate = settings.gyroscope_rate = 100;
  check(jacquard_tag_start_recording(tag, &session, &settings, NULL, on_started, NULL, NULL, NULL));
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
  if (state->phase != JACQUARD_PHASE_CONNECTED) return;
  jacquard_tag_unref(tag);
  tag = jacquard_tag_ref(state->tag);
  if (!recording) check(jacquard_tag_prepare_motion(tag, NULL, on_prepared, NULL, NULL, NULL));
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  check(jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection));
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: %s SECONDS FILE\n", *argv), 1;
  path = argv[2];
  if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return fprintf(stderr, "%s exists\n", path), 1;
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  file = open(dirname(folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666); /* without a name until it is complete */
  if (file < 0) return perror(path), 1;
  snprintf(name, sizeof name, "%lld", (long long)time(NULL));

  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  check(status);

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  time_t end = 0;
  while (!failed && !done) {
    if (poll(&loop, 1, 100) > 0) jacquard_manager_dispatch(manager);
    if (recording == 1 && end == 0) end = time(NULL) + atoi(argv[1]);
    if (recording == 1 && time(NULL) >= end) {
      recording = 2;
      check(jacquard_tag_stop_motion(tag, NULL, on_stopped, NULL, NULL, NULL));
    }
  }
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  close(file);
  return failed;
}
