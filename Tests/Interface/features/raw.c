/* Raw access to the protocol: requests, notifications, and the raw data channel. */
#include "feature.h"

struct response {
  struct outcome outcome;
  size_t size;
  uint8_t data[1024];
};

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  struct response *kept = user_data;
  EXPECT((response == NULL) != (error == NULL));
  if (response) {
    EXPECT(response->size > 0 && response->size <= sizeof kept->data);
    kept->size = response->size;
    memcpy(kept->data, response->data, response->size);
  }
  note_error(&kept->outcome, error);
}

static int send_request(const uint8_t *data, size_t size, struct response *response) {
  memset(response, 0, sizeof *response);
  return finish(&response->outcome,
                jacquard_tag_send_request(tag, data, size, NULL, on_response, response, on_destroy, NULL));
}

/* The received bytes, in order. */
struct packets {
  int count;
  size_t sizes[64];
  uint8_t data[64][64];
};

static void on_bytes(const jacquard_bytes *bytes, void *user_data) {
  struct packets *packets = user_data;
  EXPECT(bytes->connection == connection && packets->count < 64);
  packets->sizes[packets->count] = bytes->size;
  memcpy(packets->data[packets->count], bytes->data, bytes->size < 64 ? bytes->size : 64);
  packets->count++;
}

static struct packets notifications, raw_data, raw_values;

/* domain 0, opcode 20: list modules */
static const uint8_t LIST[] = {0x08, 0x00, 0x10, 0x14};

static void a_request_is_answered_serialised(void) {
  struct response response;
  EXPECT_NUMBER(JACQUARD_OK, send_request(LIST, sizeof LIST, &response));
  EXPECT_NUMBER(1, requests("list-modules"));
  /* ID, status 0, component 0, then field 1202 */
  EXPECT_NUMBER(0x08, response.data[0]);
  EXPECT(response.data[1] != 0 && response.data[1] != 255);
  size_t at = 0;
  while (at + 1 < response.size && !(response.data[at] == 0x92 && response.data[at + 1] == 0x4b)) at++;
  EXPECT(at + 1 < response.size);
}

static void an_id_is_not_the_callers(void) {
  static const uint8_t with_id[] = {0x18, 0x00, 0x08, 0x00, 0x10, 0x14, 0x18, 0xff, 0x01};
  struct response response;
  EXPECT_NUMBER(JACQUARD_OK, send_request(with_id, sizeof with_id, &response));
  EXPECT(response.data[1] >= 1 && response.data[1] <= 254);
}

static void an_error_status_is_an_answer(void) {
  struct response response;
  tell("on request list-modules once: status 7");
  EXPECT_NUMBER(JACQUARD_OK, send_request(LIST, sizeof LIST, &response));
  /* ID, which takes two bytes from 128 on, status 7, component 0, and no payload */
  size_t at = response.data[1] < 0x80 ? 2 : 3;
  EXPECT_NUMBER(at + 4, response.size);
  const uint8_t *rest = response.data + at;
  EXPECT(rest[0] == 0x10 && rest[1] == 7 && rest[2] == 0x18 && rest[3] == 0);
}

