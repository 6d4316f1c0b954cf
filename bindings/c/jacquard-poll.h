/**
 * Runs a manager in a poll() loop together with the program's descriptors. SPDX-License-Identifier: Apache-2.0
 *
 *   struct pollfd mine = {.fd = STDIN_FILENO, .events = POLLIN};
 *   while (jacquard_poll(manager, &mine, 1, -1) >= 0)
 *     if (mine.revents) ...
 */
#ifndef JACQUARD_POLL_H
#define JACQUARD_POLL_H

#include <errno.h>
#include <jacquard.h>
#include <poll.h>
#include <string.h>

/** The maximum number of descriptors that jacquard_poll() takes. */
enum { JACQUARD_POLL_MOST = 63 };

/**
 * Waits once for the manager and the caller's descriptors, like poll(), and dispatches the manager. A signal that
 * arrives during the wait is not an error.
 *
 * @param others descriptors whose `revents` are filled in; may be NULL if count is 0
 * @param timeout_ms as in poll()
 * @return the number of ready descriptors in `others` (0 if only the manager was ready), or a negative jacquard_status
 */
static inline int jacquard_poll(jacquard_manager *manager, struct pollfd *others, size_t count, int timeout_ms) {
  struct pollfd all[JACQUARD_POLL_MOST + 1];
  int fd = jacquard_manager_get_fd(manager), ready, status;
  if (fd < 0) return fd;
  if (count > JACQUARD_POLL_MOST || (count > 0 && !others)) return JACQUARD_ERROR_INVALID_ARGUMENT;
  all[0].fd = fd;
  all[0].events = POLLIN;
  all[0].revents = 0;
  if (count > 0) memcpy(all + 1, others, count * sizeof *others);
  ready = poll(all, (nfds_t)count + 1, timeout_ms);
  if (ready < 0) {
    size_t index;
    for (index = 0; index < count; index++) others[index].revents = 0;
    return errno == EINTR ? 0 : JACQUARD_ERROR_SYSTEM;
  }
  if (count > 0) memcpy(others, all + 1, count * sizeof *others);
  if (!all[0].revents) return ready;
  status = jacquard_manager_dispatch(manager);
  return status < 0 ? status : ready - 1;
}

#endif
