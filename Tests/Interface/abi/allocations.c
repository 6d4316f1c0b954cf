/*
 * Connects to a tag and counts the library's heap allocations between one touch and the next. libdbus allocates each
 * message on the heap; its calls come from another object and are not counted. `allocations TOUCHES` prints the number
 * of allocations for each touch. `allocations tracker SAMPLES [one]` needs no tag: it prints the number of allocations
 * for all samples of three fingers, or of one, that a tracker processes, and the numbers of points and gestures.
 */
#define _GNU_SOURCE
#include "expect.h"

#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static uintptr_t library_start, library_end;
static unsigned long allocations;
static jacquard_connection *connection;
static int touches, wanted;

static void count(void *caller) {
  if ((uintptr_t)caller >= library_start && (uintptr_t)caller < library_end)
    allocations++;
}

/* Replaces the C library's function for all objects of the process. */
void *malloc(size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

static int find_library(struct dl_phdr_info *object, size_t size, void *data) {
  if (!strstr(object->dlpi_name, "libjacquard"))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    if (segment->p_type == PT_LOAD && end > library_end)
      library_end = end;
  }
  library_start = object->dlpi_addr;
  return 1;
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  printf("%lu\n", allocations);
  allocations = 0;
  touches++;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  jacquard_scan_stop(found->scan);
  if (connection)
    return;
  EXPECT(JACQUARD_OK,
         jacquard_manager_connect(found->manager, found->identifier, NULL, NULL, NULL, NULL, &connection));
  EXPECT(JACQUARD_OK, jacquard_connection_on_touch(connection, on_touch, NULL, NULL, NULL));
}

/* The reading of a line at this distance from a finger. */
static double reading(double strength, double distance) {
  double nearness = 1 - distance * distance / 6;
  return nearness > 0 ? strength * nearness * nearness : 0;
}

/* Two fingers that move, meet and part, and a third one that taps, or one finger that swipes to and fro, on lines with
 * noise. */
static jacquard_touch sample(uint32_t number, int one) {
  static uint32_t noise = 1;
  jacquard_touch touch = {.sequence = number % 600};
  double moved = 6 * (number % 200) / 200.0;
  if (one) moved = number % 32 < 16 ? number % 16 / 2.0 : 8 - number % 16 / 2.0;
  for (int line = 0; line < 12; line++) {
    noise = noise * 1664525 + 1013904223;
    double sum = (noise >> 29) + reading(90, line - moved);
    if (!one) sum += reading(70, line - 11 + moved * 0.7);
    if (!one && number % 40 < 20) sum += reading(60, line - 3.5);
    touch.lines[line] = (uint8_t)(sum > 128 ? 128 : sum);
  }
  return touch;
}

static int track(uint32_t samples, int one) {
  jacquard_touch_point points[JACQUARD_TOUCH_POINTS_MAX];
  jacquard_touch_gesture gestures[JACQUARD_TOUCH_GESTURES_MAX];
  jacquard_touch_tracker *tracker = NULL;
  unsigned long recognised = 0, count = 0, before = allocations;
  EXPECT(JACQUARD_OK, jacquard_touch_tracker_new(NULL, &tracker));
  EXPECT(1, allocations > before);
  allocations = 0;
  for (uint32_t i = 0; i < samples; i++) {
    jacquard_touch touch = sample(i, one);
    int made = jacquard_touch_tracker_process(tracker, touch.sequence, touch.lines, 12, 16667000 * (int64_t)i, points,
                                              JACQUARD_TOUCH_POINTS_MAX);
    EXPECT(1, made >= 0);
    count += (unsigned long)made;
    made = jacquard_touch_tracker_gestures(tracker, gestures, JACQUARD_TOUCH_GESTURES_MAX);
    EXPECT(1, made >= 0);
    recognised += (unsigned long)made;
  }
  jacquard_touch_tracker_cancel(tracker, INT64_MAX, points, JACQUARD_TOUCH_POINTS_MAX);
  printf("%lu %lu %lu\n", allocations, count, recognised);
  jacquard_touch_tracker_unref(tracker);
  return wrong;
}

int main(int argc, char **arguments) {
  jacquard_manager *manager = NULL;
  if (argc > 2) {
    dl_iterate_phdr(find_library, NULL);
    return track((uint32_t)atoi(arguments[2]), argc > 3);
  }
  wanted = argc > 1 ? atoi(arguments[1]) : 1;
  dl_iterate_phdr(find_library, NULL);
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(1, allocations > 0);
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (touches < wanted && poll(&loop, 1, 30000) == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  EXPECT(wanted, touches);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return wrong;
}
