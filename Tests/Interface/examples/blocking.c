/* The blocking layer, function by function, with one software tag; JACQUARD_CONTROL is its control socket. */
#define _POSIX_C_SOURCE 200809L
#include "jacquard-blocking.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { SOON = 20000 };

static jb_session *session;
static jb_found found;
static jb_tag *tag;
static jb_error error;
static int wrong, failed;

static void expect(int holds, const char *text, int line) {
  if (holds) return;
  wrong++;
  printf("line %d: not so: %s (%d %s: %s)\n", line, text, error.code, error.what, error.message);
}
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

static int milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int)(now.tv_sec % 100000) * 1000 + (int)(now.tv_nsec / 1000000);
}

static const char *tell(const char *line) {
  static char answer[65536];
  static int control = -1;
  size_t length = 0;
  ssize_t count;
  if (control < 0) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("JACQUARD_CONTROL"));
    control = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(control, (struct sockaddr *)&address, sizeof address) != 0) exit(2);
  }
  dprintf(control, "%s\n", line);
  do count = read(control, answer + length, sizeof answer - 1 - length), length += count > 0 ? (size_t)count : 0;
  while (count > 0 && answer[length - 1] != '\n');
  answer[length ? length - 1 : 0] = 0;
  expect(strncmp(answer, "ok", 2) == 0, answer, 0);
  return answer;
}

/* Tests ------------------------------------------------------------------------------------------------------------ */

static void nothing_without_a_bus(void) {
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.bus_address = "nonsense";
  EXPECT(jb_open(&options, &error) == NULL);
  EXPECT(error.code == JACQUARD_ERROR_BUS_ADDRESS && *error.message);
}

static void unknown_tag_is_not_found(void) {
  int began = milliseconds();
  EXPECT(jb_find(session, "ZZZZ", 300, &error).identifier[0] == 0);
  EXPECT(error.code == JACQUARD_ERROR_NOT_FOUND && *error.advice);
  EXPECT(milliseconds() - began >= 300);
}

static void nothing_is_done_after_an_error(void) {
  int began = milliseconds();
  error.code = JACQUARD_ERROR_TIMEOUT;
  EXPECT(jb_find(session, NULL, SOON, &error).identifier[0] == 0);
  EXPECT(jb_connect(session, "x", SOON, &error) == NULL && jb_open(NULL, &error) == NULL);
  EXPECT(!jb_battery(NULL, SOON, &error).percent && !jb_next(NULL, JB_ANYTHING, SOON, NULL, &error));
  EXPECT(error.code == JACQUARD_ERROR_TIMEOUT && milliseconds() - began < 1000);
}

static void wrong_arguments_are_errors(void) {
  EXPECT(jb_connect(session, "no identifier", SOON, &error) == NULL);
  EXPECT(error.code == JACQUARD_ERROR_INVALID_ARGUMENT);
  jb_clear(&error);
  EXPECT(jb_battery(NULL, SOON, &error).percent == 0 && error.code == JACQUARD_ERROR_INVALID_ARGUMENT);
  EXPECT(strcmp(error.what, "battery") == 0);
  EXPECT(jb_battery(NULL, SOON, NULL).percent == 0);
  jb_disconnect(NULL);
  jb_close(NULL);
  jb_interrupt(NULL);
  jb_resume(NULL);
}

static void tags_are_found(void) {
  jb_found all[4];
  EXPECT(jb_find_all(session, all, 4, 500, &error) == 1 && error.code == 0);
  EXPECT(strcmp(all[0].serial, "01ZK") == 0);
  EXPECT(jb_find_all(session, all, 1, JB_FOREVER, &error) == 1);
  found = jb_find(session, "01ZK", SOON, &error);
  EXPECT(strcmp(found.name, "Jacquard-01ZK") == 0 && strcmp(found.identifier, all[0].identifier) == 0);
  EXPECT(found.rssi < 0 && strlen(found.address) == 17);
}

