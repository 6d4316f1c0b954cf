/*
 * host [--adapter ADDRESS] [--wait-for-adapter] [--exclusive] [--scan-for SECONDS] adapter|scan|connect|stream|ask
 *
 * A program that uses the library and prints its events, one per line, until SIGTERM, or until the scan or connection
 * has ended. SIGUSR1 ends the connection, but not the manager. `connect` scans for a tag first; `stream` also makes its
 * gear send touch samples; `ask` reads the battery repeatedly; `--exclusive` does not share the tag. Lines that begin
 * with "log:" are the library's own.
 */
#include <jacquard.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static jacquard_manager *manager;
static jacquard_connection *connection;
static uint32_t wait_for_adapter;
static int connects, streams, asks, done;
/* Touch samples were requested; after that the library restores the mode. */
static int streaming;

/* The tag of the previous link, to check that it is stale, and the number of links. */
static jacquard_tag *last_tag;
static unsigned tags;

static void say_error(const jacquard_error *error) {
  if (error) printf(": %s: %s %s", jacquard_status_name(error->code), error->message, error->advice);
  putchar('\n');
}

static int must(const char *what, int status) {
  if (status < 0) {
    printf("%s: %s\n", what, jacquard_status_name(status));
    done = 1;
  }
  return status;
}

static void on_log(const jacquard_log *log, void *user_data) {
  (void)user_data;
  printf("log: %s: %s\n", log->part, log->message);
}

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)user_data;
  printf("adapter %s %s", jacquard_adapter_state_name(adapter->state), adapter->address);
  say_error(adapter->error);
}

static void on_battery_event(const jacquard_battery_event *event, void *user_data) {
  (void)user_data;
  printf("battery %u%%%s\n", (unsigned)event->battery->percent, event->battery->charging ? ", charging" : "");
}

static void on_done(const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) {
    printf("touch mode");
    say_error(error);
  }
  streaming = !error;
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)user_data;
  printf("touch %u\n", (unsigned)touch->sequence);
}

static void on_answer(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (battery) printf("answered %u%%\n", (unsigned)battery->percent);
  if (error) {
    printf("answered");
    say_error(error);
  }
  asks = 1;
}

static void on_gear(const jacquard_gear *gear, void *user_data) {
  (void)user_data;
  const jacquard_component_info *info = NULL;
  if (gear->component) must("gear", jacquard_component_get_info(gear->component, &info));
  printf("gear %s\n", info ? info->product : "none");
  if (streams && info && !streaming)
    must("stream", jacquard_component_set_touch_mode(gear->component, JACQUARD_TOUCH_MODE_CONTINUOUS, NULL, on_done,
                                                     NULL, NULL, NULL));
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  (void)user_data;
  printf("gesture %u%s\n", (unsigned)gesture->type, gesture->may_be_copy ? ", may be a copy" : "");
}

static void on_stale_answer(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  printf("the tag before %s", battery ? "answers" : "is of no use");
  say_error(error);
}

static void on_tag(jacquard_tag *tag) {
  tags++;
  if (last_tag) {
    if (tag == last_tag) printf("the tag is the one before\n");
    must("read battery", jacquard_tag_read_battery(last_tag, NULL, on_stale_answer, NULL, NULL, NULL));
    jacquard_tag_unref(last_tag);
  }
  last_tag = jacquard_tag_ref(tag);
}

static const char *const disconnect_reasons[] = {
    "", "unknown", "timeout", "local", "remote", "authentication", "suspend", "powered off", "service gone"};
