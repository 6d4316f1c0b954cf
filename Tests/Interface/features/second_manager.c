/* A second manager in the same process, as another library or program would create it. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <poll.h>

static jacquard_manager *second;
static jacquard_connection *other;
static jacquard_tag *other_tag;
static int other_links, other_ends, attached, gestures, sightings;
static uint32_t numbers[64];

/* Runs both loops until the number has reached this value or the time limit has passed. */
static int run_both_until(const int *number, int wanted, int milliseconds) {
  int deadline = milliseconds_now() + milliseconds;
  struct pollfd loops[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};
  loops[0].fd = jacquard_manager_get_fd(manager);
  loops[1].fd = jacquard_manager_get_fd(second);
  while (!number || *number < wanted) {
    int left = deadline - milliseconds_now();
    if (left <= 0) return 0;
    if (poll(loops, 2, left) <= 0) continue;
    if (loops[0].revents) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(manager));
    if (loops[1].revents) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(second));
  }
  return 1;
}

static void on_other_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    jacquard_tag_unref(other_tag);
    other_tag = jacquard_tag_ref(state->tag);
    other_links++;
  }
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) other_ends++;
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  (void)user_data;
  if (gestures < (int)COUNT(numbers)) numbers[gestures] = gesture->type;
  gestures++;
}

static void on_gear(const jacquard_gear *gear, void *user_data) {
  (void)user_data;
  if (gear->component) attached++;
}

static void on_found(const jacquard_advertisement *advertisement, void *user_data) {
  (void)advertisement, (void)user_data;
  sightings++;
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)battery;
  note_error(user_data, error);
}

static jacquard_counters counters(void) {
  jacquard_counters counters = JACQUARD_COUNTERS_INIT;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_counters(other, &counters));
  return counters;
}

static void receives_each_gesture_once_after_the_first(void) {
  static const uint32_t sent[] = {1, 1, 2, 2, 3, 3};
  struct outcome outcome = {0};
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(connection));
  EXPECT(run_both_until(&ends, 1, 30000));
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_manager_connect(second, found_identifier, NULL, on_other_state, NULL, NULL, &other));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(other, on_gesture, NULL, NULL, NULL));
  EXPECT(run_both_until(&other_links, 1, 60000));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(other, on_gear, NULL, NULL, NULL));
  tell("gear attach levis-trucker");
  EXPECT(run_both_until(&attached, 1, 30000));
  for (size_t i = 0; i < COUNT(sent); i++) tell("gesture %u", (unsigned)sent[i]);
  EXPECT(run_both_until(&gestures, COUNT(sent), 30000));
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_tag_read_battery(other_tag, NULL, on_battery, &outcome, on_destroy, NULL));
  EXPECT(run_both_until(&outcome.destroyed, 1, 30000));
  EXPECT_NUMBER(JACQUARD_OK, outcome.code);
  EXPECT_NUMBER(COUNT(sent), gestures);
  for (size_t i = 0; i < COUNT(sent); i++) EXPECT_NUMBER(sent[i], numbers[i]);
  EXPECT_NUMBER(0, counters().dropped_responses + counters().dropped_fragments + counters().dropped_copies);
}

static void may_scan_beside_the_first(void) {
  jacquard_scan *first_scan = NULL, *second_scan = NULL;
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(other));
  EXPECT(run_both_until(&other_ends, 1, 30000));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_scan(manager, &options, on_found, NULL, NULL, NULL, &first_scan));
  EXPECT(run_both_until(&sightings, 1, 30000));
  jacquard_scan_stop(first_scan);
  jacquard_scan_unref(first_scan);
  sightings = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_scan(second, &options, on_found, NULL, NULL, NULL, &second_scan));
  EXPECT(run_both_until(&sightings, 1, 30000));
  jacquard_scan_stop(second_scan);
  jacquard_scan_unref(second_scan);
}

static void outlives_the_first(void) {
  jacquard_connection_unref(other);
  other = NULL;
  jacquard_connection_unref(connection);
  connection = NULL;
  jacquard_tag_unref(tag);
  tag = NULL;
  jacquard_manager_unref(manager);
  manager = second;
  other_links = 0;
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_manager_connect(second, found_identifier, NULL, on_other_state, NULL, NULL, &other));
  EXPECT(run_until(&other_links, 1));
  jacquard_connection_unref(other);
  jacquard_tag_unref(other_tag);
}

int main(void) {
  begin("second_manager");
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_new(NULL, &second));
  connect_tag();
  test("it receives each gesture once after the first has ended", receives_each_gesture_once_after_the_first);
  test("it may scan at the same time as the first", may_scan_beside_the_first);
  test("it outlives the first", outlives_the_first);
  return end();
}