static void a_connection_that_takes_too_long_is_given_up(void) {
  int began = milliseconds();
  tell("connect hangs once");
  EXPECT(jb_connect(session, found.identifier, 500, &error) == NULL);
  EXPECT(error.code < 0 && *error.message && milliseconds() - began < 3000);
}

static void a_tag_is_connected_by_its_serial_number(void) {
  EXPECT(jb_connect_serial(session, "ZZZZ", 300, &error) == NULL);
  EXPECT(error.code == JACQUARD_ERROR_NOT_FOUND && strcmp(error.message, "Tag ZZZZ was not found in time.") == 0);
  jb_clear(&error);
  tag = jb_connect_serial(session, "01ZK", SOON, &error);
  EXPECT(strcmp(jb_tag_info(tag, SOON, &error).identifier, found.identifier) == 0);
  jb_disconnect(tag);
}

static void a_tag_is_connected(void) {
  jb_info info;
  tag = jb_connect(session, found.identifier, SOON, &error);
  EXPECT(tag && jb_connected(tag, 0, &error));
  info = jb_tag_info(tag, SOON, &error);
  EXPECT(strcmp(info.identifier, found.identifier) == 0 && info.firmware[0] == 1 && info.firmware[1] == 96);
  EXPECT(strcmp(info.vendor, "Google Inc.") == 0);
  EXPECT(jb_connection(tag) && jb_manager(session));
}

static void the_battery_is_one_line(void) {
  tell("battery 42 charging");
  EXPECT(jb_battery(tag, SOON, &error).percent == 42);
  EXPECT(jb_battery(tag, SOON, NULL).charging == 1);
}

static void a_tag_that_does_not_answer_is_waited_for_no_longer(void) {
  int began = milliseconds();
  tell("on request battery once: delay 4s");
  EXPECT(jb_battery(tag, 300, &error).percent == 0);
  EXPECT(error.code == JACQUARD_ERROR_TIMEOUT && milliseconds() - began < 3000);
  jb_clear(&error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 42);
}

static void what_the_tag_refuses_is_told(void) {
  tell("on request led once: status 2");
  EXPECT(!jb_light(tag, JB_ON_TAG, 0xff8000, 100, SOON, &error));
  EXPECT(error.code == JACQUARD_ERROR_TAG_STATUS && error.tag_status == 2 && strcmp(error.what, "led") == 0);
}

static void a_light_is_shown(void) {
  EXPECT(jb_light(tag, JB_ON_TAG, 0xff8000, 250, SOON, &error));
  const char *lights = tell("journal lights");
  EXPECT(strstr(lights, "255,128,0:250"));
}

static void a_command_waits_for_a_lost_link(void) {
  static const char *const losses[] = {"drop link", "out-of-range for 300ms"};
  int index;
  for (index = 0; index < 2; index++) {
    jacquard_battery battery;
    tell(losses[index]);
    battery = jb_battery(tag, SOON, &error);
    if (error.code == JACQUARD_ERROR_CONNECTION_LOST) { /* the command was pending at that time */
      jb_clear(&error);
      battery = jb_battery(tag, SOON, &error);
    }
    EXPECT(battery.percent == 42 && error.code == 0);
  }
}

static void gear_is_waited_for(void) {
  jacquard_haptic haptic = JACQUARD_HAPTIC_INIT;
  haptic.type = JACQUARD_HAPTIC_CONSTANT;
  haptic.on_ms = 123;
  haptic.amplitude = 60;
  EXPECT(!jb_haptic(tag, &haptic, 200, &error) && error.code == JACQUARD_ERROR_TIMEOUT);
  EXPECT(strstr(error.message, "gear"));
  jb_clear(&error);
  tell("at 200ms gear attach levis-trucker");
  EXPECT(strcmp(jb_wait_for_gear(tag, SOON, &error).product, "Trucker Jacket") == 0);
  EXPECT(jb_haptic(tag, &haptic, SOON, &error));
  EXPECT(strstr(tell("journal haptics"), "123"));
}

