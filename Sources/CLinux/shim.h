// Linux interfaces that Swift's Glibc module leaves out.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

// Declared by <unistd.h> only to those who ask for GNU extensions.
int pipe2(int descriptors[2], int flags);

// Likewise, by <stdlib.h>.
char *secure_getenv(const char *name);

// Variadic in C, and variadic functions are not imported.
static inline int linux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Memory of each thread's own, zeros at first, that goes with the thread; NULL when so much is not there. Whichever file
// uses it has another.
static inline void *linux_thread_memory(size_t size) {
  static _Thread_local long long memory[128];
  return size <= sizeof memory ? memory : 0;
}
