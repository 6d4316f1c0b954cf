/*
 * Connects to a tag, waits until nothing happens, then does nothing for ten seconds and counts wake-ups.
 * `idle poll`: this program's own loop. `idle thread`: the library's.
 */
#include "expect.h"

#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int connected;
static jacquard_connection *connection;

static void on_state(const jacquard_connection_state *state, void *user_data) {
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    connected = 1;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  jacquard_scan_stop(found->scan);
  if (!connection)
    EXPECT(JACQUARD_OK,
           jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection));
}

/* Context switches of one thread so far, voluntary and involuntary. */
static long switches(const char *thread) {
  char path[64], line[256];
  long total = 0, count;
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1 ||
        sscanf(line, "nonvoluntary_ctxt_switches: %ld", &count) == 1)
      total += count;
  if (file)
    fclose(file);
  return total;
}

/* Context switches of all threads but the first, and the number of these threads. */
static long other_switches(int *threads) {
  char self[24];
  long total = 0;
  *threads = 0;
  snprintf(self, sizeof self, "%d", (int)getpid());
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks && (task = readdir(tasks));) {
    if (task->d_name[0] == '.' || strcmp(task->d_name, self) == 0)
      continue;
    ++*threads;
    total += switches(task->d_name);
  }
  if (tasks)
    closedir(tasks);
  return total;
}

/* Runs the loop until it was idle for `quiet` milliseconds, at most `most` times. Returns the number of runs. */
static int settle(jacquard_manager *manager, int quiet, int most) {
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  int runs = 0;
  while (runs < most && poll(&loop, 1, quiet) == 1) {
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
    runs++;
  }
  return runs;
}

int main(int count, char **arguments) {
  /* Longer than the library's longest deadline, the eight seconds of a command: it is counted if it still runs. */
  const int idle_ms = 10000;
  int threaded = count > 1 && strcmp(arguments[1], "thread") == 0;
  int threads;
  jacquard_manager *manager = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  if (threaded)
    EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  for (int tries = 0; threaded && !connected && tries < 300; tries++)
    poll(NULL, 0, 100);
  while (!threaded && !connected && poll(&loop, 1, 30000) == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  EXPECT_TRUE(connected);

  long before, after;
  if (threaded) {
    poll(NULL, 0, 1500);
    before = other_switches(&threads);
    poll(NULL, 0, idle_ms);
    after = other_switches(&threads);
    EXPECT_TRUE(threads == 1);
  } else {
    settle(manager, 1500, 1000);
    before = other_switches(&threads);
    EXPECT_TRUE(settle(manager, idle_ms, 1000) == 0);
    after = other_switches(&threads);
    EXPECT_TRUE(threads == 0);
  }
  if (after != before)
    printf("the library's thread woke up %ld times in %d ms\n", after - before, idle_ms);
  wrong += after != before;
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return wrong != 0;
}
