/* Plays two short vibrations on the garment as soon as the tag is attached to it. */
#include "jacquard-blocking.h"

int main(void) {
  jacquard_haptic pulses = JACQUARD_HAPTIC_INIT;
  pulses.type = JACQUARD_HAPTIC_SINE_INCREASE;
  pulses.on_ms = 170;
  pulses.off_ms = 30;
  pulses.amplitude = 60;
  pulses.repeats = 1; /* once more */

  jb_error error = JB_ERROR_INIT;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, NULL, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  jb_haptic(tag, &pulses, 60000, &error);
  jb_complain(&error);
  jb_close(session);
  return error.code != 0;
}
