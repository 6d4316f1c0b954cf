/*
 * Preloaded into a program: fails the n-th call of one kind that libdbus or libjacquard.so makes, once or for a while.
 *
 * FAIL_KIND and FAIL_NUMBER choose the call; a program can also choose another with fail_call. FAIL_COUNTS names a
 * file for the number of calls of each kind, written at the end. Only allocations of libdbus fail, because those of
 * Swift abort. Calls that the kernel never fails with these arguments are left out: timerfd_settime, EPOLL_CTL_DEL, and
 * a write to an eventfd.
 */
#define _GNU_SOURCE
#include "failures.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

enum { MEMORY, SOCKET, OPEN, WRITE, RECEIVE, EPOLL, TIMER, ACCEPT, CREATE, KINDS };

static const struct {
  const char *name;
  int errors[2];
} kinds[KINDS] = {
    [MEMORY] = {"memory", {ENOMEM, ENOMEM}},    [SOCKET] = {"socket", {EMFILE, ENOBUFS}},
    [OPEN] = {"open", {EMFILE, EIO}},           [WRITE] = {"write", {ENOBUFS, ENOMEM}},
    [RECEIVE] = {"receive", {ENOMEM, ENOBUFS}}, [EPOLL] = {"epoll", {ENOMEM, ENOSPC}},
    [TIMER] = {"timer", {EMFILE, ENOMEM}},      [ACCEPT] = {"accept", {EMFILE, ECONNABORTED}},
    [CREATE] = {"create", {EMFILE, ENOSPC}},
};

/* Callers ---------------------------------------------------------------------------------------------------------- */

enum { LIBDBUS, LIBRARY, POOL };
static struct {
  uintptr_t first, end;
} places[3];

static int note_place(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  int place = strstr(info->dlpi_name, "libdbus-1.so") ? LIBDBUS : LIBRARY;
  if (place == LIBRARY && !strstr(info->dlpi_name, "libjacquard.so")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    places[place].first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    places[place].end = places[place].first + info->dlpi_phdr[i].p_memsz;
  }
  return 0;
}

/*
 * libdbus 1.14 doubles the size of a pool's blocks before it allocates one (dbus-mempool.c). If that fails, it later
 * writes beyond the end of the block that it has. No caller can prevent that.
 */
static void note_pool(void) {
  void *function = dlsym(RTLD_DEFAULT, "_dbus_mem_pool_alloc");
  ElfW(Sym) *symbol;
  Dl_info info;
  if (!function || !dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT)) return;
  places[POOL].first = (uintptr_t)function;
  places[POOL].end = places[POOL].first + symbol->st_size;
}

static int is_in(int place, void *caller) {
  return (uintptr_t)caller >= places[place].first && (uintptr_t)caller < places[place].end;
}

/* Which call fails ------------------------------------------------------------------------------------------------- */

static atomic_long calls[KINDS];
static atomic_int chosen = -1;
static atomic_long chosen_number;
static atomic_int happened;
/* The time during which the calls that follow fail too, and its end. */
static atomic_long duration, end_of_failures;

