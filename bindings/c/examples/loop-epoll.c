/* A tag and a clock in one epoll set: tells each second for how long it has been looking, until it is connected. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-epoll.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

static jacquard_connection *connection;
static int connected;

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) connected = 1;
  else if (state->phase == JACQUARD_PHASE_DISCONNECTED) connected = -1;
}

static void on_tag(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(scan);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
}

int main(void) {
  struct epoll_event events[8];
  struct itimerspec each_second = {{1, 0}, {1, 0}};
  int epoll = epoll_create1(EPOLL_CLOEXEC), clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct epoll_event ticking = {.events = EPOLLIN, .data.ptr = &clock};
  timerfd_settime(clock, 0, &each_second, NULL);
  epoll_ctl(epoll, EPOLL_CTL_ADD, clock, &ticking);

  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_epoll_add(epoll, manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL);
  for (int seconds = 0; status >= 0 && !connected;) {
    int count = epoll_wait(epoll, events, 8, -1);
    for (int index = 0; index < count; index++) {
      uint64_t ticks;
      if (events[index].data.ptr == manager) status = jacquard_manager_dispatch(manager);
      else if (read(clock, &ticks, sizeof ticks) > 0) printf("%d s\n", seconds += (int)ticks);
    }
  }
  if (status < 0) fprintf(stderr, "%s\n", jacquard_status_text(status));
  else printf("%s\n", connected > 0 ? "connected" : "not connected");
  jacquard_epoll_remove(epoll, manager);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  close(clock);
  close(epoll);
  return status < 0 || connected < 0;
}
