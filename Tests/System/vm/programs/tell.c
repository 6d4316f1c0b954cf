/*
 * tell SOCKET: sends the lines of standard input to a software tag, each after the reply to the previous one. Exits
 * with 1 at the first line that the tag refuses, and prints the reason.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 2 || strlen(arguments[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, arguments[1]);
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
    perror("tell");
    return 1;
  }
  FILE *tag = fdopen(descriptor, "r+");
  char line[4096], answer[4096];
  while (tag && fgets(line, sizeof line, stdin)) {
    if (fputs(line, tag) < 0 || fflush(tag) != 0 || !fgets(answer, sizeof answer, tag)) {
      fputs("tell: the tag hung up\n", stderr);
      return 1;
    }
    if (strncmp(answer, "ok", 2) != 0) {
      fprintf(stderr, "tell: %s%s", line, answer);
      return 1;
    }
  }
  return tag == NULL;
}
