/* Receives each advertisement: `scan SECONDS`. Prints "count seconds processor-seconds KiB-before KiB-after"; with 0
   seconds nothing is scanned, and both are the memory of a manager that knows BlueZ's devices. */
#include "readings.h"

#include <jacquard.h>
#include <poll.h>
#include <stdlib.h>

static jacquard_manager *manager;
static long received;
static int is_powered;

/* The manager has read the objects of BlueZ, and therefore all devices. */
static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)user_data;
  is_powered |= adapter->state == JACQUARD_ADAPTER_STATE_POWERED_ON;
}

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)found, (void)user_data;
  received++;
}

static void run(double seconds) {
  uint64_t end = nanoseconds(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
  for (uint64_t now; (now = nanoseconds(CLOCK_MONOTONIC)) < end;) {
    struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
    if (poll(&loop, 1, (int)((end - now) / 1000000) + 1) == 1 && jacquard_manager_dispatch(manager) < 0)
      exit(1);
  }
}

int main(int count, char **arguments) {
  double seconds = atof(count > 1 ? arguments[1] : "5");
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  options.every_report = 1;
  if (jacquard_manager_new(NULL, &manager) < 0 ||
      jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL) < 0)
    return 1;
  while (!is_powered)
    run(0.1);
  run(1);
  long before = resident_kib();
  if (seconds > 0 && jacquard_manager_scan(manager, &options, on_advertisement, NULL, NULL, NULL, NULL) < 0)
    return 1;
  if (seconds > 0)
    run(2);
  long first = received;
  uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  run(seconds);
  spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - spent;
  printf("%ld %.6f %.6f %ld %ld\n", received - first, seconds, (double)spent / 1e9, before, resident_kib());
  return 0;
}
