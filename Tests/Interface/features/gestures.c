/* Gestures that gear recognises. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <time.h>

static int count;
static uint32_t numbers[256];
static const char *names[256];
static int64_t arrivals[256];

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  (void)user_data;
  EXPECT(gesture->connection == connection && count < 256);
  numbers[count] = gesture->type;
  arrivals[count] = gesture->arrival_ns;
  names[count++] = gesture->name;
}

static int attached;

static void on_gear(const jacquard_gear *gear, void *user_data) {
  (void)user_data;
  if (gear->component) attached++;
}

static void have_their_names(void) {
  static const struct {
    const char *name;
    uint32_t number;
  } known[] = {
      {"double-tap", JACQUARD_GESTURE_DOUBLE_TAP}, {"brush-in", JACQUARD_GESTURE_BRUSH_IN},
      {"brush-out", JACQUARD_GESTURE_BRUSH_OUT},   {"cover", JACQUARD_GESTURE_COVER},
      {"brush-up", JACQUARD_GESTURE_BRUSH_UP},     {"brush-down", JACQUARD_GESTURE_BRUSH_DOWN},
      {"none", JACQUARD_GESTURE_NONE},
  };
  for (size_t i = 0; i < COUNT(known); i++) {
    count = 0;
    tell("gesture %s", known[i].name);
    EXPECT(run_until(&count, 1));
    EXPECT_NUMBER(known[i].number, numbers[0]);
    EXPECT_TEXT(known[i].name, names[0]);
    EXPECT_TEXT(known[i].name, jacquard_gesture_name(known[i].number));
  }
}

static void unknown_ones_come_as_they_are(void) {
  static const uint32_t unknown[] = {11, 15, 99, UINT32_MAX};
  for (size_t i = 0; i < COUNT(unknown); i++) {
    count = 0;
    tell("gesture %u", (unsigned)unknown[i]);
    EXPECT(run_until(&count, 1));
    EXPECT_NUMBER(unknown[i], numbers[0]);
    EXPECT_TEXT("", names[0]);
  }
}

static void have_the_time_of_their_arrival(void) {
  int64_t before = boot_time_ns();
  count = 0;
  tell("gesture cover");
  EXPECT(run_until(&count, 1));
  EXPECT(arrivals[0] >= before && arrivals[0] <= boot_time_ns());
}

static void come_once_and_in_order(void) {
  count = 0;
  for (unsigned i = 0; i < 100; i++) tell("gesture %u", 100 + i);
  EXPECT(run_until(&count, 100));
  settle();
  EXPECT_NUMBER(100, count);
  for (unsigned i = 0; i < 100; i++) EXPECT_NUMBER(100 + i, numbers[i]);
}

static void none_is_lost_while_the_air_is_slow(void) {
  count = 0;
  tell("air-time 20ms");
  for (unsigned i = 0; i < 12; i++) tell("gesture %u", i);
  tell("air-time 0ms");
  EXPECT(run_until(&count, 12));
  for (unsigned i = 0; i < 12; i++) EXPECT_NUMBER(i, numbers[i]);
}

static void the_subscription_outlives_the_link(void) {
  int before = attached;
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  count = 0;
  tell("gesture double-tap");
  EXPECT(run_until(&count, 1));
  EXPECT_NUMBER(1, numbers[0]);
}

static void an_absent_number_is_none(void) {
  count = 0;
  /* domain 8, opcode 7, component 101, data: inference data without its event */
  tell("send notification c0 0b 08 08 10 07 18 65 aa 39 02 0a 00");
  EXPECT(run_until(&count, 1));
  EXPECT_NUMBER(0, numbers[0]);
}

static int others;

static void on_other(const jacquard_gesture *gesture, void *user_data) {
  (void)gesture, (void)user_data;
  others++;
}

static void a_cancelled_subscription_is_silent(void) {
  jacquard_subscription *subscription = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_other, NULL, NULL, &subscription));
  settle();
  count = 0;
  tell("gesture cover");
  EXPECT(run_until(&count, 1));
  EXPECT_NUMBER(1, others);
  jacquard_subscription_unref(subscription);
  tell("gesture cover");
  EXPECT(run_until(&count, 2));
  settle();
  EXPECT_NUMBER(1, others);
}

static int early, subscribed;

static void on_early(const jacquard_gesture *gesture, void *user_data) {
  (void)user_data;
  EXPECT_NUMBER(JACQUARD_GESTURE_BRUSH_UP, gesture->type);
  early++;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  if (state->phase != JACQUARD_PHASE_CONNECTED || subscribed++ == 0) return;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(state->connection, on_early, NULL, NULL, user_data));
}

static void are_complete_if_subscribed_when_connected(void) {
  jacquard_subscription *states = NULL, *gestures = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_state(connection, on_state, &gestures, NULL, &states));
  EXPECT(run_until(&subscribed, 1));
  /* A gesture while the link is set up: domain 8, opcode 7, component 101, data: inference data. */
  tell("after begun send notification c0 0d 08 08 10 07 18 65 aa 39 04 0a 02 08 0d");
  int before = losses;
  tell("drop link");
  EXPECT(run_until(&losses, before + 1));
  await_link();
  settle();
  EXPECT_NUMBER(2, subscribed);
  EXPECT_NUMBER(1, early);
  jacquard_subscription_unref(gestures);
  jacquard_subscription_unref(states);
}

int main(void) {
  begin("gestures");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, NULL, NULL, NULL));
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, 1));
  test("gestures have their names", have_their_names);
  test("gestures have the time of their arrival", have_the_time_of_their_arrival);
  test("unknown gestures are delivered with their numbers", unknown_ones_come_as_they_are);
  test("a hundred gestures are delivered once and in order", come_once_and_in_order);
  test("no gesture is lost on a slow link", none_is_lost_while_the_air_is_slow);
  test("the subscription outlives the link", the_subscription_outlives_the_link);
  test("a gesture without a number is dropped", an_absent_number_is_none);
  test("a cancelled subscription receives nothing", a_cancelled_subscription_is_silent);
  test("a subscription that begins when the link is ready misses nothing of it",
       are_complete_if_subscribed_when_connected);
  return end();
}
