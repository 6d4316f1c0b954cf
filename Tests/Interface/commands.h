/* Each command to a tag or a component once, with valid arguments: COMMAND(function, callback, handle, ...).
   The other parameters are the same for all: options, callback, user_data, destroy, request. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <jacquard.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>

#define A_STRUCT(type, ...) &(type) {.struct_size = sizeof(type), __VA_ARGS__}
#define A_VALUE A_STRUCT(jacquard_value, .type = JACQUARD_VALUE_BOOL)
#define A_CONFIGURATION A_STRUCT(jacquard_configuration, .fields = JACQUARD_CONFIGURATION_FIELD_MOTION_ENABLED)
#define A_MODULE A_STRUCT(jacquard_module, .module_id = 0)
#define A_SESSION A_STRUCT(jacquard_session, .name = "name")
#define A_FRAME &(jacquard_led_frame) {255, 0, 0, 0, 100}
#define A_PATTERN \
  A_STRUCT(jacquard_led_pattern, .type = JACQUARD_LED_SOLID, .frames = A_FRAME, .frame_count = 1, .intensity = 100)
#define A_HAPTIC A_STRUCT(jacquard_haptic, .type = JACQUARD_HAPTIC_CONSTANT, .on_ms = 100, .amplitude = 60)
#define SOME_BYTES (const uint8_t[]) {0x08, 0x00, 0x10, 0x14}, 4

#define TAG_COMMANDS(COMMAND, tag)                                                  \
  COMMAND(jacquard_tag_read_battery, on_charge, tag)                                \
  COMMAND(jacquard_tag_rename, on_done, tag, "name")                                \
  COMMAND(jacquard_tag_request_disconnect, on_done, tag, 1, 0)                      \
  COMMAND(jacquard_tag_write_value, on_done, tag, 0, 0, "key", A_VALUE)               \
  COMMAND(jacquard_tag_read_value, on_value, tag, 0, 0, "key")                       \
  COMMAND(jacquard_tag_read_configuration, on_configuration, tag)                   \
  COMMAND(jacquard_tag_write_configuration, on_configuration, tag, A_CONFIGURATION) \
  COMMAND(jacquard_tag_list_modules, on_modules, tag)                               \
  COMMAND(jacquard_tag_load_module, on_done, tag, A_MODULE)                         \
  COMMAND(jacquard_tag_unload_module, on_done, tag, A_MODULE)                       \
  COMMAND(jacquard_tag_delete_module, on_done, tag, A_MODULE)                       \
  COMMAND(jacquard_tag_prepare_motion, on_done, tag)                                \
  COMMAND(jacquard_tag_release_motion, on_done, tag)                                \
  COMMAND(jacquard_tag_start_recording, on_done, tag, A_SESSION, NULL)              \
  COMMAND(jacquard_tag_stop_motion, on_done, tag)                                   \
  COMMAND(jacquard_tag_read_motion_status, on_motion_status, tag)                   \
  COMMAND(jacquard_tag_list_sessions, on_sessions, tag)                             \
  COMMAND(jacquard_tag_erase_session, on_done, tag, A_SESSION)                      \
  COMMAND(jacquard_tag_erase_all_sessions, on_done, tag)                            \
  COMMAND(jacquard_tag_send_request, on_response, tag, SOME_BYTES)                  \
  COMMAND(jacquard_tag_send_raw_data, on_done, tag, SOME_BYTES)

#define COMPONENT_COMMANDS(COMMAND, component)                                      \
  COMMAND(jacquard_component_read_info, on_info, component)                         \
  COMMAND(jacquard_component_play_led, on_done, component, A_PATTERN)               \
  COMMAND(jacquard_component_play_haptic, on_done, component, A_HAPTIC)             \
  COMMAND(jacquard_component_set_touch_mode, on_done, component, JACQUARD_TOUCH_MODE_GESTURE)

#endif
