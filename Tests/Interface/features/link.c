/* The link: ended on request or lost, and the effect on the tag and its commands. */
#include "../commands.h"
#include "feature.h"

static struct outcome last;

static int hang_up(uint32_t delay_s, uint32_t only_on_motion) {
  memset(&last, 0, sizeof last);
  return finish(&last,
                jacquard_tag_request_disconnect(tag, delay_s, only_on_motion, NULL, on_done, &last, on_destroy, NULL));
}

static void on_charge(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)battery;
  note_error(user_data, error);
}

/* In dBm. */
static const int strength_at_start = -60, strength_when_found = -42;

static void has_the_strength_of_the_advertisement(void) {
  int32_t rssi = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_rssi(connection, &rssi));
  /* A tag that other programs use does not advertise, so its strength is the one from before the move. */
  if (found_rssi != JACQUARD_RSSI_UNKNOWN) EXPECT_NUMBER(found_rssi, rssi);
  /* Reports vary slightly; virtual controllers report no strength. */
  int strength = found_rssi == JACQUARD_RSSI_UNKNOWN ? strength_at_start : strength_when_found;
  EXPECT((rssi >= strength - 2 && rssi <= strength + 2) || rssi == JACQUARD_RSSI_UNKNOWN);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_connection_get_rssi(connection, NULL));
}

static void asked_to_end_it_does_and_comes_back(void) {
  EXPECT_NUMBER(JACQUARD_OK, hang_up(0, 0));
  EXPECT(run_until(&losses, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_CONNECTION_LOST, last_reason);
  await_link();
  EXPECT_NUMBER(2, links);
  EXPECT_NUMBER(1, requests("disconnect"));
}

static void the_tag_waits_as_long_as_it_is_told(void) {
  int since = milliseconds_now();
  EXPECT_NUMBER(JACQUARD_OK, hang_up(1, 0));
  settle();
  EXPECT_NUMBER(1, losses);
  EXPECT(run_until(&losses, 2));
  EXPECT(milliseconds_now() - since >= 1000);
  await_link();
}

static void the_tag_stays_away_until_it_is_moved(void) {
  EXPECT_NUMBER(JACQUARD_OK, hang_up(0, 1));
  EXPECT(run_until(&losses, 3));
  run_for(1500);
  EXPECT_NUMBER(3, links);
  tell("move");
  await_link();
  EXPECT_NUMBER(4, links);
}

static void a_wrong_flag_is_refused(void) {
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, hang_up(0, 2));
  EXPECT_NUMBER(0, requests(NULL));
}

static void a_loss_completes_everything_outstanding(void) {
  struct outcome outcomes[20];
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  jacquard_component *component = NULL;
  pattern.halt_all = 1;
  memset(outcomes, 0, sizeof outcomes);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  /* The kind of the first request; "any" would include requests of other programs. */
  tell("on request battery: drop");
  for (size_t i = 0; i < COUNT(outcomes); i++)
    EXPECT_NUMBER(JACQUARD_OK,
                  i % 2 ? jacquard_component_play_led(component, &pattern, NULL, on_done, &outcomes[i], on_destroy,
                                                      NULL)
                        : jacquard_tag_read_battery(tag, NULL, on_charge, &outcomes[i], on_destroy, NULL));
  run_for(300);
  EXPECT_NUMBER(1, requests(NULL));
  tell("heed");
  tell("drop link");
  EXPECT(run_until(&losses, 4));
  for (size_t i = 0; i < COUNT(outcomes); i++) {
    EXPECT(run_until(&outcomes[i].destroyed, 1));
    EXPECT_NUMBER(JACQUARD_ERROR_CONNECTION_LOST, outcomes[i].code);
    EXPECT_NUMBER(1, outcomes[i].completed);
    EXPECT_NUMBER(1, outcomes[i].destroyed);
  }
  jacquard_component_unref(component);
  await_link();
}

