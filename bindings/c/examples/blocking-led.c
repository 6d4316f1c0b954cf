/* Lights the tag: teal for two seconds, then a custom pattern. */
#include "jacquard-blocking.h"

int main(void) {
  static const jacquard_led_frame frames[] = {
    {255, 0, 0, 0, 150}, {0, 0, 0, 0, 150}, {0, 0, 255, 0, 150}, {0, 0, 0, 0, 150}, /* red, dark, blue, dark */
  };
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.frames = frames;
  pattern.frame_count = sizeof frames / sizeof *frames;
  pattern.duration_ms = 3000; /* the frames repeat for this time */

  jb_error error = JB_ERROR_INIT;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, NULL, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  jb_light(tag, JB_ON_TAG, 0x008080, 2000, 10000, &error);
  jb_led(tag, JB_ON_TAG, &pattern, 10000, &error);
  jb_complain(&error);
  jb_close(session);
  return error.code != 0;
}
