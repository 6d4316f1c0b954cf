/* Invalid arguments of every command to a connected tag: all are refused immediately, and nothing is sent. */
#include "../commands.h"
#include "connected.h"
#include "guarded.h"

#include <limits.h>
#include <stdlib.h>

static jacquard_component *component;
static jacquard_request *request;
static char *endless;

#define REFUSED(call) EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, call)
#define REST NULL, on_destroy, &request
#define CALLED_BACK NULL, on_done, REST

#define EACH_REFUSED(function, on_answer, ...) \
  REFUSED(function(__VA_ARGS__, options, callback ? on_answer : NULL, REST));

static void every_command(const jacquard_request_options *options, int callback) {
  TAG_COMMANDS(EACH_REFUSED, tag)
  COMPONENT_COMMANDS(EACH_REFUSED, component)
}

static void options_and_callbacks(void) {
  for (size_t i = 0; i < WRONG_SIZES; i++)
    every_command(sized(wrong_sizes[i]), 1);
  every_command(NULL, 0);
}

static void structs(void) {
  for (size_t i = 0; i < WRONG_SIZES; i++) {
    void *it = sized(wrong_sizes[i]);
    REFUSED(jacquard_tag_write_value(tag, 0, 0, "key", it, CALLED_BACK));
    REFUSED(jacquard_tag_write_configuration(tag, it, NULL, on_configuration, REST));
    REFUSED(jacquard_tag_load_module(tag, it, CALLED_BACK));
    REFUSED(jacquard_tag_unload_module(tag, it, CALLED_BACK));
    REFUSED(jacquard_tag_delete_module(tag, it, CALLED_BACK));
    REFUSED(jacquard_tag_start_recording(tag, it, NULL, CALLED_BACK));
    REFUSED(jacquard_tag_start_recording(tag, A_SESSION, it, CALLED_BACK));
    REFUSED(jacquard_tag_erase_session(tag, it, CALLED_BACK));
    REFUSED(jacquard_connection_download_session(connection, it, NULL, on_transfer, on_download, REST));
    REFUSED(jacquard_connection_download_session(connection, A_SESSION, it, on_transfer, on_download, REST));
    REFUSED(jacquard_connection_stream_motion(connection, it, on_motion, on_done, REST));
    REFUSED(jacquard_firmware_new(it, &(jacquard_firmware *){NULL}));
    REFUSED(jacquard_component_play_led(component, it, CALLED_BACK));
    REFUSED(jacquard_component_play_haptic(component, it, CALLED_BACK));
  }
  REFUSED(jacquard_tag_write_value(tag, 0, 0, "key", NULL, CALLED_BACK));
  REFUSED(jacquard_tag_write_configuration(tag, NULL, NULL, on_configuration, REST));
  REFUSED(jacquard_tag_load_module(tag, NULL, CALLED_BACK));
  REFUSED(jacquard_tag_unload_module(tag, NULL, CALLED_BACK));
  REFUSED(jacquard_tag_delete_module(tag, NULL, CALLED_BACK));
  REFUSED(jacquard_tag_start_recording(tag, NULL, NULL, CALLED_BACK));
  REFUSED(jacquard_tag_erase_session(tag, NULL, CALLED_BACK));
  REFUSED(jacquard_component_play_led(component, NULL, CALLED_BACK));
  REFUSED(jacquard_component_play_haptic(component, NULL, CALLED_BACK));
}

#define A_SOURCE(...) A_STRUCT(jacquard_firmware_source, __VA_ARGS__)
#define UPDATE(images, count, options) \
  jacquard_connection_update_firmware(connection, images, count, options, on_update_progress, on_update, REST)

