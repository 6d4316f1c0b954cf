/* Measures the time and the memory for loading: prints "milliseconds KiB". `load LIBRARY`. */
#include "readings.h"

#include <dlfcn.h>

int main(int count, char **arguments) {
  long before = resident_kib();
  uint64_t start = nanoseconds(CLOCK_MONOTONIC);
  if (count < 2 || !dlopen(arguments[1], RTLD_NOW)) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("%.3f %ld\n", (double)(nanoseconds(CLOCK_MONOTONIC) - start) / 1e6, resident_kib() - before);
  return 0;
}
