/* A program that uses the same tag while a program under test runs (beside.py). It receives everything, and sends
 * requests all the time. It requests the tag's fault log, which no function of the library does, so that the
 * counts of the program under test hold.
 */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t is_over;
static const int PAUSE_MS = 5;
static int is_waiting;
static int next_request;
static int notifications, gestures, touches, responses, failures;

static void on_signal(int number) { (void)number, is_over = 1; }

static void on_notification(const jacquard_bytes *bytes, void *user_data) {
  (void)bytes, (void)user_data, notifications++;
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) { (void)gesture, (void)user_data, gestures++; }

static void on_touch(const jacquard_touch *touch, void *user_data) { (void)touch, (void)user_data, touches++; }

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data);

static void request_fault_log(void) {
  /* domain 0, opcode 29, an empty field 127 */
  static const uint8_t request[] = {0x08, 0x00, 0x10, 0x1d, 0xfa, 0x07, 0x00};
  if (is_waiting) return;
  is_waiting = 1;
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_tag_send_request(tag, request, sizeof request, NULL, on_response, NULL, NULL, NULL));
}

static void on_response(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  (void)user_data;
  EXPECT((response == NULL) == (error != NULL));
  is_waiting = 0;
  next_request = milliseconds_now() + PAUSE_MS;
  *(error ? &failures : &responses) += 1;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase != JACQUARD_PHASE_CONNECTED) {
    jacquard_tag_unref(tag);
    tag = NULL;
    return;
  }
  jacquard_tag_unref(tag);
  tag = jacquard_tag_ref(state->tag);
  printf(state->service_process ? "through the service\n" : "directly\n");
}

static void uses_the_tag(void) {
  struct pollfd loop = {0, POLLIN, 0};
  loop.fd = jacquard_manager_get_fd(manager);
  while (!is_over) {
    if (tag && milliseconds_now() >= next_request) request_fault_log();
    /* A signal between the check and the call is followed by another one: see beside.py. */
    if (poll(&loop, 1, PAUSE_MS) > 0) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(manager));
  }
}

int main(void) {
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGTERM, &action, NULL);
  begin("companion");
  find_tag();
  /* The other program may switch Bluetooth off. */
  options.wait_for_adapter = 1;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_connect(manager, found_identifier, &options, on_state, NULL, NULL,
                                                      &connection));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_notification(connection, on_notification, NULL, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_touch(connection, on_touch, NULL, NULL, NULL));
  test("it uses the tag beside another program", uses_the_tag);
  printf("%d notifications, %d gestures, %d touches, %d responses, %d failures\n", notifications, gestures, touches,
         responses, failures);
  return end();
}