static void firmware(void) {
  static const uint8_t byte[1];
  jacquard_firmware *made = NULL, *images[17];
  const jacquard_firmware_info *info;
  REFUSED(jacquard_firmware_new(NULL, &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = 1), NULL));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 1), &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 2, .data = byte, .data_size = 1), &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 0, .data = byte, .data_size = 1), &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = 1, .path = "/dev/null"), &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = 1, .from_descriptor = 1), &made));
  REFUSED(jacquard_firmware_new(A_SOURCE(.identified = 1, .from_descriptor = 2), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_IMAGE,
         jacquard_firmware_new(A_SOURCE(.identified = 1, .from_descriptor = 1, .descriptor = -1), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_IMAGE, jacquard_firmware_new(A_SOURCE(.identified = 1, .path = "/dev/null"), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_IMAGE, jacquard_firmware_new(A_SOURCE(.identified = 1, .path = "/"), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_IMAGE,
         jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = 0), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_IMAGE,
         jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = SIZE_MAX), &made));
  EXPECT(JACQUARD_ERROR_FIRMWARE_MANIFEST,
         jacquard_firmware_new(A_SOURCE(.manifest = "[]", .data = byte, .data_size = 1), &made));
  EXPECT_TRUE(made == NULL);
  EXPECT(JACQUARD_OK, jacquard_firmware_new(A_SOURCE(.identified = 1, .data = byte, .data_size = 1), &made));
  REFUSED(jacquard_firmware_get_info(made, NULL));
  EXPECT(JACQUARD_OK, jacquard_firmware_get_info(made, &info));
  for (int i = 0; i < 17; i++) images[i] = made;
  REFUSED(UPDATE(NULL, 1, NULL));
  REFUSED(UPDATE(images, 0, NULL));
  REFUSED(UPDATE(images, 17, NULL));
  REFUSED(UPDATE(images, SIZE_MAX, NULL));
  /* Two images for the same component. */
  REFUSED(UPDATE(images, 2, NULL));
  REFUSED(UPDATE(images, 1, A_STRUCT(jacquard_update_options, .mode = 3)));
  REFUSED(UPDATE(images, 1, A_STRUCT(jacquard_update_options, .allow_downgrade = 2)));
  REFUSED(UPDATE(images, 1, A_STRUCT(jacquard_update_options, .overwrite = 2)));
  REFUSED(UPDATE(images, 1, A_STRUCT(jacquard_update_options, .least_battery = 9)));
  REFUSED(UPDATE(images, 1, A_STRUCT(jacquard_update_options, .least_battery = 101)));
  REFUSED(jacquard_connection_update_firmware(connection, images, 1, NULL, on_update_progress, NULL, REST));
  images[0] = (void *)tag;
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, UPDATE(images, 1, NULL));
  images[0] = NULL;
  REFUSED(UPDATE(images, 1, NULL));
  jacquard_firmware_unref(made);
}

