/* Prints what a manager makes of the environment: whether it takes a bus address that is none. */
#include <jacquard.h>
#include <stdio.h>

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  printf("%s\n", jacquard_status_name(status));
  jacquard_manager_unref(manager);
  return 0;
}
