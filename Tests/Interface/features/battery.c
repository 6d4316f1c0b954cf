/* The battery: read, and reported. */
#include "feature.h"

struct reading {
  struct outcome outcome;
  jacquard_battery battery;
};

static void on_reading(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  struct reading *reading = user_data;
  EXPECT((battery == NULL) != (error == NULL));
  if (battery) reading->battery = *battery;
  note_error(&reading->outcome, error);
}

static int read_battery(struct reading *reading) {
  memset(reading, 0, sizeof *reading);
  return finish(&reading->outcome, jacquard_tag_read_battery(tag, NULL, on_reading, reading, on_destroy, NULL));
}

struct events {
  int count;
  jacquard_battery latest;
  int links; /* at the first event */
};

static void on_event(const jacquard_battery_event *event, void *user_data) {
  struct events *events = user_data;
  if (events->count++ == 0) events->links = links;
  events->latest = *event->battery;
}

static struct events events;

static void is_told_after_connecting(void) {
  EXPECT(run_until(&events.count, 1));
  EXPECT_NUMBER(1, events.links);
  EXPECT_NUMBER(80, events.latest.percent);
  EXPECT_NUMBER(0, events.latest.charging);
}

static void is_asked_for(void) {
  static const struct {
    const char *line;
    uint32_t percent, charging;
  } levels[] = {{"battery 0 discharging", 0, 0}, {"battery 55 charging", 55, 1}, {"battery 100 discharging", 100, 0}};
  for (size_t i = 0; i < COUNT(levels); i++) {
    struct reading reading;
    tell("%s", levels[i].line);
    EXPECT_NUMBER(JACQUARD_OK, read_battery(&reading));
    EXPECT_NUMBER(levels[i].percent, reading.battery.percent);
    EXPECT_NUMBER(levels[i].charging, reading.battery.charging);
  }
  EXPECT_NUMBER(3, requests("battery"));
}

static void changes_are_told(void) {
  int before = events.count;
  tell("battery 42 charging");
  EXPECT(run_until(&events.count, before + 1));
  EXPECT_NUMBER(42, events.latest.percent);
  EXPECT_NUMBER(1, events.latest.charging);
}

static void a_late_subscriber_hears_the_latest(void) {
  struct events late = {0};
  jacquard_subscription *subscription = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_battery(connection, on_event, &late, NULL, &subscription));
  EXPECT(run_until(&late.count, 1));
  EXPECT_NUMBER(42, late.latest.percent);
  EXPECT_NUMBER(1, late.latest.charging);
  jacquard_subscription_unref(subscription);
  tell("battery 41 charging");
  settle();
  EXPECT_NUMBER(1, late.count);
}

static void half_a_status_is_dropped(void) {
  int before = events.count;
  struct reading reading;
  /* domain 0, opcode 23, component 0, battery status with a level only, then with charging only */
  tell("send notification c0 0b 08 00 10 17 18 00 ca 07 02 08 05");
  tell("send notification c0 0b 08 00 10 17 18 00 ca 07 02 10 01");
  settle();
  EXPECT_NUMBER(before, events.count);
  tell("on request battery once: without-payload");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, read_battery(&reading));
}

static void the_subscription_outlives_the_link(void) {
  int before = events.count;
  tell("battery 33 discharging");
  EXPECT(run_until(&events.count, before + 1));
  tell("drop link");
  EXPECT(run_until(&events.count, before + 2));
  EXPECT_NUMBER(2, links);
  EXPECT_NUMBER(33, events.latest.percent);
}

static void nothing_is_replayed_from_an_earlier_link(void) {
  struct events late = {0};
  jacquard_subscription *subscription = NULL;
  tell("advertise off");
  tell("drop link");
  EXPECT(run_until(&losses, 2));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_battery(connection, on_event, &late, NULL, &subscription));
  run_for(50);
  EXPECT_NUMBER(0, late.count);
  tell("battery 32 discharging");
  tell("advertise on");
  await_link();
  EXPECT(run_until(&late.count, 1));
  EXPECT_NUMBER(32, late.latest.percent);
  jacquard_subscription_unref(subscription);
}

int main(void) {
  begin("battery");
  open_connection();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_battery(connection, on_event, &events, NULL, NULL));
  await_link();
  test("the battery is reported immediately after connecting", is_told_after_connecting);
  test("the battery level is read", is_asked_for);
  test("changes are reported", changes_are_told);
  test("a late subscriber receives the latest value", a_late_subscriber_hears_the_latest);
  test("an incomplete status is dropped", half_a_status_is_dropped);
  test("the subscription outlives the link", the_subscription_outlives_the_link);
  test("nothing is replayed from an earlier link", nothing_is_replayed_from_an_earlier_link);
  return end();
}
