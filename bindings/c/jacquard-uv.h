/**
 * Runs a manager in libuv's loop, for example in a Node.js addon. SPDX-License-Identifier: Apache-2.0
 *
 *   jacquard_uv handle;
 *   jacquard_uv_start(uv_default_loop(), &handle, manager);
 *   uv_run(uv_default_loop(), UV_RUN_DEFAULT);
 *
 * and, when the program no longer needs the manager, jacquard_uv_stop(&handle).
 */
#ifndef JACQUARD_UV_H
#define JACQUARD_UV_H

#include <jacquard.h>
#include <uv.h>

/** The libuv handle of one manager. The caller provides its memory until the loop has closed it. */
typedef struct jacquard_uv {
  uv_poll_t poll;
  jacquard_manager *manager;
} jacquard_uv;

static inline void jacquard_uv_closed(uv_handle_t *handle) {
  jacquard_manager_unref(((jacquard_uv *)handle)->manager);
}

/** Removes the manager from the loop. Its reference is released after the loop has closed the handle. */
static inline void jacquard_uv_stop(jacquard_uv *handle) {
  if (!uv_is_closing((uv_handle_t *)&handle->poll)) uv_close((uv_handle_t *)&handle->poll, jacquard_uv_closed);
}

static inline void jacquard_uv_ready(uv_poll_t *poll, int uv_status, int events) {
  int status = jacquard_manager_dispatch(((jacquard_uv *)poll)->manager);
  (void)events;
  /* MISUSE: a nested loop inside a callback; the outer call continues after the nested loop has ended. */
  if (uv_status < 0 || (status < 0 && status != JACQUARD_ERROR_MISUSE)) jacquard_uv_stop((jacquard_uv *)poll);
}

/**
 * Runs the manager's callbacks in a libuv loop. Holds a reference to the manager until it is stopped. The handle
 * keeps the loop running, unless you call uv_unref() with it.
 *
 * @return 0, or a negative libuv error, see uv_strerror(); UV_EINVAL also for a released manager
 */
static inline int jacquard_uv_start(uv_loop_t *loop, jacquard_uv *handle, jacquard_manager *manager) {
  int fd = jacquard_manager_get_fd(manager), status;
  if (fd < 0) return UV_EINVAL;
  status = uv_poll_init(loop, &handle->poll, fd);
  if (status < 0) return status;
  handle->manager = jacquard_manager_ref(manager);
  status = uv_poll_start(&handle->poll, UV_READABLE, jacquard_uv_ready);
  if (status < 0) jacquard_uv_stop(handle);
  return status;
}

#endif
