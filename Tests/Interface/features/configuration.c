/* The tag's configuration. */
#include "feature.h"

struct reading {
  struct outcome outcome;
  jacquard_configuration is;
  char name[64];
};

static void on_configuration(const jacquard_configuration *configuration, const jacquard_error *error,
                             void *user_data) {
  struct reading *reading = user_data;
  EXPECT((configuration == NULL) != (error == NULL));
  if (configuration) {
    EXPECT_SIZE(sizeof *configuration, configuration->struct_size);
    EXPECT((configuration->name != NULL) == ((configuration->fields & JACQUARD_CONFIGURATION_FIELD_NAME) != 0));
    COPY(&reading->is, configuration);
    if (configuration->name) snprintf(reading->name, sizeof reading->name, "%s", configuration->name);
    reading->is.name = NULL;
  }
  note_error(&reading->outcome, error);
}

static int read_all(struct reading *reading) {
  memset(reading, 0, sizeof *reading);
  return finish(&reading->outcome,
                jacquard_tag_read_configuration(tag, NULL, on_configuration, reading, on_destroy, NULL));
}

static int write_some(const jacquard_configuration *configuration, struct reading *reading) {
  memset(reading, 0, sizeof *reading);
  return finish(&reading->outcome, jacquard_tag_write_configuration(tag, configuration, NULL, on_configuration, reading,
                                                                    on_destroy, NULL));
}

static jacquard_configuration with(uint32_t fields) {
  jacquard_configuration configuration = JACQUARD_CONFIGURATION_INIT;
  configuration.fields = fields;
  return configuration;
}

static const uint32_t MEDIUM =
    JACQUARD_CONFIGURATION_FIELD_MEDIUM_INTERVAL | JACQUARD_CONFIGURATION_FIELD_MEDIUM_DURATION;
static const uint32_t MOTION = 0x3f000;
static const uint32_t ALL = 0x3ffff;

static void expect_same(const jacquard_configuration *expected, const jacquard_configuration *is) {
  EXPECT_NUMBER(expected->fields, is->fields);
  EXPECT_NUMBER(expected->tx_power, is->tx_power);
  EXPECT_NUMBER(expected->tx_power_maximum, is->tx_power_maximum);
  EXPECT(expected->fast_interval_ms == is->fast_interval_ms);
  EXPECT_NUMBER(expected->fast_duration_s, is->fast_duration_s);
  EXPECT(expected->medium_interval_ms == is->medium_interval_ms);
  EXPECT_NUMBER(expected->medium_duration_s, is->medium_duration_s);
  EXPECT(expected->slow_interval_ms == is->slow_interval_ms);
  EXPECT_NUMBER(expected->slow_duration_s, is->slow_duration_s);
  EXPECT_NUMBER(expected->connection_interval_minimum, is->connection_interval_minimum);
  EXPECT_NUMBER(expected->connection_interval_maximum, is->connection_interval_maximum);
  EXPECT_NUMBER(expected->queue_depth, is->queue_depth);
  EXPECT_NUMBER(expected->motion_enabled, is->motion_enabled);
  EXPECT_NUMBER(expected->motion_sensitivity, is->motion_sensitivity);
  EXPECT_NUMBER(expected->motion_threshold, is->motion_threshold);
  EXPECT_NUMBER(expected->motion_timeout_ms, is->motion_timeout_ms);
  EXPECT_NUMBER(expected->motion_gear_power, is->motion_gear_power);
  EXPECT_NUMBER(expected->motion_link, is->motion_link);
}

static void is_read(void) {
  struct reading reading;
  EXPECT_NUMBER(JACQUARD_OK, read_all(&reading));
  jacquard_configuration factory = {
      (uint32_t)sizeof factory, ALL & ~MEDIUM, NULL, -12, 0, 20, 60, 0, 0, 1285, 60, 6, 400, 14, 1, 2, 20,
      600000, 0, 2, 0};
  expect_same(&factory, &reading.is);
  EXPECT_TEXT("Jacquard-01ZK", reading.name);
}