static void touch_comes_when_asked_for(void) {
  jb_event event;
  EXPECT(jb_touch_mode(tag, JACQUARD_TOUCH_MODE_CONTINUOUS, SOON, &error));
  tell("touch 7 1 2 3 4 5 6 7 8 9 10 11 12");
  EXPECT(jb_next(tag, JB_TOUCH, SOON, &event, &error));
  EXPECT(event.kind == JB_TOUCH && event.touch.proximity == 7 && event.touch.lines[11] == 12);
  EXPECT(jb_touch_mode(tag, JACQUARD_TOUCH_MODE_GESTURE, SOON, &error));
}

static void empty(void) {
  jb_event event;
  while (jb_next(tag, JB_ANYTHING, 0, &event, &error)) continue;
}

static void events_come_in_order(void) {
  jb_event event;
  empty();
  tell("gesture cover");
  tell("battery 41 discharging");
  tell("gesture brush-in");
  EXPECT(jb_battery(tag, SOON, &error).percent == 41); /* all of them have arrived then */
  EXPECT(jb_next(tag, JB_ANYTHING, 0, &event, &error) && event.kind == JB_GESTURE && event.gesture.type == 7);
  EXPECT(jb_next(tag, JB_GESTURE, 0, &event, &error) && strcmp(event.gesture.name, "brush-in") == 0);
  EXPECT(jb_next(tag, JB_ANYTHING, 0, &event, &error) && event.kind == JB_BATTERY && event.battery.percent == 41);
  EXPECT(!jb_next(tag, JB_ANYTHING, 0, &event, &error) && error.code == 0);
}

static void events_that_nobody_fetches_are_counted(void) {
  int index, count = 0;
  unsigned lost = 0;
  jb_event event;
  tell("battery 40 discharging");
  for (index = 0; index < 300; index++) {
    char line[32];
    snprintf(line, sizeof line, "gesture %d", 1 + index);
    tell(line);
    if (index % 10 == 9) jb_battery(tag, SOON, &error);
  }
  while (jb_next(tag, JB_GESTURE, 0, &event, &error)) {
    if (count++ == 0) EXPECT(event.gesture.type == 45);
    lost += event.lost;
  }
  EXPECT(event.gesture.type == 300 && count == 256 && lost == 44);
  EXPECT(jb_next(tag, JB_BATTERY, 0, &event, &error) && event.battery.percent == 40 && event.lost == 0);
}

/* Nothing reports that the other thread waits; an earlier interrupt has the same result. */
static void *interrupt_soon(void *unused) {
  struct timespec pause = {0, 200000000};
  nanosleep(&pause, NULL);
  jb_interrupt(session);
  return unused;
}

static void another_thread_interrupts(void) {
  pthread_t thread;
  jb_event event;
  pthread_create(&thread, NULL, interrupt_soon, NULL);
  EXPECT(!jb_next(tag, JB_TOUCH, JB_FOREVER, &event, &error) && error.code == JB_ERROR_INTERRUPTED);
  jb_clear(&error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 0 && error.code == JB_ERROR_INTERRUPTED);
  pthread_join(thread, NULL);
  jb_resume(session);
  jb_clear(&error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 40);
}

static void on_alarm(int number) {
  (void)number;
  jb_interrupt(session);
}

