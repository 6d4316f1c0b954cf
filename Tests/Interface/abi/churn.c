/*
 * Repeats the same steps and counts what remains: `churn managers|links|watched|late|unbinding|forgotten TIMES`. Prints
 * the bytes of the heap that each round left, and the descriptors that all rounds left, after the same number of rounds
 * to warm up.
 */
#include "connected.h"

#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const char identifier[] = "12345678-1234-5678-9234-567812345678";

static int descriptors(void) {
  int count = 0;
  DIR *open = opendir("/proc/self/fd");
  while (open && readdir(open))
    count++;
  if (open)
    closedir(open);
  return count;
}

/* A manager with one object of each kind, which ends before its loop has run or after one iteration. */
static void manager_that_ends(int round) {
  jacquard_manager *it = NULL;
  jacquard_connection *link = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &it));
  EXPECT(JACQUARD_OK, jacquard_manager_on_log(it, JACQUARD_LOG_LEVEL_DEBUG, on_log, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(it, on_adapter, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(it, NULL, on_found, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(it, identifier, NULL, on_state, NULL, on_destroy, &link));
  EXPECT(JACQUARD_OK, jacquard_connection_on_battery(link, on_battery, NULL, on_destroy, NULL));
  if (round % 3 == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(it));
  if (round % 3 == 2)
    EXPECT(JACQUARD_OK, jacquard_manager_start(it));
  jacquard_connection_unref(link);
  jacquard_manager_unref(it);
}

/* Connects to a tag, reads a value, and disconnects. */
static void link_that_ends(int round) {
  int before = called;
  connection = NULL;
  tag = NULL;
  dropped = 0;
  if (!find_and_connect())
    return;
  EXPECT(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_gesture, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, on_destroy, NULL));
  if (round % 2) {
    run_until(&called, before + 1);
    EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
    run_until(&dropped, 1);
  }
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
}

static void on_end(const jacquard_connection_state *state, void *user_data) {
  if (state->phase == JACQUARD_PHASE_DISCONNECTED)
    dropped++;
}

/* Observes all connections of a manager, from before the first one until the end. */
static void manager_that_is_watched(int round) {
  jacquard_connection *link = NULL;
  dropped = 0;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_connection(manager, on_end, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, NULL, NULL, NULL, &link));
  if (round % 2)
    run_until(&dropped, 1);
  jacquard_connection_unref(link);
  jacquard_manager_unref(manager);
}

/* Subscriptions to a connection that has ended, released after the manager. */
static void connection_that_ended_before(int round) {
  jacquard_connection *link = NULL;
  jacquard_subscription *late[3] = {NULL, NULL, NULL};
  dropped = 0;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, on_end, NULL, on_destroy, &link));
  run_until(&dropped, 1);
  EXPECT(JACQUARD_OK, jacquard_connection_on_state(link, on_end, NULL, on_destroy, &late[0]));
  EXPECT(JACQUARD_OK, jacquard_connection_on_battery(link, on_battery, NULL, on_destroy, &late[1]));
  EXPECT(JACQUARD_OK, jacquard_connection_on_name(link, on_name, NULL, on_destroy, &late[2]));
  run_until(&dropped, 2);
  jacquard_manager_unref(manager);
  jacquard_connection_unref(link);
  for (int i = 0; i < 3; i++)
    jacquard_subscription_unref(late[i]);
}

/* A manager that ends while unbinding waits for the bus. */
static void unbinding_that_is_cut_off(int round) {
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_unbind(manager, identifier, NULL, on_done, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  jacquard_manager_unref(manager);
}

/* A faulty program that does not release its handles. */
static void manager_that_is_forgotten(int round) {
  jacquard_manager *it = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &it));
}

int main(int count, char **arguments) {
  if (count < 3)
    return 2;
  int times = atoi(arguments[2]);
  void (*once)(int) = strcmp(arguments[1], "links") == 0       ? link_that_ends
                      : strcmp(arguments[1], "managers") == 0  ? manager_that_ends
                      : strcmp(arguments[1], "watched") == 0   ? manager_that_is_watched
                      : strcmp(arguments[1], "late") == 0      ? connection_that_ended_before
                      : strcmp(arguments[1], "unbinding") == 0 ? unbinding_that_is_cut_off
                                                               : manager_that_is_forgotten;
  for (int round = 0; round < times; round++)
    once(round);
  size_t bytes = mallinfo2().uordblks;
  int open = descriptors();
  for (int round = 0; round < times; round++)
    once(round);
  printf("%.1f %d\n", ((double)mallinfo2().uordblks - (double)bytes) / times, descriptors() - open);
  return wrong != 0;
}
