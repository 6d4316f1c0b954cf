/**
 * Runs a manager in GLib's main loop, for example in a GTK program. SPDX-License-Identifier: Apache-2.0
 *
 *   GSource *source = jacquard_glib_source_new(manager);
 *   g_source_attach(source, NULL);
 *   g_main_loop_run(loop);
 *   g_source_destroy(source);
 *   g_source_unref(source);
 */
#ifndef JACQUARD_GLIB_H
#define JACQUARD_GLIB_H

#include <glib.h>
#include <jacquard.h>

typedef struct jacquard_glib_source {
  GSource source;
  jacquard_manager *manager;
} jacquard_glib_source;

static inline gboolean jacquard_glib_dispatch(GSource *source, GSourceFunc unused, gpointer user_data) {
  int status = jacquard_manager_dispatch(((jacquard_glib_source *)source)->manager);
  (void)unused, (void)user_data;
  /* MISUSE: a nested main loop inside a callback; the outer call continues after the nested loop has ended. */
  return status == JACQUARD_OK || status == JACQUARD_ERROR_MISUSE ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static inline void jacquard_glib_finalize(GSource *source) {
  jacquard_manager_unref(((jacquard_glib_source *)source)->manager);
}

/**
 * Creates a source that runs the manager's callbacks in the context that it is attached to. It holds a reference to the
 * manager until it is finalized; call g_source_destroy() to let the manager end.
 *
 * @return a source to attach and to unref, or NULL if the manager has no descriptor (its handle was released)
 */
static inline GSource *jacquard_glib_source_new(jacquard_manager *manager) {
  static GSourceFuncs functions = {NULL, NULL, jacquard_glib_dispatch, jacquard_glib_finalize, NULL, NULL};
  int fd = jacquard_manager_get_fd(manager);
  GSource *source;
  if (fd < 0) return NULL;
  source = g_source_new(&functions, sizeof(jacquard_glib_source));
  ((jacquard_glib_source *)source)->manager = jacquard_manager_ref(manager);
  g_source_add_unix_fd(source, fd, G_IO_IN);
  g_source_set_name(source, "jacquard");
  return source;
}

#endif