static void a_signal_handler_interrupts(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval soon = {{0, 0}, {0, 200000}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  jb_find(session, "ZZZZ", JB_FOREVER, &error);
  EXPECT(error.code == JB_ERROR_INTERRUPTED);
  jb_resume(session);
}

static void *ask(void *answer) {
  jb_error own = JB_ERROR_INIT;
  *(unsigned *)answer = jb_battery(tag, SOON, &own).percent;
  return NULL;
}

static void threads_wait_side_by_side(void) {
  pthread_t threads[4];
  unsigned answers[4] = {0};
  int index;
  for (index = 0; index < 4; index++) pthread_create(&threads[index], NULL, ask, &answers[index]);
  for (index = 0; index < 4; index++) pthread_join(threads[index], NULL);
  for (index = 0; index < 4; index++) EXPECT(answers[index] == 40);
}

static int status_inside, close_inside;

static void on_battery(const jacquard_battery_event *event, void *user_data) {
  jb_error inside = JB_ERROR_INIT;
  (void)event, (void)user_data;
  jb_battery(tag, JB_FOREVER, &inside);
  jb_disconnect(tag);
  status_inside = inside.code;
  close_inside = jb_close(session);
}

static void a_callback_cannot_wait(void) {
  jacquard_subscription *subscription = NULL;
  jb_event event;
  empty();
  EXPECT(jacquard_connection_on_battery(jb_connection(tag), on_battery, NULL, NULL, &subscription) == 0);
  tell("battery 39 discharging");
  EXPECT(jb_next(tag, JB_BATTERY, SOON, &event, &error));
  jb_battery(tag, SOON, &error);
  jacquard_subscription_unref(subscription);
  EXPECT(status_inside == JACQUARD_ERROR_MISUSE && close_inside == JACQUARD_ERROR_MISUSE);
}

static void a_renamed_tag_is_back(void) {
  EXPECT(jb_rename(tag, "Hugo", SOON, &error));
  EXPECT(strcmp(jb_tag_info(tag, 0, &error).name, "Hugo") == 0);
  EXPECT(!jb_rename(tag, "Hugo", SOON, &error) && error.code == JACQUARD_ERROR_UNCHANGED);
}

static void a_connection_that_ended_says_why(void) {
  jb_event event;
  tell("adapter off");
  while (jb_next(tag, JB_ANYTHING, SOON, &event, &error)) continue;
  EXPECT(error.code == JACQUARD_ERROR_POWERED_OFF && strcmp(error.what, "event") == 0 && *error.advice);
  jb_clear(&error);
  jb_battery(tag, SOON, &error);
  EXPECT(error.code == JACQUARD_ERROR_POWERED_OFF);
  jb_clear(&error);
  EXPECT(jb_find_all(session, &found, 1, SOON, &error) == 0 && error.code == JACQUARD_ERROR_POWERED_OFF);
  tell("adapter on");
}

static void after_an_end_there_can_be_a_beginning(void) {
  int began = milliseconds();
  jb_disconnect(tag);
  do { /* until the library knows that the adapter is on */
    jb_clear(&error);
    found = jb_find(session, NULL, SOON, &error);
  } while (error.code == JACQUARD_ERROR_POWERED_OFF && milliseconds() - began < SOON);
  tag = jb_connect(session, found.identifier, SOON, &error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 39);
  jb_disconnect(tag);
  tag = jb_connect(session, found.identifier, SOON, &error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 39);
}

static void a_tag_is_bound_with_its_code(void) {
  static const jacquard_profile_entry profile[] = {{"sleeve", "left"}};
  jb_disconnect(tag);
  EXPECT(jb_bind(session, found.identifier, "9999", NULL, NULL, 0, SOON, &error) == NULL);
  EXPECT(error.code == JACQUARD_ERROR_WRONG_CODE && strcmp(error.what, "bind") == 0);
  jb_clear(&error);
  tag = jb_bind(session, NULL, "01ZK", "ada", profile, 1, SOON, &error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 39);
  jb_disconnect(tag);
  tag = jb_connect(session, found.identifier, SOON, &error);
  EXPECT(jb_battery(tag, SOON, &error).percent == 39);
}

/* Whether the one known tag has the profile that it was bound with. */
static void on_known(const jacquard_known_tag *const *tags, size_t count, const jacquard_error *reason, void *kept) {
  const jacquard_profile_entry *entry = !reason && count == 1 && tags[0]->profile_count == 1 ? tags[0]->profile : NULL;
  *(int *)kept = entry && strcmp(entry->key, "sleeve") == 0 && strcmp(entry->value, "left") == 0;
}

static void known_tags_are_listed(void) {
  jb_known known[2];
  int kept = 0; /* written before the next response */
  EXPECT(jacquard_manager_list_known(jb_manager(session), NULL, on_known, &kept, NULL, NULL) == 0);
  EXPECT(jb_list_known(session, known, 2, SOON, &error) == 1);
  EXPECT(strcmp(known[0].identifier, found.identifier) == 0 && strcmp(known[0].owner, "ada") == 0);
  EXPECT(strstr(known[0].serial, "01ZK") && known[0].bound_at > 0 && known[0].last_connected >= known[0].bound_at);
  EXPECT(jb_list_known(session, NULL, 0, SOON, &error) == 1);
  EXPECT(kept);
}

static void an_unbound_tag_is_forgotten(void) {
  jb_event event;
  EXPECT(jb_unbind(session, found.identifier, SOON, &error));
  while (jb_next(tag, JB_ANYTHING, SOON, &event, &error)) continue;
  EXPECT(error.code < 0 && error.code != JB_ERROR_INTERRUPTED);
  jb_clear(&error);
  EXPECT(jb_list_known(session, NULL, 0, SOON, &error) == 0 && error.code == 0);
  EXPECT(!jb_unbind(session, found.identifier, SOON, &error) && error.code == JACQUARD_ERROR_NOT_FOUND);
}

static void test(const char *name, void (*body)(void)) {
  wrong = 0;
  jb_clear(&error);
  body();
  printf("%s %s\n", wrong ? "not ok" : "ok", name);
  failed += wrong != 0;
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  test("nothing without a bus", nothing_without_a_bus);
  jb_clear(&error);
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.state_directory = getenv("JACQUARD_STATE");
  session = jb_open(&options, &error);
  test("an unknown tag is not found", unknown_tag_is_not_found);
  test("nothing is done after an error", nothing_is_done_after_an_error);
  test("wrong arguments are errors", wrong_arguments_are_errors);
  test("tags are found", tags_are_found);
  test("a connection that takes too long is dropped", a_connection_that_takes_too_long_is_given_up);
  test("a tag is connected by its serial number", a_tag_is_connected_by_its_serial_number);
  test("a tag is connected", a_tag_is_connected);
  test("the battery is read with one call", the_battery_is_one_line);
  test("a tag that does not respond times out", a_tag_that_does_not_answer_is_waited_for_no_longer);
  test("a refusal of the tag is reported", what_the_tag_refuses_is_told);
  test("a light is shown", a_light_is_shown);
  test("a command waits for a lost link", a_command_waits_for_a_lost_link);
  test("a call waits for gear", gear_is_waited_for);
  test("touch samples arrive in touch mode", touch_comes_when_asked_for);
  test("events arrive in order", events_come_in_order);
  test("events that are not fetched are counted", events_that_nobody_fetches_are_counted);
  test("another thread interrupts", another_thread_interrupts);
  test("a signal handler interrupts", a_signal_handler_interrupts);
  test("threads wait concurrently", threads_wait_side_by_side);
  test("a callback cannot wait", a_callback_cannot_wait);
  test("a renamed tag is back", a_renamed_tag_is_back);
  test("an ended connection reports why", a_connection_that_ended_says_why);
  test("a session can be opened after another", after_an_end_there_can_be_a_beginning);
  test("a tag is bound with its code", a_tag_is_bound_with_its_code);
  test("known tags are listed", known_tags_are_listed);
  test("an unbound tag is not known", an_unbound_tag_is_forgotten);
  jb_close(session);
  return failed != 0;
}