static void what_does_not_decode_is_refused(void) {
  static const uint8_t no_domain[] = {0x10, 0x14}, no_opcode[] = {0x08, 0x00}, cut_off[] = {0x08, 0x00, 0x10};
  static const uint8_t not_utf8[] = {0x08, 0x00, 0x10, 0x18, 0xda, 0x07, 0x03, 0x1a, 0x01, 0xff}; /* a key */
  static const uint8_t not_a_message[] = {0xff, 0xff, 0xff}, long_one[1025] = {0x08};
  struct response response;
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(no_domain, sizeof no_domain, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(no_opcode, sizeof no_opcode, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(cut_off, sizeof cut_off, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(not_a_message, sizeof not_a_message, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(long_one, sizeof long_one, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(not_utf8, sizeof not_utf8, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(LIST, 0, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(NULL, 4, &response));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(LIST, (size_t)-1, &response));
  EXPECT_NUMBER(0, requests(NULL));
}

static void a_request_that_is_too_long_with_its_id_is_not_sent(void) {
  /* field 2000, 1017 bytes: 1024 in total, and more with the ID */
  static uint8_t data[1024] = {0x08, 0x00, 0x10, 0x14, 0x82, 0x7d, 0xf7, 0x07};
  struct response response;
  data[6] = (uint8_t)((sizeof data - 8) & 0x7f) | 0x80;
  data[7] = (uint8_t)((sizeof data - 8) >> 7);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, send_request(data, sizeof data, &response));
  EXPECT_NUMBER(0, requests(NULL));
  settle();
}

static void notifications_come_as_they_are(void) {
  /* domain 9, opcode 99, component 0, then an unknown field 3000 */
  static const uint8_t unknown[] = {0x08, 0x09, 0x10, 0x63, 0x18, 0x00, 0xc0, 0xbb, 0x01, 0x2a};
  notifications.count = 0;
  tell("send notification c0 0a 08 09 10 63 18 00 c0 bb 01 2a");
  EXPECT(run_until(&notifications.count, 1));
  EXPECT_NUMBER(sizeof unknown, notifications.sizes[0]);
  EXPECT(memcmp(unknown, notifications.data[0], sizeof unknown) == 0);
}

static void decoded_notifications_come_too(void) {
  notifications.count = 0;
  tell("battery 50");
  EXPECT(run_until(&notifications.count, 1));
  EXPECT_NUMBER(0x08, notifications.data[0][0]);
}

static void notifications_that_do_not_decode_are_dropped(void) {
  notifications.count = 0;
  tell("send notification c0 03 ff ff ff");
  tell("send notification c0 00");
  settle();
  EXPECT_NUMBER(0, notifications.count);
}

static int same(const struct packets *packets, int index, const char *text) {
  return packets->sizes[index] == strlen(text) && memcmp(packets->data[index], text, strlen(text)) == 0;
}

static void raw_data_is_delivered_and_acknowledged(void) {
  raw_data.count = 0;
  tell("raw-packet 5 68 65 6c 6c 6f");
  EXPECT(run_until(&raw_data.count, 1));
  EXPECT(same(&raw_data, 0, "hello"));
  await_noted("raw", "05 41");
}

static void a_repeated_packet_is_delivered_once(void) {
  raw_data.count = 0;
  tell("raw-packet 6 61");
  tell("raw-packet 6 61");
  tell("raw-packet 7 62");
  EXPECT(run_until(&raw_data.count, 2));
  await_noted("raw", "07 41");
  EXPECT_NUMBER(2, raw_data.count);
  EXPECT(same(&raw_data, 0, "a") && same(&raw_data, 1, "b"));
  EXPECT(strstr(tell("journal raw"), "06 41; 06 41; 07 41") != NULL);
}

static void sequence_numbers_wrap(void) {
  raw_data.count = 0;
  tell("raw-packet 255 61");
  tell("raw-packet 0 62");
  EXPECT(run_until(&raw_data.count, 2));
  EXPECT(same(&raw_data, 0, "a") && same(&raw_data, 1, "b"));
  await_noted("raw", "00 41");
}

static void data_that_looks_like_an_acknowledgement_is_data(void) {
  raw_data.count = 0;
  tell("raw-packet 1 41");
  EXPECT(run_until(&raw_data.count, 1));
  EXPECT(same(&raw_data, 0, "A"));
  await_noted("raw", "01 41");
}

static void raw_values_come_with_their_header(void) {
  static const uint8_t value[] = {0xc0, 0x03, 0x02, 0x78, 0x79}, stream[] = {0xc0, 0x00, 0x01, 0x02};
  raw_data.count = raw_values.count = 0;
  tell("raw-packet 2 78 79");
  EXPECT(run_until(&raw_values.count, 1));
  EXPECT_NUMBER(sizeof value, raw_values.sizes[0]);
  EXPECT(memcmp(value, raw_values.data[0], sizeof value) == 0);
  tell("send raw c0 00 01 02"); /* no packet: a value of a stream */
  EXPECT(run_until(&raw_values.count, 2));
  EXPECT_NUMBER(sizeof stream, raw_values.sizes[1]);
  EXPECT(memcmp(stream, raw_values.data[1], sizeof stream) == 0);
  await_noted("raw", "02 41");
  EXPECT_NUMBER(1, raw_data.count);
}

static void long_packets_go_both_ways(void) {
  static uint8_t data[1024];
  struct outcome outcome = {0};
  char line[4096] = "raw-packet 9";
  raw_data.count = 0;
  for (int i = 0; i < 500; i++) strcat(line, " ab");
  tell("%s", line);
  EXPECT(run_until(&raw_data.count, 1));
  EXPECT_NUMBER(500, raw_data.sizes[0]);
  await_noted("raw", "09 41");
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)i;
  EXPECT_NUMBER(JACQUARD_OK,
                finish(&outcome, jacquard_tag_send_raw_data(tag, data, sizeof data, NULL, on_done, &outcome, on_destroy,
                                                            NULL)));
  settle();
  const char *packet = noted("raw");
  EXPECT_NUMBER(3 * 1024 - 1, strlen(packet));
  EXPECT(strncmp(packet, "00 01 02 03", 11) == 0);
}

static void acknowledgements_for_us_are_not_data(void) {
  static const uint8_t data[] = {4, 'x', 'y'};
  struct outcome outcome = {0};
  raw_data.count = 0;
  EXPECT_NUMBER(JACQUARD_OK,
                finish(&outcome, jacquard_tag_send_raw_data(tag, data, sizeof data, NULL, on_done, &outcome, on_destroy,
                                                            NULL)));
  await_noted("raw", "04 78 79");
  settle();
  EXPECT_NUMBER(0, raw_data.count);
}

static void bad_packets_are_refused(void) {
  static const uint8_t data[1025];
  struct outcome outcome = {0};
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_tag_send_raw_data(tag, data, 0, NULL, on_done, &outcome, on_destroy, NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_tag_send_raw_data(tag, data, sizeof data, NULL, on_done, &outcome, on_destroy, NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_tag_send_raw_data(tag, NULL, 3, NULL, on_done, &outcome, on_destroy, NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_tag_send_raw_data(tag, data, 3, NULL, NULL, &outcome, on_destroy, NULL));
  EXPECT_NUMBER(0, outcome.completed + outcome.destroyed);
}

static void the_channel_begins_anew_with_each_link(void) {
  raw_data.count = 0;
  tell("raw-packet 30 61");
  EXPECT(run_until(&raw_data.count, 1));
  await_noted("raw", "1e 41");
  tell("drop link");
  EXPECT(run_until(&losses, 1));
  await_link();
  tell("raw-packet 30 62");
  EXPECT(run_until(&raw_data.count, 2));
  EXPECT(same(&raw_data, 1, "b"));
  await_noted("raw", "1e 41");
}

int main(void) {
  begin("raw");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_notification(connection, on_bytes, &notifications, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_raw_data(connection, on_bytes, &raw_data, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_raw_value(connection, on_bytes, &raw_values, NULL, NULL));
  settle();
  test("a request gets a serialised response", a_request_is_answered_serialised);
  test("the library chooses the ID of a request", an_id_is_not_the_callers);
  test("an error status is a response", an_error_status_is_an_answer);
  test("an undecodable request is refused before sending", what_does_not_decode_is_refused);
  test("a request that is too long with its ID is not sent", a_request_that_is_too_long_with_its_id_is_not_sent);
  test("unknown notifications are delivered unchanged", notifications_come_as_they_are);
  test("decoded notifications are also delivered serialised", decoded_notifications_come_too);
  test("notifications that cannot be decoded are dropped", notifications_that_do_not_decode_are_dropped);
  test("raw data is delivered and acknowledged", raw_data_is_delivered_and_acknowledged);
  test("a repeated packet is delivered once, acknowledged twice", a_repeated_packet_is_delivered_once);
  test("sequence numbers wrap", sequence_numbers_wrap);
  test("data that looks like an acknowledgement is data", data_that_looks_like_an_acknowledgement_is_data);
  test("raw values are delivered with their header", raw_values_come_with_their_header);
  test("long packets are transferred in both directions", long_packets_go_both_ways);
  test("acknowledgements of our packets are not data", acknowledgements_for_us_are_not_data);
  test("invalid packets are refused before sending", bad_packets_are_refused);
  test("the channel starts again with each link", the_channel_begins_anew_with_each_link);
  return end();
}
