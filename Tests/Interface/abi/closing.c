/*
 * Registers everything while another thread ends the manager: `closing ROUNDS`. If a function succeeds, its destroy is
 * called once in the end. If it fails, it must not have kept anything or changed its output.
 */
#include "contention.h"

#include <string.h>

static const char identifier[] = "12345678-1234-5678-9234-567812345678";
static jacquard_manager *manager;
static jacquard_connection *link;
static int ready, begin;
static int head_start; /* loop iterations by which the call starts first; negative: the end starts first */

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {}
static void on_log(const jacquard_log *log, void *user_data) {}
static void on_state(const jacquard_connection_state *state, void *user_data) {}
static void on_battery(const jacquard_battery_event *event, void *user_data) {}
static void on_found(const jacquard_advertisement *found, void *user_data) {}
static void on_done(const jacquard_error *error, void *user_data) {}
static void on_known(const jacquard_known_tag *const *tags, size_t count, const jacquard_error *error, void *data) {}
static void on_scanning(const jacquard_scanning *scanning, void *user_data) {}
static void on_tags(const jacquard_advertisement *const *tags, size_t count, const jacquard_error *error, void *data) {}
static void on_destroy(void *user_data) { count_up(user_data); }

static void idle(int turns) {
  for (volatile int turn = 0; turn < turns;)
    turn++;
}

static void *end_manager(void *nothing) {
  count_up(&ready);
  while (!look(&begin))
    continue;
  idle(head_start);
  jacquard_manager_unref(manager);
  return NULL;
}

enum { KINDS = 11 };

static int call(int kind, int *destroyed, void **out) {
  jacquard_bind_options binding = JACQUARD_BIND_OPTIONS_INIT;
  binding.code = "01ZK";
  switch (kind) {
  case 0: return jacquard_manager_connect(manager, identifier, NULL, on_state, destroyed, on_destroy, (void *)out);
  case 1: return jacquard_manager_bind(manager, identifier, &binding, on_state, destroyed, on_destroy, (void *)out);
  case 2: return jacquard_manager_connect(manager, identifier, NULL, NULL, destroyed, on_destroy, (void *)out);
  case 3: return jacquard_manager_scan(manager, NULL, on_found, NULL, destroyed, on_destroy, (void *)out);
  case 4: return jacquard_manager_on_adapter(manager, on_adapter, destroyed, on_destroy, (void *)out);
  case 5: return jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_DEBUG, on_log, destroyed, on_destroy, (void *)out);
  case 6: return jacquard_manager_list_known(manager, NULL, on_known, destroyed, on_destroy, (void *)out);
  case 7: return jacquard_manager_unbind(manager, identifier, NULL, on_done, destroyed, on_destroy, (void *)out);
  case 8: return jacquard_manager_list_connected(manager, NULL, on_tags, destroyed, on_destroy, (void *)out);
  case 9: return jacquard_manager_on_scanning(manager, on_scanning, destroyed, on_destroy, (void *)out);
  default: return jacquard_connection_on_battery(link, on_battery, destroyed, on_destroy, (void *)out);
  }
}

static void give_back(int kind, void *handle) {
  if (kind < 3) jacquard_connection_unref(handle);
  else if (kind == 3) jacquard_scan_unref(handle);
  else if (kind >= 6 && kind <= 8) jacquard_request_unref(handle);
  else jacquard_subscription_unref(handle);
}

static void race(int kind) {
  static char untouched;
  pthread_t other;
  void *out = &untouched;
  int destroyed = 0, status;
  ready = begin = 0;
  link = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  if (kind == KINDS - 1)
    EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, NULL, NULL, NULL, &link));
  pthread_create(&other, NULL, end_manager, NULL);
  spin_for(&ready, 1);
  count_up(&begin);
  idle(-head_start);
  status = call(kind, &destroyed, &out);
  pthread_join(other, NULL);
  if (status == JACQUARD_OK) {
    EXPECT_TRUE(out != &untouched);
    give_back(kind, out);
  } else {
    EXPECT_TRUE(status == JACQUARD_ERROR_CLOSED || status == JACQUARD_ERROR_INVALID_HANDLE);
    if (out != &untouched) {
      wrong++;
      printf("kind %d: %s, and a handle\n", kind, jacquard_status_name(status));
    }
  }
  if (look(&destroyed) != (status == JACQUARD_OK)) {
    wrong++;
    printf("kind %d: %s, destroy called %d times\n", kind, jacquard_status_name(status), look(&destroyed));
  }
  jacquard_connection_unref(link);
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 100;
  for (int round = 0; round < rounds && wrong < 10; round++) {
    head_start = round / KINDS * 7 % 4000 - 1000;
    race(round % KINDS);
  }
  return wrong != 0;
}
