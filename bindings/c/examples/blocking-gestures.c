/* Prints gestures and the states of the link, until Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-blocking.h"

#include <signal.h>
#include <stdio.h>

static jb_session *session;

/* Ends all waits with JB_ERROR_INTERRUPTED. */
static void on_signal(int number) {
  (void)number;
  jb_interrupt(session);
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  jb_error error = JB_ERROR_INIT;
  jb_event event;
  session = jb_open(NULL, &error);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);

  jb_found found = jb_find(session, NULL, JB_FOREVER, &error);
  jb_tag *tag = jb_connect(session, found.identifier, JB_FOREVER, &error);
  while (jb_next(tag, JB_GESTURE | JB_LINK, JB_FOREVER, &event, &error)) {
    if (event.kind == JB_GESTURE) printf("%s\n", event.gesture.name);
    else if (event.link.phase == JACQUARD_PHASE_CONNECTED) printf("connected\n");
    else if (event.link.reason) printf("%s\n", jacquard_status_text(event.link.reason));
    fflush(stdout);
  }
  if (error.code == JB_ERROR_INTERRUPTED) jb_clear(&error);
  jb_complain(&error);
  jb_close(session);
  return error.code != 0;
}
