/* Calls every function that takes a handle with an invalid one. */
#ifndef HANDLES_H
#define HANDLES_H

#include "../commands.h"
#include "callbacks.h"
#include "expect.h"

#include <string.h>

static const char some_identifier[] = "12345678-1234-5678-9234-567812345678";

/* Outputs, filled with a pattern that a failure must not change. */
static union {
  void *pointer;
  jacquard_scan *scan;
  jacquard_connection *connection;
  jacquard_component *component;
  jacquard_subscription *subscription;
  jacquard_request *request;
  const jacquard_tag_info *tag_info;
  const jacquard_component_info *component_info;
  int32_t number;
} out;

static inline void no_manager(void *handle, int status) {
  jacquard_bind_options binding = JACQUARD_BIND_OPTIONS_INIT;
  binding.code = "01ZK";
  EXPECT_TRUE(jacquard_manager_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_manager_unref(handle) == NULL);
  EXPECT(status, jacquard_manager_get_fd(handle));
  EXPECT(status, jacquard_manager_dispatch(handle));
  EXPECT(status, jacquard_manager_start(handle));
  EXPECT(status,
         jacquard_manager_on_log(handle, JACQUARD_LOG_LEVEL_DEBUG, on_log, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_manager_on_adapter(handle, on_adapter, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_manager_on_connection(handle, on_state, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_manager_is_scanning(handle));
  EXPECT(status, jacquard_manager_on_scanning(handle, on_scanning, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_manager_list_connected(handle, NULL, on_tags, NULL, on_destroy, &out.request));
  EXPECT(status, jacquard_manager_find_connection(handle, some_identifier, &out.connection));
  EXPECT(status, jacquard_manager_scan(handle, NULL, on_found, NULL, NULL, on_destroy, &out.scan));
  EXPECT(status,
         jacquard_manager_connect(handle, some_identifier, NULL, on_state, NULL, on_destroy, &out.connection));
  EXPECT(status,
         jacquard_manager_bind(handle, some_identifier, &binding, on_state, NULL, on_destroy, &out.connection));
  EXPECT(status, jacquard_manager_list_known(handle, NULL, on_known, NULL, on_destroy, &out.request));
  EXPECT(status, jacquard_manager_update_known(handle, some_identifier, NULL, 0, NULL, on_done, NULL, on_destroy,
                                               &out.request));
  EXPECT(status, jacquard_manager_unbind(handle, some_identifier, NULL, on_done, NULL, on_destroy, &out.request));
  EXPECT(status, jacquard_manager_on_restore(handle, on_restore, NULL, on_destroy, &out.subscription));
}

static inline void no_scan(void *handle, int status) {
  EXPECT_TRUE(jacquard_scan_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_scan_unref(handle) == NULL);
  EXPECT(status, jacquard_scan_stop(handle));
  EXPECT(status, jacquard_scan_is_running(handle));
}

static inline void no_subscription(void *handle, int status) {
  EXPECT_TRUE(jacquard_subscription_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_subscription_unref(handle) == NULL);
  EXPECT(status, jacquard_subscription_cancel(handle));
}

static inline void no_request(void *handle, int status) {
  EXPECT_TRUE(jacquard_request_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_request_unref(handle) == NULL);
  EXPECT(status, jacquard_request_cancel(handle));
}

static inline void no_registration(void *handle, int status) {
  no_scan(handle, status);
  no_subscription(handle, status);
  no_request(handle, status);
}

static inline void no_connection(void *handle, int status) {
  jacquard_counters counters = JACQUARD_COUNTERS_INIT;
  EXPECT_TRUE(jacquard_connection_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_connection_unref(handle) == NULL);
  EXPECT(status, jacquard_connection_disconnect(handle));
  EXPECT(status, jacquard_connection_get_phase(handle));
  EXPECT(status, jacquard_connection_get_rssi(handle, &out.number));
  EXPECT(status, jacquard_connection_get_counters(handle, &counters));
  EXPECT(status, jacquard_connection_on_state(handle, on_state, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_battery(handle, on_battery, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_module_load(handle, on_load, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_gear(handle, on_gear, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_touch_mode(handle, on_touch_mode, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_gesture(handle, on_gesture, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_touch(handle, on_touch, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_name(handle, on_name, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_notification(handle, on_bytes, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_raw_data(handle, on_bytes, NULL, on_destroy, &out.subscription));
  EXPECT(status, jacquard_connection_on_raw_value(handle, on_bytes, NULL, on_destroy, &out.subscription));
  EXPECT(status,
         jacquard_connection_download_session(handle, A_SESSION, NULL, on_transfer, on_download, NULL, on_destroy,
                                                      &out.request));
  EXPECT(status, jacquard_connection_update_firmware(handle, NULL, 1, NULL, NULL, on_update, NULL, on_destroy,
                                                     &out.request));
  EXPECT(status, jacquard_connection_stream_motion(handle, NULL, on_motion, on_done, NULL, on_destroy, &out.request));
}

#define REFUSED_WITH_STATUS(function, callback, ...) \
  EXPECT(status, function(__VA_ARGS__, NULL, callback, NULL, on_destroy, &out.request));

static inline void no_tag(void *handle, int status) {
  EXPECT_TRUE(jacquard_tag_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_tag_unref(handle) == NULL);
  EXPECT(status, jacquard_tag_get_info(handle, &out.tag_info));
  EXPECT(status, jacquard_tag_get_component(handle, &out.component));
  EXPECT(status, jacquard_tag_get_component_at(handle, 0, &out.component));
  TAG_COMMANDS(REFUSED_WITH_STATUS, handle)
}

static inline void no_component(void *handle, int status) {
  EXPECT_TRUE(jacquard_component_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_component_unref(handle) == NULL);
  EXPECT(status, jacquard_component_get_info(handle, &out.component_info));
  COMPONENT_COMMANDS(REFUSED_WITH_STATUS, handle)
}

static inline void no_firmware(void *handle, int status) {
  const jacquard_firmware_info *info;
  EXPECT_TRUE(jacquard_firmware_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_firmware_unref(handle) == NULL);
  EXPECT(status, jacquard_firmware_get_info(handle, &info));
}

static inline void no_motion_file(void *handle, int status) {
  const uint8_t *bytes;
  size_t size;
  EXPECT_TRUE(jacquard_motion_reader_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_motion_reader_unref(handle) == NULL);
  EXPECT(status, jacquard_motion_reader_read(handle, NULL, 0, on_part, NULL));
  EXPECT(status, jacquard_motion_reader_get_end(handle, NULL));
  EXPECT_TRUE(jacquard_motion_writer_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_motion_writer_unref(handle) == NULL);
  EXPECT(status, jacquard_motion_writer_start(handle, 0));
  EXPECT(status, jacquard_motion_writer_add(handle, NULL, 0));
  EXPECT(status, jacquard_motion_writer_end(handle, 1));
  EXPECT(status, jacquard_motion_writer_take(handle, &bytes, &size));
}

static inline void no_touch_tracker(void *handle, int status) {
  jacquard_touch_point points[JACQUARD_TOUCH_POINTS_MAX];
  jacquard_touch_gesture gestures[JACQUARD_TOUCH_GESTURES_MAX];
  jacquard_sleeve_health health = JACQUARD_SLEEVE_HEALTH_INIT;
  EXPECT_TRUE(jacquard_touch_tracker_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_touch_tracker_unref(handle) == NULL);
  EXPECT(status, jacquard_touch_tracker_process(handle, 0, NULL, 0, 0, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT(status, jacquard_touch_tracker_cancel(handle, 0, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT(status, jacquard_touch_tracker_gestures(handle, gestures, JACQUARD_TOUCH_GESTURES_MAX));
  EXPECT(status, jacquard_touch_tracker_get_health(handle, &health));
}

static inline void no_handle(void *handle, int status) {
  int before = destroyed;
  out.pointer = (void *)some_identifier;
  no_manager(handle, status);
  no_registration(handle, status);
  no_connection(handle, status);
  no_tag(handle, status);
  no_component(handle, status);
  no_firmware(handle, status);
  no_motion_file(handle, status);
  no_touch_tracker(handle, status);
  EXPECT_TRUE(out.pointer == (void *)some_identifier);
  EXPECT_TRUE(destroyed == before);
}

#endif
