/* Reads a battery in libuv's loop, which ends when nothing is pending. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-uv.h"

#include <stdio.h>

static jacquard_connection *connection;
static jacquard_uv handle;
static int exit_code;

/* uv_run() returns when the handle is closed. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
  jacquard_uv_stop(&handle);
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (battery) printf("battery %u%%\n", (unsigned)battery->percent);
  finish(error);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  printf("%s\n", jacquard_phase_name(state->phase));
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, NULL, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection) < 0)
    finish(jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) finish(result->error);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  if (status == 0) status = jacquard_uv_start(uv_default_loop(), &handle, manager);
  if (status == 0) uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return uv_loop_close(uv_default_loop()) < 0 || status < 0 || exit_code != 0;
}
