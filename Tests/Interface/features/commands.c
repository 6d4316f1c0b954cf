/* The order and repetition of commands, cancellation, and late, wrong or missing responses. */
#include "feature.h"

static jacquard_component *component;

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  EXPECT((battery == NULL) != (error == NULL));
  note_error(user_data, error);
}

static const jacquard_request_options *within(uint32_t milliseconds) {
  static jacquard_request_options options = JACQUARD_REQUEST_OPTIONS_INIT;
  options.timeout_ms = milliseconds;
  return &options;
}

static int read_battery(const jacquard_request_options *options) {
  struct outcome outcome = {0};
  return finish(&outcome, jacquard_tag_read_battery(tag, options, on_battery, &outcome, on_destroy, NULL));
}

static int start_light(const jacquard_request_options *options, struct outcome *outcome, jacquard_request **request) {
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.halt_all = 1;
  memset(outcome, 0, sizeof *outcome);
  return jacquard_component_play_led(component, &pattern, options, on_done, outcome, on_destroy, request);
}

struct ordered {
  struct outcome outcome;
  int place; /* position of its completion, from 1 */
};

static int completed;

static void on_ordered(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  struct ordered *ordered = user_data;
  (void)battery;
  ordered->place = ++completed;
  note_error(&ordered->outcome, error);
}

static void are_answered_in_order(void) {
  static struct ordered all[300]; /* more than there are IDs */
  completed = 0;
  for (size_t i = 0; i < COUNT(all); i++)
    EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_ordered, &all[i], on_destroy, NULL));
  EXPECT(run_until(&completed, COUNT(all)));
  for (size_t i = 0; i < COUNT(all); i++) {
    EXPECT_NUMBER(i + 1, all[i].place);
    EXPECT_NUMBER(JACQUARD_OK, all[i].outcome.code);
    EXPECT_NUMBER(1, all[i].outcome.completed);
    EXPECT(run_until(&all[i].outcome.destroyed, 1));
  }
  EXPECT_NUMBER(COUNT(all), requests("battery"));
}

static void one_is_in_flight(void) {
  struct outcome first, second;
  tell("on request led once: delay 300ms");
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &first, NULL));
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &second, NULL));
  run_for(150);
  EXPECT_NUMBER(1, requests("led"));
  EXPECT(run_until(&second.destroyed, 1));
  EXPECT_NUMBER(JACQUARD_OK, first.code);
  EXPECT_NUMBER(2, requests("led"));
}

static void reads_are_repeated(void) {
  int began = milliseconds_now();
  tell("on request battery once: drop");
  EXPECT_NUMBER(JACQUARD_OK, read_battery(NULL));
  EXPECT_NUMBER(2, requests("battery"));
  EXPECT(milliseconds_now() - began >= 8000);
}

static void a_time_limit_ends_the_wait_alone(void) {
  tell("on request battery once: delay 600ms");
  EXPECT_NUMBER(JACQUARD_ERROR_TIMEOUT, read_battery(within(200)));
  EXPECT_NUMBER(JACQUARD_OK, read_battery(NULL));
  EXPECT_NUMBER(2, requests("battery"));
}

static void an_answer_that_does_not_decode_is_malformed(void) {
  tell("on request battery once: garbage");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, read_battery(NULL));
  EXPECT_NUMBER(1, requests("battery"));
}

static void a_late_answer_is_dropped(void) {
  struct outcome outcome;
  jacquard_counters before = JACQUARD_COUNTERS_INIT, after = JACQUARD_COUNTERS_INIT;
  jacquard_connection_get_counters(connection, &before);
  tell("on request led once: delay 400ms");
  EXPECT_NUMBER(JACQUARD_OK, start_light(within(200), &outcome, NULL));
  EXPECT(run_until(&outcome.destroyed, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_TIMEOUT, outcome.code);
  run_for(400);
  EXPECT_NUMBER(JACQUARD_OK, read_battery(NULL));
  jacquard_connection_get_counters(connection, &after);
  EXPECT_NUMBER(1, after.dropped_responses - before.dropped_responses);
  EXPECT_NUMBER(1, outcome.completed);
}

static void an_answer_counts_once(void) {
  jacquard_counters before = JACQUARD_COUNTERS_INIT, after = JACQUARD_COUNTERS_INIT;
  jacquard_connection_get_counters(connection, &before);
  tell("on request battery once: duplicate");
  EXPECT_NUMBER(JACQUARD_OK, read_battery(NULL));
  settle();
  jacquard_connection_get_counters(connection, &after);
  /* The second one may be a copy for another program, which exists in the virtual machine. The service does not pass it
   * on. */
  EXPECT_NUMBER(uses_service ? 0 : 1,
                after.dropped_responses - before.dropped_responses + after.dropped_copies - before.dropped_copies);
  EXPECT_NUMBER(2, after.responses - before.responses);
}

static void cancelled_before_it_is_sent(void) {
  struct outcome first, second, third;
  jacquard_request *request = NULL;
  tell("on request led once: delay 200ms");
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &first, NULL));
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &second, &request));
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &third, NULL));
  run_for(50);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(request));
  EXPECT_NUMBER(1, second.destroyed);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(request));
  jacquard_request_unref(request);
  EXPECT(run_until(&third.destroyed, 1));
  EXPECT_NUMBER(2, requests("led"));
  EXPECT_NUMBER(0, second.completed);
  EXPECT_NUMBER(1, second.destroyed);
}