static void a_tag_that_hangs_up_instead_of_answering(void) {
  struct outcome outcome = {0};
  tell("on request battery once: disconnect");
  EXPECT_NUMBER(JACQUARD_ERROR_CONNECTION_LOST,
                finish(&outcome, jacquard_tag_read_battery(tag, NULL, on_charge, &outcome, on_destroy, NULL)));
  EXPECT_NUMBER(1, requests("battery"));
  EXPECT(run_until(&losses, 5));
  await_link();
}

static void on_configuration(const jacquard_configuration *configuration, const jacquard_error *error,
                             void *user_data) {
  (void)configuration;
  note_error(user_data, error);
}

static void on_value(const jacquard_value *value, const jacquard_error *error, void *user_data) {
  (void)value;
  note_error(user_data, error);
}

static void on_modules(const jacquard_module *const *modules, size_t count, const jacquard_error *error,
                       void *user_data) {
  (void)modules, (void)count;
  note_error(user_data, error);
}

static void on_motion_status(const jacquard_motion_status *status, const jacquard_error *error, void *user_data) {
  (void)status;
  note_error(user_data, error);
}

static void on_sessions(const jacquard_session *const *sessions, size_t count, const jacquard_error *error,
                        void *user_data) {
  (void)sessions, (void)count;
  note_error(user_data, error);
}

static void on_info(const jacquard_component_info *info, const jacquard_error *error, void *user_data) {
  (void)info;
  note_error(user_data, error);
}

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  (void)response;
  note_error(user_data, error);
}

#define STALE(function, callback, ...)                                                              \
  do {                                                                                              \
    memset(&last, 0, sizeof last);                                                                  \
    EXPECT_NUMBER(JACQUARD_ERROR_STALE_TAG,                                                         \
                  finish(&last, function(__VA_ARGS__, NULL, callback, &last, on_destroy, NULL)));    \
  } while (0);

static void every_command_of_a_stale_tag_says_so(void) {
  jacquard_tag *old = jacquard_tag_ref(tag);
  jacquard_component *component = NULL;
  const jacquard_tag_info *info = NULL;
  tell("drop link");
  EXPECT(run_until(&losses, 6));
  await_link();
  EXPECT(tag != old);
  int before = requests(NULL);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(old, &component));
  TAG_COMMANDS(STALE, old)
  STALE(jacquard_component_read_info, on_info, component)
  STALE(jacquard_component_play_led, on_done, component, A_PATTERN)
  EXPECT_NUMBER(before, requests(NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_info(old, &info));
  EXPECT_TEXT("Google Inc.", info->vendor);
  jacquard_component_unref(component);
  jacquard_tag_unref(old);
}

static void disconnecting_ends_it_without_a_reason(void) {
  struct outcome outcome = {0};
  tell("on request battery: drop");
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, &outcome, on_destroy, NULL));
  run_for(100);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(connection));
  EXPECT(run_until(&ends, 1));
  EXPECT_NUMBER(JACQUARD_OK, last_reason);
  EXPECT(run_until(&outcome.destroyed, 1));
  EXPECT_NUMBER(1, outcome.completed);
  EXPECT(outcome.code == JACQUARD_ERROR_CLOSED || outcome.code == JACQUARD_ERROR_CONNECTION_LOST);
  tell("heed");
}

int main(void) {
  begin("link");
  tell("rssi -42");
  connect_tag();
  test("the signal strength is that of the last advertisement", has_the_strength_of_the_advertisement);
  test("it ends on request, and is re-established", asked_to_end_it_does_and_comes_back);
  test("the tag waits for the requested delay", the_tag_waits_as_long_as_it_is_told);
  test("the tag stays away until it is moved", the_tag_stays_away_until_it_is_moved);
  test("a wrong flag is refused before sending", a_wrong_flag_is_refused);
  test("a lost link completes all pending commands", a_loss_completes_everything_outstanding);
  test("a tag may disconnect instead of responding", a_tag_that_hangs_up_instead_of_answering);
  test("every command of a stale tag fails with STALE_TAG", every_command_of_a_stale_tag_says_so);
  test("disconnecting ends it without a reason", disconnecting_ends_it_without_a_reason);
  return end();
}
