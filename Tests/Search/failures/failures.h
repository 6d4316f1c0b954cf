/* The functions that failures.c, which must be preloaded, offers to the program. */
#ifndef FAILURES_H
#define FAILURES_H

/* The n-th call of this kind from now on fails, and those that follow within this time; NULL: none. */
void fail_call(const char *kind, long number, long for_milliseconds);
/* Whether that call has failed. */
int has_failed(void);
/* The blocks of memory that libdbus has not released. */
long blocks_of_libdbus(void);

#endif
