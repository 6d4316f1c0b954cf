/* Measures the memory of this process. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdio.h>
#include <unistd.h>

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    if (fscanf(file, "%*d %ld", &pages) != 1)
      pages = 0;
    fclose(file);
  }
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

#endif