static void a_part_is_written(void) {
  struct reading before, echo, after;
  jacquard_configuration part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_THRESHOLD);
  part.motion_threshold = 33;
  part.motion_sensitivity = 11; /* not selected in fields */
  part.tx_power = 4;
  EXPECT_NUMBER(JACQUARD_OK, read_all(&before));
  EXPECT_NUMBER(JACQUARD_OK, write_some(&part, &echo));
  EXPECT_NUMBER(MOTION, echo.is.fields);
  EXPECT_NUMBER(33, echo.is.motion_threshold);
  EXPECT_NUMBER(2, echo.is.motion_sensitivity);
  EXPECT_NUMBER(JACQUARD_OK, read_all(&after));
  before.is.motion_threshold = 33;
  expect_same(&before.is, &after.is);
  EXPECT_TEXT("Jacquard-01ZK", after.name);
}

static void every_field_is_written(void) {
  static const jacquard_configuration all = {
      (uint32_t)sizeof all, 0x3ffff & ~JACQUARD_CONFIGURATION_FIELD_NAME, NULL, -8, 3, 30.5f, 61, 546.25f, 62, 417.5f,
      63, 7, 401, 10, 0, 11, 21, 500000, 2, 1, 0};
  jacquard_configuration wanted = all;
  struct reading echo, after;
  EXPECT_NUMBER(JACQUARD_OK, write_some(&wanted, &echo));
  EXPECT_NUMBER(JACQUARD_OK, read_all(&after));
  wanted.fields = ALL;
  expect_same(&wanted, &echo.is);
  expect_same(&wanted, &after.is);
}

static void the_name_is_a_field(void) {
  jacquard_configuration part = with(JACQUARD_CONFIGURATION_FIELD_NAME);
  struct reading echo;
  part.name = "Jacquard-new";
  EXPECT_NUMBER(JACQUARD_OK, write_some(&part, &echo));
  EXPECT_TEXT("Jacquard-new", echo.name);
  EXPECT_NUMBER(1, links);
  part.name = "Jacquard-01ZK";
  EXPECT_NUMBER(JACQUARD_OK, write_some(&part, &echo));
}

static void an_answer_without_payload_is_success(void) {
  jacquard_configuration part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_THRESHOLD);
  struct reading echo;
  tell("on request config-write once: without-payload");
  EXPECT_NUMBER(JACQUARD_OK, write_some(&part, &echo));
  EXPECT_NUMBER(0, echo.is.fields);
  tell("on request config-read once: without-payload");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, read_all(&echo));
}

static int refused(const jacquard_configuration *configuration) {
  struct reading echo;
  return write_some(configuration, &echo) == JACQUARD_ERROR_INVALID_ARGUMENT;
}

static void refuses_what_is_out_of_range(void) {
  jacquard_configuration part;
  EXPECT(refused(NULL));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_TX_POWER), part.struct_size = 4, refused(&part)));
  EXPECT((part = with(0), refused(&part)));
  EXPECT((part = with(0x40000), refused(&part)));
  EXPECT((part = with(UINT32_MAX), refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_NAME), refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_NAME), part.name = "", refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_NAME), part.name = "twenty-two bytes long!", refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_ENABLED), part.motion_enabled = 2, refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_SENSITIVITY), part.motion_sensitivity = 12, refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_GEAR_POWER), part.motion_gear_power = 3, refused(&part)));
  EXPECT((part = with(JACQUARD_CONFIGURATION_FIELD_MOTION_LINK), part.motion_link = 3, refused(&part)));
  EXPECT_NUMBER(0, requests(NULL));
}

int main(void) {
  begin("configuration");
  connect_tag();
  test("the configuration is read", is_read);
  test("selected fields are written, the others stay", a_part_is_written);
  test("every field is written and read back", every_field_is_written);
  test("the name is a field like any other", the_name_is_a_field);
  test("a response without payload to a write is success", an_answer_without_payload_is_success);
  test("values out of range are refused before sending", refuses_what_is_out_of_range);
  return end();
}
