/* Prints whether a manager uses the environment, which contains an invalid bus address. */
#include <jacquard.h>
#include <stdio.h>

int main(void) {
  jacquard_manager *manager = NULL;
  int status = jacquard_manager_new(NULL, &manager);
  printf("%s\n", jacquard_status_name(status));
  jacquard_manager_unref(manager);
  return 0;
}
