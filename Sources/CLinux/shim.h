// Linux interfaces that Swift's Glibc module lacks.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

// Declared by <unistd.h> only with GNU extensions.
int pipe2(int descriptors[2], int flags);

// Declared by <sys/socket.h> only with GNU extensions. That header would move its declarations from Glibc to this
// module.
int accept4(int listener, void *address, unsigned int *size, int flags);

// Declared by <stdlib.h> only with GNU extensions.
char *secure_getenv(const char *name);

// Variadic in C; Swift does not import variadic functions.
static inline int linux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Variadic in C. <unistd.h> would move its declarations from Glibc to this module.
long syscall(long number, ...);

// Returns a descriptor that is readable when the process has ended: pidfd_open(2).
static inline int linux_pidfd_open(int process) { return (int)syscall(434, process, 0); }

// Returns zero-initialised memory for this thread, which is freed when the thread ends; NULL if out of memory. Each
// file that includes this header has separate memory.
static inline void *linux_thread_memory(size_t size) {
  static _Thread_local long long memory[128];
  return size <= sizeof memory ? memory : 0;
}

// The innermost work that a thread performs, and the process in which the end of the thread is observed, or 0.
struct linux_work {
  void *innermost;
  int process;
};

// Each file that includes this header has separate memory.
static inline struct linux_work *linux_thread_work(void) {
  static _Thread_local struct linux_work work;
  return &work;
}