static int kind_named(const char *name) {
  for (int kind = 0; name && kind < KINDS; kind++)
    if (strcmp(name, kinds[kind].name) == 0) return kind;
  return -1;
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void fail_call(const char *kind, long number, long for_milliseconds) {
  chosen = -1;
  duration = for_milliseconds;
  happened = 0;
  for (int i = 0; kind && i < KINDS; i++) calls[i] = 0;
  chosen_number = number;
  chosen = kind_named(kind);
}

int has_failed(void) { return happened; }

/* Whether this call fails; sets errno then. */
static int fails(int kind, void *caller) {
  if (!is_in(LIBDBUS, caller) && (kind == MEMORY || !is_in(LIBRARY, caller))) return 0;
  long number = ++calls[kind];
  if (kind == MEMORY && is_in(POOL, caller)) return 0;
  if (chosen != kind || number < chosen_number) return 0;
  if (number > chosen_number && milliseconds() >= end_of_failures) return 0;
  if (number == chosen_number) end_of_failures = duration ? milliseconds() + duration : 0;
  happened = 1;
  errno = kinds[kind].errors[number % 2];
  return 1;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAIL_NUMBER");
  dl_iterate_phdr(note_place, NULL);
  note_pool();
  if (number) fail_call(getenv("FAIL_KIND"), atol(number), 0);
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAIL_COUNTS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", kinds[kind].name, (long)calls[kind]);
  fprintf(file, "failed %d\n", happened);
  fclose(file);
}

/* libdbus's memory ------------------------------------------------------------------------------------------------- */

enum { BUCKETS = 1 << 14, NODES = 1 << 17 };
static struct node {
  void *block;
  struct node *next;
} nodes[NODES], *unused_nodes, *buckets[BUCKETS];
static size_t used_nodes;
static long live;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static struct node **bucket_of(void *block) { return &buckets[((uintptr_t)block >> 4) % BUCKETS]; }

static void remember(void *block) {
  if (!block) return;
  while (atomic_flag_test_and_set(&lock)) continue;
  struct node *node = unused_nodes;
  if (node) unused_nodes = node->next;
  else if (used_nodes < NODES) node = &nodes[used_nodes++];
  else abort();
  node->block = block;
  node->next = *bucket_of(block);
  *bucket_of(block) = node;
  live++;
  atomic_flag_clear(&lock);
}

static void forget(void *block) {
  if (!block) return;
  while (atomic_flag_test_and_set(&lock)) continue;
  for (struct node **link = bucket_of(block); *link; link = &(*link)->next) {
    struct node *node = *link;
    if (node->block != block) continue;
    *link = node->next;
    node->next = unused_nodes;
    unused_nodes = node;
    live--;
    break;
  }
  atomic_flag_clear(&lock);
}

long blocks_of_libdbus(void) { return live; }

void *malloc(size_t size) {
  void *caller = __builtin_return_address(0);
  if (fails(MEMORY, caller)) return NULL;
  void *block = __libc_malloc(size);
  if (is_in(LIBDBUS, caller)) remember(block);
  return block;
}

void *calloc(size_t count, size_t size) {
  void *caller = __builtin_return_address(0);
  if (fails(MEMORY, caller)) return NULL;
  void *block = __libc_calloc(count, size);
  if (is_in(LIBDBUS, caller)) remember(block);
  return block;
}

void *realloc(void *old, size_t size) {
  void *caller = __builtin_return_address(0);
  if (fails(MEMORY, caller)) return NULL;
  forget(old);
  void *block = __libc_realloc(old, size);
  if (is_in(LIBDBUS, caller)) remember(block);
  return block;
}

void free(void *block) {
  forget(block);
  __libc_free(block);
}

/* System calls ----------------------------------------------------------------------------------------------------- */

/* The next definition of this function, with its own type. */
#define REAL(function) (__extension__(__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* Whether this is a file or a socket: only their writes can fail for lack of resources. */
static int kind_of_write(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode));
}

int socket(int domain, int type, int protocol) {
  return FAILS(SOCKET) ? -1 : REAL(socket)(domain, type, protocol);
}

int socketpair(int domain, int type, int protocol, int pair[2]) {
  return FAILS(CREATE) ? -1 : REAL(socketpair)(domain, type, protocol, pair);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
  va_end(rest);
  return FAILS(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
  va_end(rest);
  return FAILS(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return kind_of_write(descriptor) && FAILS(WRITE) ? -1 : REAL(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return FAILS(WRITE) ? -1 : REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return kind_of_write(descriptor) && FAILS(WRITE) ? -1 : REAL(writev)(descriptor, parts, count);
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  return FAILS(WRITE) ? -1 : REAL(send)(socket, bytes, count, flags);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  return FAILS(WRITE) ? -1 : REAL(sendmsg)(socket, message, flags);
}

ssize_t recv(int socket, void *bytes, size_t count, int flags) {
  return FAILS(RECEIVE) ? -1 : REAL(recv)(socket, bytes, count, flags);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  return FAILS(RECEIVE) ? -1 : REAL(recvmsg)(socket, message, flags);
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
  if (operation != EPOLL_CTL_DEL && FAILS(EPOLL)) return -1;
  return REAL(epoll_ctl)(epoll, operation, descriptor, event);
}

int timerfd_create(int clock, int flags) { return FAILS(TIMER) ? -1 : REAL(timerfd_create)(clock, flags); }

int accept(int socket, __SOCKADDR_ARG address, socklen_t *restrict length) {
  return FAILS(ACCEPT) ? -1 : REAL(accept)(socket, address, length);
}

int accept4(int socket, __SOCKADDR_ARG address, socklen_t *restrict length, int flags) {
  return FAILS(ACCEPT) ? -1 : REAL(accept4)(socket, address, length, flags);
}

int epoll_create1(int flags) { return FAILS(CREATE) ? -1 : REAL(epoll_create1)(flags); }

int eventfd(unsigned int count, int flags) { return FAILS(CREATE) ? -1 : REAL(eventfd)(count, flags); }

int inotify_init1(int flags) { return FAILS(CREATE) ? -1 : REAL(inotify_init1)(flags); }

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
  return FAILS(CREATE) ? -1 : REAL(inotify_add_watch)(descriptor, path, mask);
}
