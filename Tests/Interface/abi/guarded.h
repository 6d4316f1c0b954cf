/* Memory that ends where the library must stop reading. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A copy of the first `size` bytes, at the end of a page that is followed by an unmapped one. Never freed. */
static inline void *only(const void *bytes, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  char *start = pages + page - (size + 7) / 8 * 8;
  memcpy(start, bytes, size);
  return start;
}

/* Invalid values of struct_size for any struct. */
static const uint32_t wrong_sizes[] = {0, 1, 3, 4, 5, 1000000, INT32_MAX, UINT32_MAX};
enum { WRONG_SIZES = sizeof wrong_sizes / sizeof *wrong_sizes };

/* A struct of which only struct_size can be read. */
static inline void *sized(uint32_t size) { return only(&size, sizeof size); }

#endif
