/* Draws how a hand moves over the twelve lines of a garment, for a number of samples: blocking-touch [SAMPLES] */
#include "jacquard-blocking.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  static const char shades[] = " .:-=+*#%@";
  int samples = argc > 1 ? atoi(argv[1]) : 100;
  jb_error error = JB_ERROR_INIT;
  jb_event event;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, NULL, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  jb_gear gear = jb_wait_for_gear(tag, 60000, &error);
  if (gear.attached) printf("%s %s\n", gear.vendor, gear.product);

  jb_touch_mode(tag, JACQUARD_TOUCH_MODE_CONTINUOUS, 10000, &error);
  while (samples-- > 0 && jb_next(tag, JB_TOUCH, 60000, &event, &error)) {
    char picture[13] = "";
    for (int line = 0; line < 12; line++) /* 0: not touched, 128: strongest; larger values are possible */
      picture[line] = shades[event.touch.lines[line] >= 128 ? 9 : event.touch.lines[line] * 10 / 128];
    printf("|%s| %u\n", picture, (unsigned)event.touch.sequence);
  }
  jb_complain(&error);
  jb_close(session);
  return error.code != 0;
}
