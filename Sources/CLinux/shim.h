// Linux interfaces that Swift's Glibc module leaves out.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

// Declared by <unistd.h> only to those who ask for GNU extensions.
int pipe2(int descriptors[2], int flags);

// Variadic in C, and variadic functions are not imported.
static inline int linux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
