/* Reads a battery in GLib's main loop, like a GTK program. */
#include "jacquard-glib.h"

#include <stdio.h>

static jacquard_connection *connection;
static int exit_code;

/* Ends the main loop, with an error if there is one. */
static void finish(GMainLoop *loop, const jacquard_error *error) {
  if (error) g_printerr("%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
  g_main_loop_quit(loop);
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  if (battery) g_print("battery %u%%\n", (unsigned)battery->percent);
  finish(user_data, error);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  g_print("%s\n", jacquard_phase_name(state->phase));
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, user_data, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(user_data, state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  jacquard_scan_stop(found->scan);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, user_data, NULL, &connection) < 0)
    finish(user_data, jacquard_last_error());
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  if (result->error) finish(user_data, result->error);
}

int main(void) {
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  jacquard_manager *manager = NULL;
  GSource *source = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, loop, NULL, NULL);
  if (status == 0) {
    source = jacquard_glib_source_new(manager);
    g_source_attach(source, NULL);
    g_main_loop_run(loop);
    jacquard_connection_unref(connection);
    g_source_destroy(source);
    g_source_unref(source);
  } else {
    g_printerr("%s\n", jacquard_last_error()->message);
  }
  jacquard_manager_unref(manager);
  g_main_loop_unref(loop);
  return status < 0 || exit_code != 0;
}