static void cancelled_while_it_waits_for_its_answer(void) {
  struct outcome outcome;
  jacquard_request *request = NULL;
  tell("on request led once: delay 200ms");
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &outcome, &request));
  run_for(100);
  jacquard_request_unref(request);
  EXPECT_NUMBER(1, outcome.destroyed);
  settle();
  EXPECT_NUMBER(1, requests("led"));
  EXPECT_NUMBER(0, outcome.completed);
  EXPECT_NUMBER(1, outcome.destroyed);
}

static jacquard_request *to_cancel;

static void on_done_cancelling(const jacquard_error *error, void *user_data) {
  note_error(user_data, error);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_request_cancel(to_cancel));
  EXPECT_NUMBER(0, ((struct outcome *)user_data)->destroyed);
}

static void cancelled_inside_its_own_callback(void) {
  struct outcome outcome = {0};
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.halt_all = 1;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_component_play_led(component, &pattern, NULL, on_done_cancelling, &outcome,
                                                         on_destroy, &to_cancel));
  EXPECT(run_until(&outcome.destroyed, 1));
  settle();
  EXPECT_NUMBER(1, outcome.completed);
  EXPECT_NUMBER(1, outcome.destroyed);
  to_cancel = jacquard_request_unref(to_cancel);
}

static void cancelled_reads_are_not_repeated(void) {
  struct outcome outcome = {0};
  jacquard_request *request = NULL;
  tell("on request battery once: delay 300ms");
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_tag_read_battery(tag, within(200), on_battery, &outcome, on_destroy, &request));
  run_for(100);
  jacquard_request_unref(request);
  run_for(400);
  EXPECT_NUMBER(1, requests("battery"));
  EXPECT_NUMBER(0, outcome.completed);
}

static void on_done_again(const jacquard_error *error, void *user_data) {
  struct outcome *outcomes = user_data;
  note_error(&outcomes[0], error);
  EXPECT_NUMBER(JACQUARD_OK, start_light(NULL, &outcomes[1], NULL));
}

static void given_inside_a_callback(void) {
  struct outcome outcomes[2];
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  memset(outcomes, 0, sizeof outcomes);
  pattern.halt_all = 1;
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_component_play_led(component, &pattern, NULL, on_done_again, outcomes, NULL, NULL));
  EXPECT(run_until(&outcomes[1].destroyed, 1));
  EXPECT_NUMBER(JACQUARD_OK, outcomes[1].code);
}

int main(void) {
  begin("commands");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  test("three hundred commands complete in order", are_answered_in_order);
  test("one command is in flight at a time", one_is_in_flight);
  test("a read without a response is repeated", reads_are_repeated);
  test("a time limit ends only the wait", a_time_limit_ends_the_wait_alone);
  test("a late response is dropped", a_late_answer_is_dropped);
  test("a duplicated response counts once", an_answer_counts_once);
  test("a command cancelled in time is not sent", cancelled_before_it_is_sent);
  test("a command cancelled too late does not call back", cancelled_while_it_waits_for_its_answer);
  test("a command may be cancelled inside its callback", cancelled_inside_its_own_callback);
  test("a cancelled read is not repeated", cancelled_reads_are_not_repeated);
  test("a command may be sent inside a callback", given_inside_a_callback);
  test("a response that cannot be decoded is malformed", an_answer_that_does_not_decode_is_malformed);
  jacquard_component_unref(component);
  return end();
}
