/* A tag and a clock in one epoll set: prints the elapsed time each second until the tag is connected. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-epoll.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

static jacquard_connection *connection;
static int exit_code = -1; /* not yet */

/* Ends the program, with an error if there is one. */
static void finish(const jacquard_error *error) {
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  exit_code = error != NULL;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) printf("connected\n");
  if (state->phase == JACQUARD_PHASE_CONNECTED || state->phase == JACQUARD_PHASE_DISCONNECTED) finish(state->reason);
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
  struct epoll_event events[8];
  struct itimerspec each_second = {{1, 0}, {1, 0}};
  int epoll = epoll_create1(EPOLL_CLOEXEC), clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct epoll_event ticking = {.events = EPOLLIN, .data.ptr = &clock};
  timerfd_settime(clock, 0, &each_second, NULL);
  epoll_ctl(epoll, EPOLL_CTL_ADD, clock, &ticking);

  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_epoll_add(epoll, manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  for (int seconds = 0; status >= 0 && exit_code < 0;) {
    int count = epoll_wait(epoll, events, 8, -1);
    for (int index = 0; index < count; index++) {
      uint64_t ticks;
      if (events[index].data.ptr == manager) status = jacquard_manager_dispatch(manager);
      else if (read(clock, &ticks, sizeof ticks) > 0) printf("%d s\n", seconds += (int)ticks);
    }
  }
  if (status < 0) fprintf(stderr, "%s\n", jacquard_status_text(status));
  jacquard_epoll_remove(epoll, manager);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  close(clock);
  close(epoll);
  return exit_code;
}
