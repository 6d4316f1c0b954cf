/* The adapters for other loops: invalid use, and managers that end. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-epoll.h"
#include "jacquard-glib.h"
#include "jacquard-poll.h"
#include "jacquard-uv.h"

#include <stdio.h>
#include <unistd.h>

static int wrong, failed;

#define EXPECT(condition) ((condition) ? (void)0 : (void)(wrong++, printf("not so: %s\n", #condition)))

static jacquard_manager *new_manager(void) {
  jacquard_manager *manager = NULL;
  EXPECT(jacquard_manager_new(NULL, &manager) == JACQUARD_OK);
  return manager;
}

static jacquard_manager *old_manager(void) {
  jacquard_manager *manager = new_manager();
  jacquard_manager_unref(manager);
  return manager;
}

static void poll_refuses(void) {
  jacquard_manager *manager = new_manager();
  struct pollfd other = {.fd = -1};
  EXPECT(jacquard_poll(NULL, NULL, 0, 0) == JACQUARD_ERROR_INVALID_ARGUMENT);
  EXPECT(jacquard_poll(old_manager(), NULL, 0, 0) == JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT(jacquard_poll(manager, NULL, 1, 0) == JACQUARD_ERROR_INVALID_ARGUMENT);
  EXPECT(jacquard_poll(manager, &other, JACQUARD_POLL_MOST + 1, 0) == JACQUARD_ERROR_INVALID_ARGUMENT);
  jacquard_manager_unref(manager);
}

static void poll_counts_others_alone(void) {
  jacquard_manager *manager = new_manager();
  struct pollfd others[2];
  int ends[2];
  EXPECT(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
  others[0].fd = ends[0], others[0].events = POLLIN, others[0].revents = 0;
  others[1].fd = -1, others[1].events = POLLIN, others[1].revents = POLLIN;
  EXPECT(jacquard_poll(manager, others, 2, 1000) == 1);
  EXPECT(others[0].revents == POLLIN && others[1].revents == 0);
  EXPECT(jacquard_poll(manager, NULL, 0, 0) == 0);
  close(ends[0]);
  close(ends[1]);
  jacquard_manager_unref(manager);
}

static void epoll_refuses(void) {
  jacquard_manager *manager = new_manager();
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  EXPECT(jacquard_epoll_add(epoll, NULL) == JACQUARD_ERROR_INVALID_ARGUMENT);
  EXPECT(jacquard_epoll_add(epoll, old_manager()) == JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT(jacquard_epoll_add(-1, manager) == JACQUARD_ERROR_SYSTEM);
  EXPECT(jacquard_epoll_remove(epoll, manager) == JACQUARD_ERROR_SYSTEM);
  EXPECT(jacquard_epoll_add(epoll, manager) == JACQUARD_OK);
  EXPECT(jacquard_epoll_add(epoll, manager) == JACQUARD_ERROR_SYSTEM);
  EXPECT(jacquard_epoll_remove(epoll, manager) == JACQUARD_OK);
  close(epoll);
  jacquard_manager_unref(manager);
}

static void glib_holds_a_reference(void) {
  jacquard_manager *manager = new_manager();
  GSource *source = jacquard_glib_source_new(manager);
  EXPECT(jacquard_glib_source_new(NULL) == NULL && jacquard_glib_source_new(old_manager()) == NULL);
  g_source_attach(source, NULL);
  jacquard_manager_unref(manager);
  EXPECT(jacquard_manager_get_fd(manager) >= 0);
  while (g_main_context_iteration(NULL, FALSE)) continue;
  g_source_destroy(source);
  g_source_unref(source);
  EXPECT(jacquard_manager_get_fd(manager) == JACQUARD_ERROR_INVALID_HANDLE);
}

static void uv_holds_a_reference(void) {
  jacquard_manager *manager = new_manager();
  jacquard_uv handle;
  EXPECT(jacquard_uv_start(uv_default_loop(), &handle, NULL) == UV_EINVAL);
  EXPECT(jacquard_uv_start(uv_default_loop(), &handle, manager) == 0);
  jacquard_manager_unref(manager);
  EXPECT(jacquard_manager_get_fd(manager) >= 0);
  jacquard_uv_stop(&handle);
  jacquard_uv_stop(&handle);
  EXPECT(uv_run(uv_default_loop(), UV_RUN_DEFAULT) == 0);
  EXPECT(jacquard_manager_get_fd(manager) == JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT(uv_loop_close(uv_default_loop()) == 0);
}

static void test(const char *name, void (*body)(void)) {
  wrong = 0;
  body();
  printf("%s %s\n", wrong ? "not ok" : "ok", name);
  failed += wrong != 0;
}

int main(void) {
  test("poll refuses invalid arguments", poll_refuses);
  test("poll counts only the caller's descriptors", poll_counts_others_alone);
  test("epoll refuses invalid arguments", epoll_refuses);
  test("glib holds a reference until its source is destroyed", glib_holds_a_reference);
  test("uv holds a reference until it is stopped", uv_holds_a_reference);
  return failed != 0;
}