static uint32_t last_reason;
/* The manager outlives its connection, which has ended. */
static int stays, over;

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  printf("%s %u/%u, attempt %u", jacquard_phase_name(state->phase), (unsigned)state->step,
         (unsigned)state->total_steps, (unsigned)state->attempt);
  if (state->tag) {
    on_tag(state->tag);
    printf(", tag %u", tags);
    if (state->service_process) printf(", through process %d", (int)state->service_process);
  }
  say_error(state->reason);
  if (state->disconnect_reason != last_reason && state->disconnect_reason != JACQUARD_DISCONNECT_REASON_NONE)
    printf("the link ended: %s\n", disconnect_reasons[state->disconnect_reason]);
  last_reason = state->disconnect_reason;
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) *(stays ? &over : &done) = 1;
}

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  printf("found %s %s\n", found->serial, found->name);
  if (!connects) return;
  jacquard_scan_stop(found->scan);
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  options.wait_for_adapter = wait_for_adapter;
  if (must("connect", jacquard_manager_connect(manager, found->identifier, &options, on_state, NULL, NULL,
                                               &connection)) < 0)
    return;
  must("subscribe", jacquard_connection_on_battery(connection, on_battery_event, NULL, NULL, NULL));
  must("subscribe", jacquard_connection_on_gear(connection, on_gear, NULL, NULL, NULL));
  must("subscribe", jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, NULL));
  must("subscribe", jacquard_connection_on_touch(connection, on_touch, NULL, NULL, NULL));
}

static const char *const scan_ends[] = {"", "timed out", "powered off", "adapter gone", "permission denied", "error",
                                        "stopped"};

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  printf("scan ended, %s", scan_ends[result->reason]);
  say_error(result->error);
  if (result->reason != JACQUARD_SCAN_END_STOPPED) done = 1;
}

int main(int count, char **arguments) {
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  jacquard_scan_options scan_options = JACQUARD_SCAN_OPTIONS_INIT;
  int next = 1;
  if (next + 1 < count && strcmp(arguments[next], "--adapter") == 0) {
    options.adapter = arguments[next + 1];
    next += 2;
  }
  if (next < count && strcmp(arguments[next], "--wait-for-adapter") == 0) {
    wait_for_adapter = scan_options.wait_for_adapter = 1;
    next++;
  }
  if (next < count && strcmp(arguments[next], "--exclusive") == 0) {
    options.exclusive = 1;
    next++;
  }
  if (next + 1 < count && strcmp(arguments[next], "--scan-for") == 0) {
    scan_options.timeout_ms = 1000 * (uint32_t)strtoul(arguments[next + 1], NULL, 10);
    next += 2;
  }
  if (next + 1 != count) return 2;
  streams = strcmp(arguments[next], "stream") == 0;
  asks = strcmp(arguments[next], "ask") == 0;
  connects = streams || asks || strcmp(arguments[next], "connect") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);

  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGUSR1);
  sigprocmask(SIG_BLOCK, &ending, NULL);
  if (must("manager", jacquard_manager_new(&options, &manager)) < 0) return 1;
  must("log", jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_INFO, on_log, NULL, NULL, NULL));
  must("adapter", jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL));
  if (connects || strcmp(arguments[next], "scan") == 0)
    must("scan",
         jacquard_manager_scan(manager, &scan_options, on_advertisement, on_scan_end, NULL, NULL, NULL));

  struct pollfd events[] = {
      {.fd = jacquard_manager_get_fd(manager), .events = POLLIN},
      {.fd = signalfd(-1, &ending, 0), .events = POLLIN},
  };
  int period = asks ? 1000 : -1;
  while (!done && must("poll", poll(events, 2, period)) >= 0 &&
         must("dispatch", jacquard_manager_dispatch(manager)) == 0) {
    if (asks == 1 && last_tag && last_reason == JACQUARD_DISCONNECT_REASON_NONE) {
      asks = 2;
      must("ask", jacquard_tag_read_battery(last_tag, NULL, on_answer, NULL, NULL, NULL));
    }
    if (over) connection = jacquard_connection_unref(connection);
    if (!(events[1].revents & POLLIN)) continue;
    struct signalfd_siginfo signal;
    must("read", (int)read(events[1].fd, &signal, sizeof signal));
    if (signal.ssi_signo == SIGTERM) events[1].fd = -1;
    if (!connection) break;
    stays = signal.ssi_signo == SIGUSR1;
    /* The connection reports its end. */
    must("disconnect", jacquard_connection_disconnect(connection));
  }
  jacquard_tag_unref(last_tag);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return 0;
}
