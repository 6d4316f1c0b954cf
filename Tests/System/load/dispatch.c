/*
 * The longest dispatch, in microseconds of processor time: `dispatch known` starts beside many devices and connects,
 * `dispatch subscriptions COUNT` subscribes that many callbacks to one tag, `dispatch wanted COUNT` connects to that
 * many absent tags.
 */
#include "expect.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum { SECONDS = 4, LIMIT = 60 };

static jacquard_manager *manager;
static jacquard_connection *connection;
static int connected;
static long long longest;
static unsigned long received;

static long long microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* Dispatches for this time, or until `*until` is set. */
static void run(int seconds, const int *until) {
  long long end = microseconds(CLOCK_MONOTONIC) + seconds * 1000000LL;
  for (long long left; !(until && *until) && (left = end - microseconds(CLOCK_MONOTONIC)) > 0;) {
    struct pollfd loop = {jacquard_manager_get_fd(manager), POLLIN, 0};
    if (poll(&loop, 1, (int)(left / 1000) + 1) != 1)
      continue;
    long long began = microseconds(CLOCK_THREAD_CPUTIME_ID);
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
    long long spent = microseconds(CLOCK_THREAD_CPUTIME_ID) - began;
    if (spent > longest)
      longest = spent;
  }
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  connected |= state->phase == JACQUARD_PHASE_CONNECTED;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  EXPECT(JACQUARD_OK, jacquard_scan_stop(found->scan));
  if (!connection)
    EXPECT(JACQUARD_OK,
           jacquard_manager_connect(manager, found->identifier, NULL, on_state, NULL, NULL, &connection));
}

static void on_battery(const jacquard_battery_event *event, void *user_data) {
  (void)event, (void)user_data;
  received++;
}

static void connect_first(void) {
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  run(LIMIT, &connected);
  EXPECT_TRUE(connected);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "known";
  int times = count > 2 ? atoi(arguments[2]) : 0;
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.restore_id = "dispatch";
  EXPECT(JACQUARD_OK, jacquard_manager_new(&options, &manager));
  run(1, NULL);
  if (strcmp(mode, "known") == 0)
    connect_first();
  if (strcmp(mode, "subscriptions") == 0) {
    connect_first();
    for (int i = 0; i < times; i++)
      EXPECT(JACQUARD_OK, jacquard_connection_on_battery(connection, on_battery, NULL, NULL, NULL));
    for (int i = 0; i < LIMIT && received < 2UL * (unsigned long)times; i++)
      run(1, NULL);
    EXPECT_TRUE(received >= 2UL * (unsigned long)times);
  }
  for (int i = 0; strcmp(mode, "wanted") == 0 && i < times; i++) {
    char identifier[64];
    jacquard_connection *absent = NULL;
    snprintf(identifier, sizeof identifier, "%08x-0000-5000-8000-000000000000", (unsigned)i);
    EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, NULL, &absent));
  }
  run(SECONDS, NULL);
  printf("%lld\n", longest);
  return wrong != 0;
}
