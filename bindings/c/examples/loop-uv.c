/* Reads a battery in libuv's loop, which ends by itself when nothing is left to wait for. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-uv.h"

#include <stdio.h>

static jacquard_connection *connection;
static jacquard_uv handle;

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  else printf("battery %u%%\n", (unsigned)battery->percent);
  jacquard_uv_stop(&handle); /* uv_run() returns when that is closed */
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  printf("%s\n", jacquard_phase_name(state->phase));
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, NULL, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) jacquard_uv_stop(&handle);
}

static void on_tag(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(scan);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
}

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  if (status == 0) status = jacquard_uv_start(uv_default_loop(), &handle, manager);
  if (status == 0) uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return uv_loop_close(uv_default_loop()) < 0 || status < 0;
}
