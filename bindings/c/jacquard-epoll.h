/**
 * Runs a manager in the program's epoll set. SPDX-License-Identifier: Apache-2.0
 *
 *   jacquard_epoll_add(epoll, manager);
 *   for (;;) {
 *     int count = epoll_wait(epoll, events, 16, -1);
 *     for (int index = 0; index < count; index++)
 *       if (events[index].data.ptr == manager) jacquard_manager_dispatch(manager);
 *       else ...
 *   }
 */
#ifndef JACQUARD_EPOLL_H
#define JACQUARD_EPOLL_H

#include <jacquard.h>
#include <string.h>
#include <sys/epoll.h>

/**
 * Adds a manager to an epoll set. Its events have the manager in `data.ptr`; call jacquard_manager_dispatch() for each.
 * Remove the manager from the set before releasing its last reference.
 *
 * @return 0, a negative jacquard_status; JACQUARD_ERROR_SYSTEM: see errno
 */
static inline int jacquard_epoll_add(int epoll, jacquard_manager *manager) {
  struct epoll_event event;
  int fd = jacquard_manager_get_fd(manager);
  if (fd < 0) return fd;
  memset(&event, 0, sizeof event);
  event.events = EPOLLIN;
  event.data.ptr = manager;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? JACQUARD_OK : JACQUARD_ERROR_SYSTEM;
}

/** Removes a manager from an epoll set. @return as jacquard_epoll_add() */
static inline int jacquard_epoll_remove(int epoll, jacquard_manager *manager) {
  struct epoll_event unused;
  int fd = jacquard_manager_get_fd(manager);
  if (fd < 0) return fd;
  memset(&unused, 0, sizeof unused);
  return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &unused) == 0 ? JACQUARD_OK : JACQUARD_ERROR_SYSTEM;
}

#endif
