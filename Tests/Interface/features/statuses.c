/* The error statuses of a tag. */
#include "feature.h"

struct expected {
  unsigned status;
  const char *name;
};

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  EXPECT(battery == NULL && error != NULL);
  note_error(user_data, error);
}

static void answers(const struct expected *expected) {
  struct outcome outcome = {0};
  tell("on request battery once: status %u", expected->status);
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS,
                finish(&outcome, jacquard_tag_read_battery(tag, NULL, on_battery, &outcome, on_destroy, NULL)));
  EXPECT_NUMBER((int32_t)expected->status, outcome.tag_status);
  EXPECT_TEXT(expected->name, outcome.tag_status_name);
  EXPECT_NUMBER(0, outcome.att_code);
}

static void documented(void) {
  static const struct expected statuses[] = {
      {JACQUARD_TAG_STATUS_UNSUPPORTED, "UNSUPPORTED"},
      {JACQUARD_TAG_STATUS_BAD_PARAMETER, "BAD_PARAMETER"},
      {JACQUARD_TAG_STATUS_BATTERY_LOW, "BATTERY_LOW"},
      {JACQUARD_TAG_STATUS_HARDWARE_FAILURE, "HARDWARE_FAILURE"},
      {JACQUARD_TAG_STATUS_NOT_AUTHENTICATED, "NOT_AUTHENTICATED"},
      {JACQUARD_TAG_STATUS_WRONG_DEVICE_TYPE, "WRONG_DEVICE_TYPE"},
      {JACQUARD_TAG_STATUS_INVALID_STATE, "INVALID_STATE"},
      {JACQUARD_TAG_STATUS_FLASH_ACCESS_FAILED, "FLASH_ACCESS_FAILED"},
      {JACQUARD_TAG_STATUS_CHECKSUM_MISMATCH, "CHECKSUM_MISMATCH"},
      {JACQUARD_TAG_STATUS_BUSY, "BUSY"},
      {JACQUARD_TAG_STATUS_LOW_MEMORY, "LOW_MEMORY"},
      {JACQUARD_TAG_STATUS_UNKNOWN_FAILURE, "UNKNOWN_FAILURE"},
  };
  for (size_t i = 0; i < COUNT(statuses); i++) answers(&statuses[i]);
  EXPECT_NUMBER(COUNT(statuses), requests("battery"));
}

static void unknown(void) {
  static const struct expected statuses[] = {{11, "STATUS_11"}, {77, "STATUS_77"}, {4294967295u, "STATUS_4294967295"}};
  for (size_t i = 0; i < COUNT(statuses); i++) answers(&statuses[i]);
}

static void told_by_every_command(void) {
  struct outcome outcome = {0};
  jacquard_component *component = NULL;
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  jacquard_value value = JACQUARD_VALUE_INIT;
  pattern.halt_all = 1;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  /* "any" would include the requests of other programs. */
  tell("on request led once: status 10");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS,
                finish(&outcome, jacquard_component_play_led(component, &pattern, NULL, on_done, &outcome, on_destroy,
                                                             NULL)));
  outcome = (struct outcome){0};
  tell("on request config-set once: status 10");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS,
                finish(&outcome, jacquard_tag_write_value(tag, 0, 0, "k", &value, NULL, on_done, &outcome, on_destroy,
                                                        NULL)));
  outcome = (struct outcome){0};
  tell("on request disconnect once: status 10");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS,
                finish(&outcome,
                       jacquard_tag_request_disconnect(tag, 0, 0, NULL, on_done, &outcome, on_destroy, NULL)));
  EXPECT_NUMBER(10, outcome.tag_status);
  jacquard_component_unref(component);
  settle();
  EXPECT_NUMBER(1, links);
}

static void refused_calls(void) {
  static const struct { const char *name, *message; } names[] = {
      {"a name of more than 21 bytes", "name is not 1 to 21 bytes long."}, {NULL, "name is NULL."},
      {"two\nlines", "name has a control character."},   {"\x1b[31mred", "name has a control character."},
      {"a\ttab", "name has a control character."},       {"\xc2\x9b" "31m", "name has a control character."},
      {" ", "name is blank."},                            {"\xc2\xa0 ", "name is blank."}};
  for (size_t i = 0; i < COUNT(names); i++) {
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                  jacquard_tag_rename(tag, names[i].name, NULL, on_done, NULL, on_destroy, NULL));
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_last_error()->code);
    EXPECT_TEXT(names[i].message, jacquard_last_error()->message);
  }
  EXPECT_NUMBER(0, requests(NULL));
}

int main(void) {
  begin("statuses");
  connect_tag();
  test("every documented status has its number and name", documented);
  test("an unknown status has its number", unknown);
  test("a refusal ends the command, not the link", told_by_every_command);
  test("a refused call reports the reason", refused_calls);
  return end();
}
