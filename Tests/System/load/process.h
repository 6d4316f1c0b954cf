/* The resources of this process (descriptors, sockets among them, threads, resident memory) and of the bus. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct holdings {
  int descriptors;
  int sockets; /* each connection to the bus uses one */
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

/* The resources of the bus for all connections. */
struct bus_holdings {
  int connections;
  int match_rules;
};

static int bus_number(const char *answer, const char *name) {
  const char *entry = strstr(answer, name);
  const char *number = entry ? strstr(entry, "uint32 ") : NULL;
  return number ? atoi(number + 7) : -1;
}

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

static struct bus_holdings bus_holdings(void) {
  struct bus_holdings now = {-1, -1};
#if HAS_FEATURE(thread_sanitizer)
  /* It starts a thread when the process forks. */
  now.connections = now.match_rules = 1;
  return now;
#endif
  char answer[8192];
  FILE *asked = popen("dbus-send --bus=\"$DBUS_SYSTEM_BUS_ADDRESS\" --print-reply --dest=org.freedesktop.DBus "
                      "/org/freedesktop/DBus org.freedesktop.DBus.Debug.Stats.GetStats",
                      "r");
  if (!asked)
    return now;
  answer[fread(answer, 1, sizeof answer - 1, asked)] = 0;
  pclose(asked);
  now.connections = bus_number(answer, "\"ActiveConnections\"");
  now.match_rules = bus_number(answer, "\"MatchRules\"");
  return now;
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