static void motion(void) {
  static const double rates[] = {-1, 24, 26, 1e300, -0.78};
  static const int32_t checksums[] = {-2, 0x10000, INT_MIN, INT_MAX};
  for (size_t i = 0; i < 5; i++) {
    REFUSED(jacquard_connection_stream_motion(connection,
                                              A_STRUCT(jacquard_motion_settings, .accelerometer_rate = rates[i]),
                                              on_motion, on_done, REST));
    REFUSED(jacquard_connection_stream_motion(connection,
                                              A_STRUCT(jacquard_motion_settings, .gyroscope_rate = rates[i]),
                                              on_motion, on_done, REST));
    REFUSED(jacquard_connection_stream_motion(connection,
                                              A_STRUCT(jacquard_motion_settings, .gyroscope_range = rates[i]),
                                              on_motion, on_done, REST));
    REFUSED(jacquard_tag_start_recording(tag, A_SESSION,
                                         A_STRUCT(jacquard_motion_settings, .accelerometer_range = rates[i]),
                                         CALLED_BACK));
  }
  REFUSED(jacquard_connection_stream_motion(connection, A_STRUCT(jacquard_motion_settings, .filter = 3), on_motion,
                                            on_done,
                                            REST));
  for (size_t i = 0; i < 4; i++)
    REFUSED(jacquard_connection_download_session(
        connection, A_STRUCT(jacquard_session, .name = "a", .checksum = checksums[i]), NULL, on_transfer,
        on_download, REST));
  REFUSED(jacquard_connection_download_session(connection, A_SESSION, NULL, NULL, on_download, REST));
  REFUSED(jacquard_connection_download_session(connection, A_SESSION, NULL, on_transfer, NULL, REST));
  REFUSED(jacquard_connection_stream_motion(connection, NULL, NULL, on_done, REST));
  REFUSED(jacquard_connection_stream_motion(connection, NULL, on_motion, NULL, REST));
  REFUSED(jacquard_connection_download_session(
      connection, A_SESSION, A_STRUCT(jacquard_download_options, .to_descriptor = 1, .descriptor = -1), on_transfer,
      on_download, REST));
  REFUSED(jacquard_connection_download_session(
      connection, A_SESSION, A_STRUCT(jacquard_download_options, .to_descriptor = 2), on_transfer, on_download, REST));
  REFUSED(jacquard_connection_download_session(
      connection, A_SESSION, A_STRUCT(jacquard_download_options, .received_size = 1), on_transfer, on_download, REST));
  jacquard_motion_reader *reader = NULL;
  jacquard_motion_writer *writer = NULL;
  const uint8_t *bytes;
  size_t size;
  REFUSED(jacquard_motion_reader_new(NULL, NULL));
  REFUSED(jacquard_motion_writer_new(A_SESSION, NULL, NULL));
  REFUSED(jacquard_motion_writer_new(NULL, NULL, &writer));
  REFUSED(jacquard_motion_writer_new(A_STRUCT(jacquard_session, .name = ""), NULL, &writer));
  EXPECT(JACQUARD_OK, jacquard_motion_reader_new(NULL, &reader));
  EXPECT(JACQUARD_OK, jacquard_motion_writer_new(A_SESSION, NULL, &writer));
  REFUSED(jacquard_motion_reader_read(reader, NULL, 1, on_part, NULL));
  REFUSED(jacquard_motion_reader_read(reader, (const uint8_t *)"", 1, NULL, NULL));
  EXPECT(JACQUARD_OK, jacquard_motion_reader_read(reader, NULL, 0, on_part, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_motion_reader_get_end((void *)writer, NULL));
  REFUSED(jacquard_motion_writer_add(writer, NULL, 1));
  REFUSED(jacquard_motion_writer_end(writer, 1));
  EXPECT(JACQUARD_OK, jacquard_motion_writer_start(writer, 0));
  REFUSED(jacquard_motion_writer_end(writer, 65536));
  REFUSED(jacquard_motion_writer_take(writer, NULL, &size));
  REFUSED(jacquard_motion_writer_take(writer, &bytes, NULL));
  jacquard_motion_reader_unref(reader);
  jacquard_motion_writer_unref(writer);
  REFUSED(jacquard_tag_start_recording(tag, A_STRUCT(jacquard_session, .name = ""), NULL, CALLED_BACK));
  REFUSED(jacquard_tag_start_recording(tag, A_STRUCT(jacquard_session, .name = "\xff"), NULL, CALLED_BACK));
  REFUSED(jacquard_tag_start_recording(tag, A_STRUCT(jacquard_session, .name = "a", .group = endless), NULL,
                                       CALLED_BACK));
  REFUSED(jacquard_tag_start_recording(
      tag, A_STRUCT(jacquard_session, .name = "a", .subject = "1234567890123456789012345678901"), NULL, CALLED_BACK));
}

static void trackers(void) {
  static const size_t rooms[] = {0, 1, JACQUARD_TOUCH_POINTS_MAX - 1};
  static const size_t counts[] = {0, 11, 13, SIZE_MAX};
  jacquard_touch_point points[JACQUARD_TOUCH_POINTS_MAX];
  jacquard_touch_gesture gestures[JACQUARD_TOUCH_GESTURES_MAX];
  jacquard_touch_tracker *tracker = NULL;
  jacquard_touch touch = {0};
  REFUSED(jacquard_touch_tracker_new(NULL, NULL));
  EXPECT(JACQUARD_OK, jacquard_touch_tracker_new(NULL, &tracker));
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    REFUSED(jacquard_touch_tracker_process(tracker, touch.sequence, touch.lines, 12, 0, points, rooms[i]));
    REFUSED(jacquard_touch_tracker_process(tracker, 0, NULL, 0, 0, points, rooms[i]));
    REFUSED(jacquard_touch_tracker_cancel(tracker, 0, points, rooms[i]));
  }
  REFUSED(jacquard_touch_tracker_process(tracker, touch.sequence, touch.lines, 12, 0, NULL, JACQUARD_TOUCH_POINTS_MAX));
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    REFUSED(jacquard_touch_tracker_process(tracker, 0, touch.lines, counts[i], 0, points, JACQUARD_TOUCH_POINTS_MAX));
  REFUSED(jacquard_touch_tracker_cancel(tracker, 0, NULL, JACQUARD_TOUCH_POINTS_MAX));
  REFUSED(jacquard_touch_tracker_gestures(tracker, gestures, 0));
  REFUSED(jacquard_touch_tracker_gestures(tracker, gestures, JACQUARD_TOUCH_GESTURES_MAX - 1));
  REFUSED(jacquard_touch_tracker_gestures(tracker, NULL, JACQUARD_TOUCH_GESTURES_MAX));
  REFUSED(jacquard_touch_tracker_get_health(tracker, NULL));
  for (uint32_t size = 0; size < sizeof(jacquard_sleeve_health); size += 4) {
    jacquard_sleeve_health health = JACQUARD_SLEEVE_HEALTH_INIT;
    health.struct_size = size;
    REFUSED(jacquard_touch_tracker_get_health(tracker, &health));
  }
  memset(touch.lines, 255, sizeof touch.lines);
  EXPECT(1, jacquard_touch_tracker_process(tracker, touch.sequence, touch.lines, 12, INT64_MAX, points, SIZE_MAX));
  touch.sequence = UINT32_MAX;
  EXPECT(1, jacquard_touch_tracker_process(tracker, touch.sequence, touch.lines, 12, INT64_MIN, points, SIZE_MAX));
  EXPECT(0, jacquard_touch_tracker_gestures(tracker, gestures, SIZE_MAX));
  EXPECT(1, jacquard_touch_tracker_cancel(tracker, 0, points, SIZE_MAX));
  EXPECT_TRUE(jacquard_touch_tracker_unref(tracker) == NULL);
}

