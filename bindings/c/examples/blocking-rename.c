/* Renames a tag, and waits until it has reconnected under the new name: blocking-rename NAME */
#include "jacquard-blocking.h"

#include <stdio.h>

int main(int argc, char **argv) {
  jb_error error = JB_ERROR_INIT;
  jb_session *session = jb_open(NULL, &error);
  jb_found found = jb_find(session, NULL, 30000, &error);
  jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
  jb_rename(tag, argc > 1 ? argv[1] : NULL, 60000, &error);
  jb_info info = jb_tag_info(tag, 10000, &error);
  if (error.code == JACQUARD_ERROR_UNCHANGED) printf("%s it is\n", argv[1]);
  else if (!jb_complain(&error)) printf("%s is %s now\n", found.name, info.name);
  jb_close(session);
  return error.code != 0 && error.code != JACQUARD_ERROR_UNCHANGED;
}
