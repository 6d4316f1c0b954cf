/* Shared by the tests of the features: a tag, a control connection to it, and expectations.
 *
 * A program is a list of tests on one connection to one software tag. The tag takes scenario lines (docs/scenarios.md)
 * from the socket named in JACQUARD_CONTROL, either with a simulated bluetoothd or with a real radio.
 */
#ifndef FEATURE_H
#define FEATURE_H

#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>
#include <jacquard/service.h>
#include <jacquard/touch.h>
#include <stdio.h>
#include <string.h>

extern jacquard_manager *manager;
extern jacquard_connection *connection;
/* The scan's result for the tag. */
extern char found_identifier[64];
extern int found_rssi;
/* The tag of the current link, or of the last one. */
extern jacquard_tag *tag;
/* How often the connection has reached CONNECTED, lost the link, and ended; and the last reason. */
extern int links, losses, ends;
extern int last_reason;
/* Whether the service has the link, and whether other programs used the tag before this one (beside.py). */
extern int uses_service, is_beside_others;

/* The start and end of a program. `end` returns the result of main. */
void begin(const char *area);
void test(const char *name, void (*body)(void));
int end(void);

/* Scans for the tag. */
void find_tag(void);
/* Scans and begins a connection; subscriptions made now receive everything. */
void open_connection(void);
/* Returns when the connection is established, for the first time or again. */
void await_link(void);
/* Scans, connects and waits until the connection is established. */
void connect_tag(void);

/* Runs the loop until the number has reached this value; 0 if it does not within half a minute. */
int run_until(const int *number, int wanted);
/* Runs the loop until the tag has responded, so that everything it sent earlier has been delivered. */
void settle(void);
/* Runs the loop for a while, to check that no event occurs in that time. */
void run_for(int milliseconds);
int milliseconds_now(void);
/* The time on CLOCK_BOOTTIME, the clock of arrivals. */
int64_t boot_time_ns(void);

/* Sends a line to the tag and returns its reply, valid until the next one. A refused line fails the test. */
const char *tell(const char *format, ...);
/* The last entry on a page of the tag's journal. */
const char *noted(const char *page);
/* Runs the loop until this is the last entry: for data that the library sends without a completion. */
void await_noted(const char *page, const char *entry);
/* The number of requests of a kind, or all for NULL, that the tag has received since the start of the test. */
int requests(const char *kind);
/* The kinds of all requests, separated by "; ", without those of companion.c. */
const char *all_kinds(void);

/* How a command ended. */
struct outcome {
  int completed; /* times that the callback ran */
  int destroyed; /* times that destroy ran */
  int code;
  int att_code;
  int tag_status;
  char tag_status_name[32];
};

/* The user_data of a command is its outcome, alone or as the first member of something larger. */
void on_done(const jacquard_error *error, void *user_data);
void on_destroy(void *user_data);
void note_error(struct outcome *outcome, const jacquard_error *error);
/* The function's result if it refused the command, otherwise the result of the command. */
int finish(struct outcome *outcome, int accepted);

void expect(int holds, const char *text, const char *file, int line);
void expect_number(long long expected, long long actual, const char *text, const char *file, int line);
void expect_text(const char *expected, const char *actual, const char *text, const char *file, int line);
#define EXPECT(condition) expect((condition) != 0, #condition, __FILE__, __LINE__)
#define EXPECT_NUMBER(expected, actual) expect_number((expected), (actual), #actual, __FILE__, __LINE__)
#define EXPECT_TEXT(expected, actual) expect_text((expected), (actual), #actual, __FILE__, __LINE__)
/* The size that the library gives a struct is that of its own header. */
#ifdef OF_ANOTHER_VERSION
#define EXPECT_SIZE(expected, actual) EXPECT((actual) > 0)
#else
#define EXPECT_SIZE(expected, actual) EXPECT_NUMBER((expected), (actual))
#endif
/* Copies a struct that the library has filled: as much of it as both the library and this program know. */
#define COPY(to, from) copy_struct((to), sizeof *(to), (from))
void copy_struct(void *to, size_t size, const void *from);
#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
