/* Connecting to a tag of which only the serial number is known. */
#include "feature.h"

/* The connection of a test. */
static jacquard_connection *wanted;
static int states, searching, connected, ended, reason, destroyed;
static char identifier[64];

static void on_wanted(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  states++;
  if (!*state->identifier) EXPECT(state->step == 0 && !state->tag);
  if (!*state->identifier && state->phase == JACQUARD_PHASE_PREPARING) searching++;
  snprintf(identifier, sizeof identifier, "%s", state->identifier);
  if (state->phase == JACQUARD_PHASE_CONNECTED) {
    connected++;
    jacquard_tag_unref(tag);
    tag = jacquard_tag_ref(state->tag);
  }
  if (state->phase != JACQUARD_PHASE_DISCONNECTED) return;
  ended++;
  reason = state->reason ? state->reason->code : JACQUARD_OK;
}

static void on_wanted_end(void *user_data) { ++*(int *)user_data; }

static int want(const char *known, const char *serial, uint32_t timeout_ms) {
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  states = searching = connected = ended = reason = destroyed = 0;
  options.serial = serial;
  options.timeout_ms = timeout_ms;
  return jacquard_manager_connect(manager, known, &options, on_wanted, &destroyed, on_wanted_end, &wanted);
}

static void release(void) {
  wanted = jacquard_connection_unref(wanted);
  EXPECT_NUMBER(1, destroyed);
}

static void refused(const char *known, const char *serial, const char *sentence) {
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, want(known, serial, 0));
  EXPECT_TEXT(sentence, jacquard_last_error()->message);
  EXPECT(!wanted && destroyed == 0);
}

static void exactly_one_of_both_is_needed(void) {
  find_tag();
  refused(found_identifier, "01ZK", "identifier and serial are both given; pass NULL for one of them.");
  refused(NULL, NULL, "identifier is NULL, and so is serial; pass one of them.");
  refused(NULL, "", "serial is empty.");
}

static void an_absent_tag_is_not_found(void) {
  int since = milliseconds_now();
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "ZZZZ", 700));
  EXPECT(run_until(&ended, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, reason);
  EXPECT(milliseconds_now() - since >= 700);
  EXPECT(searching == 1 && states == 2);
  EXPECT_TEXT("", identifier);
  release();
}

static void the_search_can_be_ended(void) {
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "ZZZZ", 0));
  EXPECT(run_until(&searching, 1));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(wanted));
  EXPECT(run_until(&ended, 1));
  EXPECT_NUMBER(JACQUARD_OK, reason);
  release();
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "ZZZZ", 0));
  EXPECT(run_until(&searching, 1));
  release();
  run_for(100);
  EXPECT_NUMBER(0, ended);
}

static void on_charge(const jacquard_battery_event *event, void *user_data) {
  (void)event;
  ++*(int *)user_data;
}

static void the_tag_is_found_and_connected(void) {
  int charges = 0;
  jacquard_connection *same = NULL;
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "0000aaaaa001zk", 0));
  /* Events that are subscribed during the search are delivered. */
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_battery(wanted, on_charge, &charges, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_PHASE_PREPARING, jacquard_connection_get_phase(wanted));
  EXPECT(run_until(&connected, 1));
  EXPECT(run_until(&charges, 1));
  EXPECT_TEXT(found_identifier, identifier);
  EXPECT_NUMBER(1, searching);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_find_connection(manager, found_identifier, &same));
  EXPECT(same == wanted);
  jacquard_connection_unref(same);
}

static void a_second_connection_is_refused(void) {
  jacquard_connection *first = wanted;
  wanted = NULL;
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "01ZK", 20000));
  EXPECT(run_until(&ended, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_ALREADY_CONNECTED, reason);
  release();
  wanted = first;
  EXPECT_NUMBER(JACQUARD_PHASE_CONNECTED, jacquard_connection_get_phase(wanted));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(wanted));
  destroyed = ended = 0;
  EXPECT(run_until(&ended, 1));
  release();
}

static void the_next_one_is_not(void) {
  EXPECT_NUMBER(JACQUARD_OK, want(NULL, "01ZK", 0));
  EXPECT(run_until(&connected, 1));
  settle();
  release();
}

int main(void) {
  begin("serial");
  test("exactly one of identifier and serial number is needed", exactly_one_of_both_is_needed);
  test("an absent tag is not found in time", an_absent_tag_is_not_found);
  test("the search can be ended, and begins nothing", the_search_can_be_ended);
  test("the tag is found, connected, and has its identifier", the_tag_is_found_and_connected);
  test("a second connection to the tag is refused when it is found", a_second_connection_is_refused);
  test("the next connection finds the tag again", the_next_one_is_not);
  return end();
}
