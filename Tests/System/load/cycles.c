/*
 * Repeatedly connects, reads the battery and disconnects on one manager: `cycles TIMES`. Neither the process nor the
 * bus may hold more at the end than after the first fifth, each registration must be destroyed once, and released
 * objects must not call back. Prints the growth of resident memory in KiB.
 */
#include "expect.h"
#include "process.h"

#include <poll.h>
#include <stdlib.h>

/* One registration of a cycle. */
struct registration {
  int over; /* released: no further callback may run */
  int destroyed;
};

enum { STATE, BATTERY, GEAR, TOUCH, NAME, READ, WITHDRAWN, REGISTRATIONS };

struct cycle {
  struct registration registrations[REGISTRATIONS];
  jacquard_tag *tag;
  int read;         /* the battery was read */
  int disconnected; /* the link is down */
};

static jacquard_manager *manager;
static struct cycle cycle;
static char identifier[64];

static void heard(void *user_data) {
  struct registration *registration = user_data;
  EXPECT_TRUE(!registration->over && !registration->destroyed);
}

static void on_destroy(void *user_data) {
  struct registration *registration = user_data;
  registration->destroyed++;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  snprintf(identifier, sizeof identifier, "%s", found->identifier);
  EXPECT(JACQUARD_OK, jacquard_scan_stop(found->scan));
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  heard(user_data);
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    EXPECT_TRUE(!cycle.tag);
    cycle.tag = jacquard_tag_ref(state->tag);
  }
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) {
    EXPECT_TRUE(!state->reason);
    cycle.disconnected = 1;
  }
}

static void on_charge(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  heard(user_data);
  EXPECT_TRUE(battery && !error && battery->percent == 80);
  cycle.read++;
}

static void on_battery(const jacquard_battery_event *event, void *user_data) {
  (void)event;
  heard(user_data);
}

static void on_gear(const jacquard_gear *gear, void *user_data) {
  (void)gear;
  heard(user_data);
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)touch;
  heard(user_data);
}

static void on_name(const jacquard_name *name, void *user_data) {
  (void)name;
  heard(user_data);
}

/* Runs the loop once when it is ready. */
static void turn(void) {
  struct pollfd loop;
  loop.fd = jacquard_manager_get_fd(manager);
  loop.events = POLLIN;
  if (poll(&loop, 1, 30000) != 1) {
    printf("nothing happens any more\n");
    exit(1);
  }
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  if (wrong)
    exit(1);
}

/* Every third cycle releases the connection while it is up; its objects are freed a moment later. */
static void run_cycle(int waits_for_the_end) {
  jacquard_connection *connection = NULL;
  jacquard_request *withdrawn = NULL;
  struct registration *registrations = cycle.registrations;
  memset(&cycle, 0, sizeof cycle);
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, on_state, &registrations[STATE], on_destroy,
                                               &connection));
  EXPECT(JACQUARD_OK,
         jacquard_connection_on_battery(connection, on_battery, &registrations[BATTERY], on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, &registrations[GEAR], on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_connection_on_touch(connection, on_touch, &registrations[TOUCH], on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_connection_on_name(connection, on_name, &registrations[NAME], on_destroy, NULL));
  while (!cycle.tag)
    turn();
  EXPECT(JACQUARD_OK,
         jacquard_tag_read_battery(cycle.tag, NULL, on_charge, &registrations[READ], on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(cycle.tag, NULL, on_charge, &registrations[WITHDRAWN], on_destroy,
                                                &withdrawn));
  jacquard_request_unref(withdrawn);
  EXPECT_TRUE(registrations[WITHDRAWN].destroyed == 1);
  registrations[WITHDRAWN].over = 1;
  while (!cycle.read || !registrations[READ].destroyed)
    turn();
  if (waits_for_the_end) {
    EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
    while (!cycle.disconnected)
      turn();
  }
  jacquard_connection_unref(connection);
  jacquard_tag_unref(cycle.tag);
  for (int i = 0; i < REGISTRATIONS; i++) {
    EXPECT_TRUE(registrations[i].destroyed == 1);
    registrations[i].over = 1;
  }
  EXPECT_TRUE(cycle.read == 1);
}

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : 1000;
  struct holdings before = {0, 0, 0, 0}, after;
  struct bus_holdings bus_before = {0, 0}, bus_after;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  while (!identifier[0])
    turn();
  for (int number = 1; number <= times; number++) {
    run_cycle(number % 3 || number == times || number == times / 5);
    if (number == times / 5) {
      bus_before = bus_holdings();
      before = holdings();
    }
  }
  after = holdings();
  bus_after = bus_holdings();
  printf("%ld\n", after.resident_kib - before.resident_kib);
  EXPECT_TRUE(after.descriptors == before.descriptors);
  EXPECT_TRUE(after.sockets == before.sockets && after.sockets == 1);
  EXPECT_TRUE(after.threads == 1);
  EXPECT_TRUE(bus_before.connections > 0 && bus_after.connections == bus_before.connections);
  EXPECT_TRUE(bus_before.match_rules > 0 && bus_after.match_rules == bus_before.match_rules);
  jacquard_manager_unref(manager);
  EXPECT_TRUE(holdings().sockets == 0);
  return wrong != 0;
}
