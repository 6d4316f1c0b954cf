/* What this process holds: descriptors, sockets among them, threads, resident memory. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct holdings {
  int descriptors;
  int sockets; /* every connection to the bus is one */
  int threads;
  long resident_kib;
};

static int entries(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    count += entry->d_name[0] != '.';
  if (directory)
    closedir(directory);
  return count;
}

static int open_sockets(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < 1024; descriptor++) {
    char path[32], target[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, target, sizeof target);
    count += length > 7 && strncmp(target, "socket:", 7) == 0;
  }
  return count;
}

static struct holdings holdings(void) {
  struct holdings now = {entries("/proc/self/fd"), open_sockets(), entries("/proc/self/task"), 0};
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*s %ld", &pages) == 1)
    now.resident_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
  if (file)
    fclose(file);
  return now;
}

#endif
