/* Values stored on the tag. */
#include "feature.h"

#include <float.h>

static struct outcome last;

static int set(uint32_t vendor, uint32_t product, const char *key, const jacquard_value *value) {
  memset(&last, 0, sizeof last);
  return finish(&last,
                jacquard_tag_write_value(tag, vendor, product, key, value, NULL, on_done, &last, on_destroy, NULL));
}

struct reading {
  struct outcome outcome;
  int stored;
  jacquard_value value;
  char text[1024];
};

static void on_value(const jacquard_value *value, const jacquard_error *error, void *user_data) {
  struct reading *reading = user_data;
  EXPECT(!value || !error);
  if (value) {
    reading->stored = 1;
    COPY(&reading->value, value);
    EXPECT((value->text != NULL) == (value->type == JACQUARD_VALUE_STRING));
    if (value->text) snprintf(reading->text, sizeof reading->text, "%s", value->text);
    reading->value.text = NULL;
  }
  note_error(&reading->outcome, error);
}

static int get(uint32_t vendor, uint32_t product, const char *key, struct reading *reading) {
  memset(reading, 0, sizeof *reading);
  return finish(&reading->outcome,
                jacquard_tag_read_value(tag, vendor, product, key, NULL, on_value, reading, on_destroy, NULL));
}

static void round_trip(jacquard_value value) {
  struct reading reading;
  EXPECT_NUMBER(JACQUARD_OK, set(0, 0, "key", &value));
  EXPECT_NUMBER(JACQUARD_OK, get(0, 0, "key", &reading));
  EXPECT(reading.stored);
  EXPECT_NUMBER(value.type, reading.value.type);
  EXPECT(value.number == reading.value.number);
  EXPECT_NUMBER(value.integer, reading.value.integer);
  EXPECT(value.real == reading.value.real);
  if (value.text) EXPECT_TEXT(value.text, reading.text);
}

static jacquard_value number(uint32_t type, uint64_t number) {
  jacquard_value value = JACQUARD_VALUE_INIT;
  value.type = type;
  value.number = number;
  return value;
}

static jacquard_value integer(uint32_t type, int64_t integer) {
  jacquard_value value = JACQUARD_VALUE_INIT;
  value.type = type;
  value.integer = integer;
  return value;
}

static jacquard_value real(uint32_t type, double real) {
  jacquard_value value = JACQUARD_VALUE_INIT;
  value.type = type;
  value.real = real;
  return value;
}

static jacquard_value string(const char *text) {
  jacquard_value value = JACQUARD_VALUE_INIT;
  value.type = JACQUARD_VALUE_STRING;
  value.text = text;
  return value;
}

static void all_types_come_back(void) {
  round_trip(number(JACQUARD_VALUE_BOOL, 0));
  round_trip(number(JACQUARD_VALUE_BOOL, 1));
  round_trip(number(JACQUARD_VALUE_UINT32, 0));
  round_trip(number(JACQUARD_VALUE_UINT32, UINT32_MAX));
  round_trip(number(JACQUARD_VALUE_UINT64, UINT64_MAX));
  round_trip(integer(JACQUARD_VALUE_INT32, INT32_MIN));
  round_trip(integer(JACQUARD_VALUE_INT32, INT32_MAX));
  round_trip(integer(JACQUARD_VALUE_INT64, INT64_MIN));
  round_trip(integer(JACQUARD_VALUE_INT64, INT64_MAX));
  round_trip(real(JACQUARD_VALUE_FLOAT, 0.5));
  round_trip(real(JACQUARD_VALUE_FLOAT, -FLT_MAX));
  round_trip(real(JACQUARD_VALUE_DOUBLE, 1.0 / 3));
  round_trip(real(JACQUARD_VALUE_DOUBLE, -DBL_MAX));
  round_trip(string(""));
  round_trip(string("Gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac"));
}

static void nothing_stored_is_no_error(void) {
  struct reading reading;
  EXPECT_NUMBER(JACQUARD_OK, get(0, 0, "not stored", &reading));
  EXPECT(!reading.stored);
  EXPECT_NUMBER(1, reading.outcome.completed);
}

