/* Binds a tag to this machine, with the end of the number that is printed on it: blocking-bind CODE */
#include "jacquard-blocking.h"

#include <stdio.h>

int main(int argc, char **argv) {
  const char *code = argc > 1 ? argv[1] : "";
  jb_error error = JB_ERROR_INIT;
  jb_session *session = jb_open(NULL, &error);
  jb_tag *tag = jb_bind(session, NULL, code, NULL, NULL, 0, 20000, &error); /* the tag advertises the end of it */
  jb_info info = jb_tag_info(tag, 10000, &error);
  if (!jb_complain(&error)) printf("%s is bound to this machine\n", info.name);
  jb_close(session);
  return error.code != 0;
}
