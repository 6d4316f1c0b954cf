/*
 * Children of a process that has a connected tag: `forked [threaded]`. In a child, every function refuses the parent's
 * handles. The child may exit in any way, and may create a manager of its own. The parent continues.
 */
#include "connected.h"
#include "contention.h"
#include "handles.h"

#include <sys/wait.h>
#include <unistd.h>

static jacquard_scan *scan;
static jacquard_component *component;
static jacquard_subscription *subscription;
static jacquard_request *request;
static int is_child, threaded, finished;
static int completions;

static void on_completion(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  EXPECT_TRUE(battery && !error);
  count_up(&completions);
}

static void refuse_all(void) {
  no_manager(manager, JACQUARD_ERROR_FORKED);
  no_connection(connection, JACQUARD_ERROR_FORKED);
  no_tag(tag, JACQUARD_ERROR_FORKED);
  no_component(component, JACQUARD_ERROR_FORKED);
  no_scan(scan, JACQUARD_ERROR_FORKED);
  no_subscription(subscription, JACQUARD_ERROR_FORKED);
  no_request(request, JACQUARD_ERROR_FORKED);
}

static void give_all_back(void) {
  jacquard_request_unref(request);
  jacquard_subscription_unref(subscription);
  jacquard_scan_unref(scan);
  jacquard_component_unref(component);
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
}

static void at_exit(void) {
  if (is_child)
    give_all_back();
}

/* A manager of the child, with handles that the parent does not have. */
static void use_own_manager(void) {
  jacquard_manager *own = NULL, *parents = manager;
  jacquard_scan *own_scan = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &own));
  EXPECT_TRUE(own != parents);
  EXPECT(JACQUARD_OK, jacquard_manager_scan(own, NULL, on_found, NULL, NULL, NULL, &own_scan));
  give_all_back();
  refuse_all();
  EXPECT(1, jacquard_scan_is_running(own_scan));
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(own));
  jacquard_scan_unref(own_scan);
  jacquard_manager_unref(own);
}

enum { WAYS = 5 };

static void be_child(int way) {
  is_child = 1;
  alarm(20);
  switch (way) {
  case 0: _exit(0);
  case 1: break;
  case 2: give_all_back(); break;
  case 3: refuse_all(); break;
  default: use_own_manager(); break;
  }
  fflush(stdout);
  exit(wrong != 0);
}

/* Completes a command, which needs the bus, timers and posted work. */
static void use_tag(void) {
  int before = look(&completions);
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_completion, NULL, NULL, NULL));
  if (threaded)
    wait_for(&completions, before + 1, "a command after fork()");
  else
    run_until(&completions, before + 1);
}

/* Holds the library's locks as often as possible. */
static void *be_busy(void *nothing) {
  while (!look(&finished))
    EXPECT(JACQUARD_PHASE_CONNECTED, jacquard_connection_get_phase(connection));
  return NULL;
}

static void fork_once(int way) {
  int status = -1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    be_child(way);
  EXPECT_TRUE(waitpid(child, &status, 0) == child);
  if (status != 0) {
    wrong++;
    printf("the child that ends in way %d: status %#x\n", way, status);
  }
}

int main(int count, char **arguments) {
  pthread_t busy;
  threaded = count > 1;
  atexit(at_exit);
  if (!find_and_connect())
    return 1;
  EXPECT(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, &scan));
  EXPECT(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, &subscription));
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, NULL, &request));
  if (threaded) {
    EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
    pthread_create(&busy, NULL, be_busy, NULL);
  }
  use_tag();
  for (int round = 0; round < (threaded ? 20 : 1) && !wrong; round++)
    for (int way = 0; way < WAYS; way++) {
      fork_once(way);
      use_tag();
    }
  __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
  if (threaded)
    pthread_join(busy, NULL);
  give_all_back();
  return wrong != 0;
}
