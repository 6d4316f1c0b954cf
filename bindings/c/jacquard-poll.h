/**
 * A manager in a loop around poll(), beside descriptors of the program's own. SPDX-License-Identifier: Apache-2.0
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

/** How many descriptors jacquard_poll() takes at most. */
enum { JACQUARD_POLL_MOST = 63 };

/**
 * Waits for the manager and for descriptors of the caller's, once, as poll() does, and runs what the manager has to do.
 * A signal that arrives meanwhile is no error.
 *
 * @param others descriptors whose `revents` are filled in, may be NULL when count is 0
 * @param timeout_ms as in poll()
 * @return how many of `others` are ready (0 also when it was only the manager), or a negative jacquard_status
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