static void keys_belong_to_products(void) {
  struct reading reading;
  jacquard_value one = number(JACQUARD_VALUE_UINT32, 1), two = number(JACQUARD_VALUE_UINT32, 2);
  EXPECT_NUMBER(JACQUARD_OK, set(1, 2, "k", &one));
  EXPECT_NUMBER(JACQUARD_OK, set(2, 1, "k", &two));
  EXPECT_NUMBER(JACQUARD_OK, get(1, 2, "k", &reading));
  EXPECT_NUMBER(1, reading.value.number);
  EXPECT_NUMBER(JACQUARD_OK, get(2, 1, "k", &reading));
  EXPECT_NUMBER(2, reading.value.number);
  EXPECT_NUMBER(JACQUARD_OK, get(0, 0, "k", &reading));
  EXPECT(!reading.stored);
}

static void no_numbers_are_the_tags_own(void) {
  struct reading reading;
  jacquard_value seven = number(JACQUARD_VALUE_UINT32, 7);
  EXPECT_NUMBER(JACQUARD_OK, set(0, 0, "own", &seven));
  EXPECT_NUMBER(JACQUARD_OK, get(0x117830c8, 0x283be7a0, "own", &reading));
  EXPECT_NUMBER(7, reading.value.number);
}

static int refused(const char *key, jacquard_value value) {
  return set(0, 0, key, &value) == JACQUARD_ERROR_INVALID_ARGUMENT;
}

static void refuses_what_is_out_of_range(void) {
  jacquard_value good = number(JACQUARD_VALUE_BOOL, 1), short_one = good;
  struct reading reading;
  short_one.struct_size = 4;
  EXPECT(refused(NULL, good));
  EXPECT(refused("", good));
  EXPECT(refused("\xff", good));
  EXPECT(refused("k", short_one));
  EXPECT(refused("k", number(0, 1)));
  EXPECT(refused("k", number(9, 1)));
  EXPECT(refused("k", number(JACQUARD_VALUE_BOOL, 2)));
  EXPECT(refused("k", number(JACQUARD_VALUE_BOOL, UINT64_MAX)));
  EXPECT(refused("k", number(JACQUARD_VALUE_UINT32, (uint64_t)UINT32_MAX + 1)));
  EXPECT(refused("k", integer(JACQUARD_VALUE_INT32, (int64_t)INT32_MAX + 1)));
  EXPECT(refused("k", integer(JACQUARD_VALUE_INT32, (int64_t)INT32_MIN - 1)));
  EXPECT(refused("k", string(NULL)));
  EXPECT(refused("k", string("\xc3")));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, set(0, 0, "k", NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, get(0, 0, "", &reading));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, get(0, 0, NULL, &reading));
  EXPECT_NUMBER(0, requests(NULL));
}

static void long_values_fit_or_are_not_sent(void) {
  char text[1100];
  memset(text, 'x', sizeof text);
  text[900] = 0;
  round_trip(string(text));
  text[900] = 'x';
  text[sizeof text - 1] = 0;
  EXPECT(refused("key", string(text)));
  EXPECT_NUMBER(1, requests("config-set"));
  settle();
}

static void a_missing_answer_is_malformed(void) {
  struct reading reading;
  tell("on request config-get once: without-payload");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, get(0, 0, "key", &reading));
}

static void values_outlive_the_link(void) {
  struct reading reading;
  jacquard_value forty_two = integer(JACQUARD_VALUE_INT64, -42);
  EXPECT_NUMBER(JACQUARD_OK, set(0, 0, "kept", &forty_two));
  tell("drop link");
  EXPECT(run_until(&losses, 1));
  await_link();
  EXPECT_NUMBER(JACQUARD_OK, get(0, 0, "kept", &reading));
  EXPECT_NUMBER(-42, reading.value.integer);
}

int main(void) {
  begin("values");
  connect_tag();
  test("all eight types are returned unchanged", all_types_come_back);
  test("a missing value is not an error", nothing_stored_is_no_error);
  test("a key belongs to a vendor's product", keys_belong_to_products);
  test("vendor and product 0 mean the tag", no_numbers_are_the_tags_own);
  test("values out of range are refused before sending", refuses_what_is_out_of_range);
  test("a long value either fits or is not sent", long_values_fit_or_are_not_sent);
  test("a response without payload is malformed", a_missing_answer_is_malformed);
  test("values are kept across links", values_outlive_the_link);
  return end();
}