static void outputs_and_events(void) {
  REFUSED(jacquard_tag_get_info(tag, NULL));
  REFUSED(jacquard_tag_get_component(tag, NULL));
  REFUSED(jacquard_tag_get_component_at(tag, 0, NULL));
  REFUSED(jacquard_component_get_info(component, NULL));
  REFUSED(jacquard_connection_get_rssi(connection, NULL));
  REFUSED(jacquard_connection_get_counters(connection, NULL));
  for (uint32_t size = 0; size < 4; size++) {
    jacquard_counters counters = JACQUARD_COUNTERS_INIT;
    counters.struct_size = size;
    REFUSED(jacquard_connection_get_counters(connection, &counters));
  }
  REFUSED(jacquard_connection_on_state(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_battery(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_module_load(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_gear(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_touch_mode(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_gesture(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_touch(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_name(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_notification(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_raw_data(connection, NULL, NULL, on_destroy, NULL));
  REFUSED(jacquard_connection_on_raw_value(connection, NULL, NULL, on_destroy, NULL));
}

static void names_and_keys(void) {
  const char *names[] = {NULL, "", "twenty-two bytes of it", "\xff\xfe", "caf\xc3", endless};
  jacquard_value value = JACQUARD_VALUE_INIT;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    REFUSED(jacquard_tag_rename(tag, names[i], CALLED_BACK));
  const char *keys[] = {NULL, "", "\xff\xfe", endless};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    REFUSED(jacquard_tag_write_value(tag, 0, 0, keys[i], &value, CALLED_BACK));
    REFUSED(jacquard_tag_read_value(tag, 0, 0, keys[i], NULL, on_value, REST));
  }
}

static void set_value(int type, uint64_t number, int64_t integer, const char *text) {
  jacquard_value value = JACQUARD_VALUE_INIT;
  value.type = type;
  value.number = number;
  value.integer = integer;
  value.text = text;
  REFUSED(jacquard_tag_write_value(tag, 0, 0, "key", &value, CALLED_BACK));
}

static void values(void) {
  static const int types[] = {INT_MIN, -1, 0, 9, INT_MAX};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    set_value(types[i], 0, 0, NULL);
  set_value(JACQUARD_VALUE_BOOL, 2, 0, NULL);
  set_value(JACQUARD_VALUE_UINT32, UINT64_C(1) << 32, 0, NULL);
  set_value(JACQUARD_VALUE_INT32, 0, INT64_MAX, NULL);
  set_value(JACQUARD_VALUE_INT32, 0, INT64_MIN, NULL);
  set_value(JACQUARD_VALUE_STRING, 0, 0, NULL);
  set_value(JACQUARD_VALUE_STRING, 0, 0, "\xff\xfe");
  set_value(JACQUARD_VALUE_STRING, 0, 0, endless);

  jacquard_configuration configuration = JACQUARD_CONFIGURATION_INIT;
  configuration.fields = 0x80000000u;
  REFUSED(jacquard_tag_write_configuration(tag, &configuration, NULL, on_configuration, REST));
  configuration.fields = JACQUARD_CONFIGURATION_FIELD_NAME;
  REFUSED(jacquard_tag_write_configuration(tag, &configuration, NULL, on_configuration, REST));
  configuration.name = endless;
  REFUSED(jacquard_tag_write_configuration(tag, &configuration, NULL, on_configuration, REST));
}

static void bytes(void) {
  static const uint8_t nonsense[1025] = {0xff, 0xff, 0xff};
  const uint8_t *one = only("\xff", 1);
  REFUSED(jacquard_tag_send_request(tag, NULL, 0, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, NULL, 1, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, one, 0, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, one, 1, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, one, 1025, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, one, SIZE_MAX, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_request(tag, nonsense, 1024, NULL, on_response, REST));
  REFUSED(jacquard_tag_send_raw_data(tag, NULL, 0, CALLED_BACK));
  REFUSED(jacquard_tag_send_raw_data(tag, NULL, 1, CALLED_BACK));
  REFUSED(jacquard_tag_send_raw_data(tag, one, 0, CALLED_BACK));
  REFUSED(jacquard_tag_send_raw_data(tag, one, 1025, CALLED_BACK));
  REFUSED(jacquard_tag_send_raw_data(tag, one, SIZE_MAX, CALLED_BACK));
}

static void light(void) {
  static const int types[] = {INT_MIN, -1, 8, INT_MAX};
  static const size_t counts[] = {0, 1000000, INT_MAX, SIZE_MAX};
  static const jacquard_led_frame too_many[200];
  static const jacquard_led_frame red = {255, 0, 0, 0, 100};
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.frame_count = 1;
  REFUSED(jacquard_component_play_led(component, &pattern, CALLED_BACK));
  pattern.frames = only(&red, sizeof red);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    pattern.frame_count = counts[i];
    REFUSED(jacquard_component_play_led(component, &pattern, CALLED_BACK));
  }
  pattern.frames = too_many;
  pattern.frame_count = sizeof too_many / sizeof *too_many;
  REFUSED(jacquard_component_play_led(component, &pattern, CALLED_BACK));
  pattern.frame_count = 1;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    pattern.type = types[i];
    REFUSED(jacquard_component_play_led(component, &pattern, CALLED_BACK));
  }
  pattern.type = JACQUARD_LED_SOLID;
  pattern.intensity = 101;
  REFUSED(jacquard_component_play_led(component, &pattern, CALLED_BACK));
}

static void vibrate(uint32_t type, uint32_t on_ms, uint32_t off_ms, uint32_t amplitude, uint32_t repeats) {
  jacquard_haptic haptic = {sizeof haptic, type, on_ms, off_ms, amplitude, repeats};
  REFUSED(jacquard_component_play_haptic(component, &haptic, CALLED_BACK));
}

static void vibrations_and_modes(void) {
  static const int modes[] = {INT_MIN, -1, 0, 3, INT_MAX};
  vibrate(-1, 1, 1, 1, 1);
  vibrate(8, 1, 1, 1, 1);
  vibrate(INT_MAX, 1, 1, 1, 1);
  vibrate(JACQUARD_HAPTIC_CONSTANT, 65536, 1, 1, 1);
  vibrate(JACQUARD_HAPTIC_CONSTANT, 1, UINT32_MAX, 1, 1);
  vibrate(JACQUARD_HAPTIC_CONSTANT, 1, 1, 101, 1);
  vibrate(JACQUARD_HAPTIC_CONSTANT, 1, 1, 1, 256);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    REFUSED(jacquard_component_set_touch_mode(component, modes[i], CALLED_BACK));
}

int main(void) {
  endless = malloc(1 << 20);
  memset(endless, 'a', (1 << 20) - 1);
  endless[(1 << 20) - 1] = 0;
  if (!find_and_connect())
    return 1;
  EXPECT(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  options_and_callbacks();
  structs();
  motion();
  firmware();
  trackers();
  outputs_and_events();
  names_and_keys();
  values();
  bytes();
  light();
  vibrations_and_modes();
  EXPECT_TRUE(request == NULL && destroyed == 0 && called == 0);

  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, NULL, NULL));
  run_until(&called, 1);
  EXPECT(JACQUARD_OK, last_code);
  jacquard_component_unref(component);
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  free(endless);
  return wrong != 0;
}
