/* A callback of every kind. They count their calls and keep the last error's code. */
#ifndef CALLBACKS_H
#define CALLBACKS_H

#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>

static int called;    /* callbacks that ran */
static int destroyed; /* registrations that ended */
static int last_code; /* of the last command that completed */

static void completed(const jacquard_error *error) {
  last_code = error ? error->code : JACQUARD_OK;
  called++;
}

#define CALLBACK(name, ...) \
  static inline void name(__VA_ARGS__) { called++; }
#define COMPLETION(name, ...) \
  static inline void name(__VA_ARGS__, const jacquard_error *error, void *user_data) { completed(error); }

static inline void on_destroy(void *user_data) { destroyed++; }
static inline void on_done(const jacquard_error *error, void *user_data) { completed(error); }

CALLBACK(on_log, const jacquard_log *log, void *user_data)
CALLBACK(on_adapter, const jacquard_adapter *adapter, void *user_data)
CALLBACK(on_found, const jacquard_advertisement *found, void *user_data)
CALLBACK(on_scanning, const jacquard_scanning *scanning, void *user_data)
CALLBACK(on_state, const jacquard_connection_state *state, void *user_data)
CALLBACK(on_battery, const jacquard_battery_event *event, void *user_data)
CALLBACK(on_load, const jacquard_module_load *load, void *user_data)
CALLBACK(on_gear, const jacquard_gear *gear, void *user_data)
CALLBACK(on_touch_mode, const jacquard_touch_mode_report *report, void *user_data)
CALLBACK(on_gesture, const jacquard_gesture *gesture, void *user_data)
CALLBACK(on_touch, const jacquard_touch *touch, void *user_data)
CALLBACK(on_name, const jacquard_name *name, void *user_data)
CALLBACK(on_bytes, const jacquard_bytes *bytes, void *user_data)
CALLBACK(on_part, const jacquard_motion_part *part, void *user_data)
CALLBACK(on_motion, const jacquard_motion_event *event, void *user_data)
CALLBACK(on_update_progress, const jacquard_update_progress *progress, void *user_data)
COMPLETION(on_restore, const jacquard_restoration *const *restorations, size_t count)
COMPLETION(on_tags, const jacquard_advertisement *const *tags, size_t count)
COMPLETION(on_known, const jacquard_known_tag *const *tags, size_t count)
COMPLETION(on_charge, const jacquard_battery *battery)
COMPLETION(on_info, const jacquard_component_info *info)
COMPLETION(on_value, const jacquard_value *value)
COMPLETION(on_configuration, const jacquard_configuration *configuration)
COMPLETION(on_modules, const jacquard_module *const *modules, size_t count)
COMPLETION(on_motion_status, const jacquard_motion_status *status)
COMPLETION(on_sessions, const jacquard_session *const *sessions, size_t count)
COMPLETION(on_download, const jacquard_download *download)
COMPLETION(on_update, const jacquard_update_result *const *results, size_t count)
COMPLETION(on_response, const jacquard_bytes *response)

static inline int on_transfer(const jacquard_download_data *data, void *user_data) {
  (void)data, (void)user_data;
  called++;
  return 0;
}

#endif
