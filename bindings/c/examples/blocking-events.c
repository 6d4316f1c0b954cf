/* Prints all events of a tag, until none occurs for some time: blocking-events [SECONDS] */
#include "jacquard-blocking.h"

#include <stdio.h>
#include <stdlib.h>

static void show(const jb_event *event) {
  if (event->lost) printf("(%u lost) ", event->lost);
  switch (event->kind) {
    case JB_GESTURE: printf("gesture %u %s\n", (unsigned)event->gesture.type, event->gesture.name); break;
    case JB_TOUCH: printf("touch %u\n", (unsigned)event->touch.sequence); break;
    case JB_BATTERY: printf("battery %u%%\n", (unsigned)event->battery.percent); break;
    case JB_GEAR: printf("gear %s\n", event->gear.attached ? event->gear.product : "none"); break;
    case JB_NAME: printf("name %s\n", event->name); break;
    case JB_LINK: printf("link %s\n", jacquard_phase_name(event->link.phase)); break;
    case JB_ANYTHING: break;
  }
}

int main(int argc, char **argv) {
  int milliseconds = (int)(1000 * (argc > 1 ? strtod(argv[1], NULL) : 60));
  jb_error error = JB_ERROR_INIT;
  jb_event event;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, NULL, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  while (jb_next(tag, JB_ANYTHING, milliseconds, &event, &error)) show(&event);
  jb_complain(&error);
  jb_close(session);
  return error.code != 0;
}
