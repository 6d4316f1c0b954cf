/* Finds a tag, connects, prints its battery. Without callbacks or a loop: each call waits for its result. */
#include "jacquard-blocking.h"

#include <stdio.h>

int main(int argc, char **argv) {
  const char *serial = argc > 1 ? argv[1] : NULL; /* NULL: any tag */
  jb_error error = JB_ERROR_INIT;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, serial, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  jb_info info = jb_tag_info(tag, 10000, &error);
  jacquard_battery battery = jb_battery(tag, 10000, &error);

  /* Functions do nothing after the first error, so one check is enough. */
  if (!jb_complain(&error)) {
    printf("%s, firmware %u.%u.%u\n", info.name, info.firmware[0], info.firmware[1], info.firmware[2]);
    printf("battery %u%%%s\n", (unsigned)battery.percent, battery.charging ? ", charging" : "");
  }
  jb_close(session);
  return error.code != 0;
}
