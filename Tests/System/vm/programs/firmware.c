/*
 * firmware ADAPTER update FILE VERSION [--overwrite]   installs the image for the tag; prints each number of stored
 *                                                      bytes and the kB/s of the transfer
 * firmware ADAPTER blocks FILE                         sends the image block by block with requests of its own, and
 *                                                      prints the median round-trip time and the rate in kB/s
 *                                                      that it allows
 *
 * Both print the state of the adapter. With $TAG they use the tag with this serial number.
 */
#include <fcntl.h>
#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/protocol.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 128, MOST = 1 << 20 };

static jacquard_manager *manager;
static jacquard_connection *connection;
static jacquard_tag *tag;
static jacquard_firmware *image;
static jacquard_update_options options = JACQUARD_UPDATE_OPTIONS_INIT;
static uint8_t content[MOST];
static size_t size;
static int is_update, is_begun, done, failed;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const jacquard_error *error) {
  printf("%s: %s %s\n", jacquard_status_name(error->code), error->message, error->advice);
  failed = 1;
}

static void must(int status) {
  if (status < 0) fail(jacquard_last_error());
}

/* The update ------------------------------------------------------------------------------------------------------- */

static double first, last;
static uint32_t first_done, last_done;

static void on_progress(const jacquard_update_progress *progress, void *user_data) {
  (void)user_data;
  if (progress->phase != JACQUARD_UPDATE_PHASE_TRANSFERRING) {
    printf("phase %d\n", (int)progress->phase);
    return;
  }
  /* The first block follows a prepare request. */
  if (progress->stored > 0) {
    last = now();
    last_done = progress->stored;
    if (first == 0) {
      first = last;
      first_done = last_done;
    }
  }
  printf("stored %u of %u\n", (unsigned)progress->stored, (unsigned)progress->total);
}

static void on_update(const jacquard_update_result *const *results, size_t count, const jacquard_error *error,
                      void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  for (size_t i = 0; i < count; i++) printf("outcome %d\n", (int)results[i]->outcome);
  printf("transferred at %.3f kB/s\n", first < last ? (last_done - first_done) / (last - first) / 1000 : 0);
  done = 1;
}

static void start_update(void) {
  is_begun = 1;
  must(jacquard_connection_update_firmware(connection, &image, 1, &options, on_progress, on_update, NULL, NULL, NULL));
}

/* The same requests, one after the other --------------------------------------------------------------------------- */

static double sent_at, times[MOST / BLOCK + 1];
static size_t offset, count_of_times;

static size_t put(uint8_t *bytes, size_t at, uint32_t value) {
  do {
    bytes[at++] = (uint8_t)(value < 128 ? value : (value & 127) | 128);
    value >>= 7;
  } while (value);
  return at;
}

static uint16_t crc16(const uint8_t *bytes, size_t count) {
  uint16_t crc = 0;
  for (size_t i = 0; i < count; i++) {
    crc = (uint16_t)(crc ^ bytes[i] << 8);
    for (int bit = 0; bit < 8; bit++) crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
  }
  return crc;
}

static int by_value(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data);

static void send_message(uint32_t opcode, uint32_t field, const uint8_t *message, size_t length) {
  uint8_t request[1024];
  size_t at = put(request, put(request, 0, 0x08), 1);
  at = put(request, put(request, at, 0x10), opcode);
  at = put(request, put(request, at, field << 3 | 2), (uint32_t)length);
  memcpy(request + at, message, length);
  sent_at = now();
  must(jacquard_tag_send_request(tag, request, at + length, NULL, on_response, NULL, NULL, NULL));
}

static void prepare(void) {
  uint8_t message[64];
  size_t at = put(message, put(message, 0, 0x08), 0);
  at = put(message, put(message, at, 0x10), (uint32_t)size);
  at = put(message, put(message, at, 0x18), crc16(content, size));
  at = put(message, put(message, at, 0x20), 0x117830c8);
  at = put(message, put(message, at, 0x28), 0x283be7a0);
  is_begun = 1;
  send_message(2, 201, message, at);
}

static void send_block(void) {
  uint8_t message[256];
  size_t length = size - offset < BLOCK ? size - offset : BLOCK;
  size_t at = put(message, put(message, 0, 0x08), (uint32_t)offset);
  at = put(message, put(message, at, 0x12), (uint32_t)length);
  memcpy(message + at, content + offset, length);
  offset += length;
  send_message(3, 202, message, at + length);
}

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    fail(error);
    return;
  }
  if (response->size == 0) failed = 1;
  if (offset > 0) times[count_of_times++] = now() - sent_at;
  if (offset < size) {
    send_block();
    return;
  }
  qsort(times, count_of_times, sizeof times[0], by_value);
  double median = times[count_of_times / 2];
  printf("round trip %.3f ms, allows %.3f kB/s\n", median * 1000, BLOCK / median / 1000);
  done = 1;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) printf("connected\n");
  if (state->phase == JACQUARD_PHASE_DISCONNECTED && state->reason) fail(state->reason);
  jacquard_tag_unref(tag);
  tag = jacquard_tag_ref(state->tag);
  if (tag && !is_begun && !is_update) prepare();
}

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)user_data;
  printf("adapter %s\n", jacquard_adapter_state_name(adapter->state));
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  const char *serial = getenv("TAG");
  if (connection || (serial && strcmp(serial, found->serial) != 0)) return;
  jacquard_scan_stop(found->scan);
  must(jacquard_manager_connect(manager, found->identifier, NULL, on_state, NULL, NULL, &connection));
  if (is_update && !failed) start_update();
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (result->error) fail(result->error);
}

static void read_image(const char *path, const char *version) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, content, sizeof content);
  if (file >= 0) close(file);
  size = count > 0 ? (size_t)count : 0;
  jacquard_firmware_source source = JACQUARD_FIRMWARE_SOURCE_INIT;
  source.identified = 1;
  source.vendor_id = 0x117830c8;
  source.product_id = 0x283be7a0;
  source.data = content;
  source.data_size = size;
  if (sscanf(version, "%u.%u.%u", &source.version[0], &source.version[1], &source.version[2]) != 3) failed = 1;
  must(jacquard_firmware_new(&source, &image));
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  is_update = strcmp(arguments[2], "update") == 0;
  if (is_update && count < 5) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  read_image(arguments[3], is_update ? arguments[4] : "0.0.1");
  options.overwrite = count > 5;
  jacquard_manager_options manager_options = JACQUARD_MANAGER_OPTIONS_INIT;
  manager_options.adapter = arguments[1];
  if (!failed) must(jacquard_manager_new(&manager_options, &manager));
  if (!failed) must(jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL));
  if (!failed) must(jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL));
  struct pollfd loop = {.fd = failed ? -1 : jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!failed && !done && poll(&loop, 1, -1) >= 0) must(jacquard_manager_dispatch(manager));
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  jacquard_firmware_unref(image);
  return failed;
}
