/*
 * A manager with connected tags while another program receives advertisements: `idle TAGS SECONDS [alone]`; without the
 * other program if alone. Prints how often the manager became readable, its processor time in microseconds, the
 * advertisements that the other program received, and the touch data that the manager received, if the tags send any.
 */
#include "expect.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TAGS = 200, SETTLING = 2000, MOST_SETTLING = 5 };

static jacquard_manager *manager;
static int wanted, connected;
static jacquard_connection *connections[MOST_TAGS];
static int requested;
static unsigned long received, touches;
static volatile sig_atomic_t asked;

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long processor_microseconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* Dispatches for this time, or until `*until` has reached `wanted`. Returns how often the manager was readable. */
static int run(long long length, const int *until) {
  long long end = milliseconds() + length;
  int wake_ups = 0;
  for (long long left = length; left > 0 && !(until && *until >= wanted); left = end - milliseconds()) {
    struct pollfd loop = {jacquard_manager_get_fd(manager), POLLIN, 0};
    if (poll(&loop, 1, (int)left) != 1)
      continue;
    wake_ups++;
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  }
  return wake_ups;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  connected += state->phase == JACQUARD_PHASE_CONNECTED;
  EXPECT_TRUE(state->phase != JACQUARD_PHASE_DISCONNECTED);
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)touch, (void)user_data;
  touches++;
}

static void on_found(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, found->identifier, NULL, on_state, NULL, NULL,
                                               &connections[requested]));
  EXPECT(JACQUARD_OK, jacquard_connection_on_touch(connections[requested++], on_touch, NULL, NULL, NULL));
  if (requested == wanted)
    EXPECT(JACQUARD_OK, jacquard_scan_stop(found->scan));
}

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)found, (void)user_data;
  received++;
}

static void ask(int number) {
  (void)number;
  asked = 1;
}

/* The other program: writes the number of advertisements so far when it is asked. */
static int scan(int output) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = ask;
  sigaction(SIGUSR1, &action, NULL);
  options.every_report = 1;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, &options, on_advertisement, NULL, NULL, NULL, NULL));
  while (!wrong) {
    struct pollfd loop = {jacquard_manager_get_fd(manager), POLLIN, 0};
    if (poll(&loop, 1, -1) == 1)
      EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
    if (asked && write(output, &received, sizeof received) != sizeof received)
      return 1;
    asked = 0;
  }
  return 1;
}

static unsigned long advertisements(pid_t scanner, int input) {
  unsigned long count = 0;
  kill(scanner, SIGUSR1);
  EXPECT_TRUE(read(input, &count, sizeof count) == sizeof count);
  return count;
}

int main(int count, char **arguments) {
  int ends[2];
  wanted = count > 1 ? atoi(arguments[1]) : 1;
  int seconds = count > 2 ? atoi(arguments[2]) : 3;
  int is_alone = count > 3 && strcmp(arguments[3], "alone") == 0;
  if (wanted > MOST_TAGS || pipe(ends))
    return 1;
  /* Before this process has a manager. */
  pid_t scanner = is_alone ? getpid() : fork();
  if (scanner < 0)
    return 1;
  if (!scanner) {
    close(ends[0]);
    return scan(ends[1]);
  }
  close(ends[1]);
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  run(60000, &connected);
  EXPECT_TRUE(connected == wanted);
  /* Waits until the last new device was added. A tag may be streaming. */
  for (int i = 0; i < MOST_SETTLING && run(SETTLING, NULL) > 0; i++)
    continue;
  unsigned long before = is_alone ? 0 : advertisements(scanner, ends[0]);
  unsigned long touches_before = touches;
  long long spent = processor_microseconds();
  int wake_ups = run(seconds * 1000, NULL);
  spent = processor_microseconds() - spent;
  unsigned long others = is_alone ? 0 : advertisements(scanner, ends[0]) - before;
  printf("%d %lld %lu %lu\n", wake_ups, spent, others, touches - touches_before);
  for (int number = 0; number < requested; number++)
    jacquard_connection_unref(connections[number]);
  jacquard_manager_unref(manager);
  if (!is_alone) {
    kill(scanner, SIGKILL);
    waitpid(scanner, NULL, 0);
  }
  return wrong != 0;
}
