/* The counters of a connection. */
#include "feature.h"

static jacquard_counters now(void) {
  jacquard_counters counters = JACQUARD_COUNTERS_INIT;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_counters(connection, &counters));
  return counters;
}

static uint32_t links_inside_callback;

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) links_inside_callback = now().links;
}

static void links_are_counted(void) {
  EXPECT_NUMBER(1, now().links);
  tell("drop link");
  EXPECT(run_until(&losses, 1));
  await_link();
  EXPECT_NUMBER(2, now().links);
  EXPECT_NUMBER(2, links_inside_callback);
}

static void responses_and_notifications_are_counted(void) {
  jacquard_counters before;
  /* The notifications of the set-up may arrive after CONNECTED. */
  settle();
  before = now();
  settle();
  EXPECT_NUMBER(1, now().responses - before.responses);
  tell("battery 60");
  tell("battery 61");
  settle();
  EXPECT_NUMBER(2, now().responses - before.responses);
  EXPECT_NUMBER(2, now().notifications - before.notifications);
}

static void on_raw_data(const jacquard_bytes *bytes, void *user_data) {
  (void)bytes;
  (void)user_data;
}

static void raw_packets_are_counted_once(void) {
  jacquard_counters before = now();
  /* A service sends unsolicited packets only to subscribers. */
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_raw_data(connection, on_raw_data, NULL, NULL, NULL));
  settle();
  tell("raw-packet 1 61");
  tell("raw-packet 1 61");
  tell("raw-packet 2 61");
  settle();
  EXPECT_NUMBER(2, now().raw_packets - before.raw_packets);
  settle();
}

static void damaged_values_are_counted(void) {
  static const char *const values[] = {"", "41 01", "80", "c1 01 01", "c0 02 01", "c0 ff ff 7f 01", "00 01"};
  jacquard_counters before = now();
  /* an empty value is not counted */
  for (size_t i = 1; i < COUNT(values); i++) tell("send notification %s", values[i]);
  settle();
  /* The service reports that it dropped something, not what. */
  EXPECT_NUMBER(uses_service ? 0 : COUNT(values) - 1, now().dropped_fragments - before.dropped_fragments);
  EXPECT_NUMBER(uses_service ? COUNT(values) - 1 : 0, now().dropped_notifications - before.dropped_notifications);
  EXPECT_NUMBER(0, now().notifications - before.notifications);
}

static void dropped_packets_are_counted(void) {
  jacquard_counters before = now();
  tell("send notification c0 03 ff ff ff");
  tell("send response c0 03 ff ff ff");
  tell("send response c0 06 08 2a 10 00 18 00"); /* unsolicited */
  run_for(500); /* a response during a request belongs to it */
  settle();
  EXPECT_NUMBER(1, now().dropped_notifications - before.dropped_notifications);
  /* The service passes on responses to this program's requests. */
  EXPECT_NUMBER(uses_service ? 0 : 2, now().dropped_responses - before.dropped_responses);
}

static void other_sizes_of_the_struct(void) {
  struct {
    jacquard_counters known;
    uint64_t later[4];
  } larger;
  jacquard_counters smaller = JACQUARD_COUNTERS_INIT;
  memset(&larger, 0xee, sizeof larger);
  larger.known.struct_size = sizeof larger;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_counters(connection, &larger.known));
  EXPECT_NUMBER(sizeof larger, larger.known.struct_size);
  EXPECT_NUMBER(2, larger.known.links);
  EXPECT(larger.later[0] == 0 && larger.later[3] == 0);
  smaller.struct_size = 4;
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_connection_get_counters(connection, &smaller));
  EXPECT_NUMBER(0, smaller.links);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_connection_get_counters(connection, NULL));
}

int main(void) {
  begin("counters");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_state(connection, on_state, NULL, NULL, NULL));
  test("links are counted, before they are announced", links_are_counted);
  test("responses and notifications are counted", responses_and_notifications_are_counted);
  test("a repeated raw packet is counted once", raw_packets_are_counted_once);
  test("damaged values are counted", damaged_values_are_counted);
  test("dropped packets are counted", dropped_packets_are_counted);
  test("a struct of a later version is filled, a short one refused", other_sizes_of_the_struct);
  return end();
}
