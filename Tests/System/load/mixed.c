/*
 * Twenty tags at once: touch samples at 60 Hz with gestures in between, while every tag is sent ten commands a second.
 * `mixed CONTROL`: the simulator's control socket, which starts the tags' traffic when all of them are ready.
 *
 * The traffic sets the pace of the commands, one for every six samples, so the checks do not depend on a clock.
 */
#include "expect.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  TAGS = 20,
  SECONDS = 30,
  SAMPLES = SECONDS * 60,
  SAMPLES_PER_COMMAND = 6,
  COMMANDS = SAMPLES / SAMPLES_PER_COMMAND,
  GESTURES = SECONDS * 2,
  TIMEOUT_MS = 60000
};

struct tag {
  jacquard_connection *connection;
  jacquard_tag *tag;
  jacquard_component *light; /* the tag's own */
  jacquard_component *gear;
  int connected;  /* times */
  int streaming;  /* the gear reports gestures and touch data */
  int samples;    /* the last sample's number */
  int gestures;   /* the last gesture's number */
  int sent;       /* commands */
  int completed;  /* commands */
  int destroyed;  /* registrations of commands */
};

struct command {
  struct tag *tag;
  int number;
  int completed;
};

static jacquard_manager *manager;
static struct tag tags[TAGS];
static struct command commands[TAGS][COMMANDS];
static int found;

static int everywhere(int (*reached)(const struct tag *)) {
  for (int i = 0; i < TAGS; i++)
    if (!reached(&tags[i]))
      return 0;
  return 1;
}

static int is_connected(const struct tag *tag) { return tag->tag && tag->gear; }
static int is_streaming(const struct tag *tag) { return tag->streaming; }
static int is_done(const struct tag *tag) {
  return tag->samples >= SAMPLES && tag->gestures >= GESTURES && tag->destroyed >= COMMANDS;
}

static void run_until_everywhere(int (*reached)(const struct tag *)) {
  struct pollfd loop;
  loop.fd = jacquard_manager_get_fd(manager);
  loop.events = POLLIN;
  while (!everywhere(reached)) {
    if (poll(&loop, 1, TIMEOUT_MS) != 1) {
      printf("nothing happens any more\n");
      exit(1);
    }
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
    if (wrong)
      exit(1);
  }
}

/* Commands: each completes once, in its tag's order. --------------------------------------------------------------- */

static void complete(struct command *command, const jacquard_error *error) {
  struct tag *tag = command->tag;
  if (error)
    printf("command %d: %s %s\n", command->number, error->message, error->advice);
  EXPECT_TRUE(error == NULL);
  EXPECT_TRUE(command->completed++ == 0);
  EXPECT_TRUE(command->number == tag->completed++);
}

static void on_done(const jacquard_error *error, void *user_data) { complete(user_data, error); }

static void on_charge(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  EXPECT_TRUE(battery && battery->percent == 80);
  complete(user_data, error);
}

/* The value stored by the previous command. */
static void on_value(const jacquard_value *value, const jacquard_error *error, void *user_data) {
  const struct command *command = user_data;
  EXPECT_TRUE(value && value->type == JACQUARD_VALUE_UINT32 && (int)value->number == command->number - 1);
  complete(user_data, error);
}

static void on_destroy(void *user_data) {
  struct command *command = user_data;
  EXPECT_TRUE(command->completed == 1);
  EXPECT_TRUE(command->number == command->tag->destroyed++);
}

static void send_next(struct tag *tag) {
  struct command *command = &commands[tag - tags][tag->sent];
  jacquard_led_frame frame = {255, 0, 0, 0, 100};
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  jacquard_value value = JACQUARD_VALUE_INIT;
  command->tag = tag;
  command->number = tag->sent++;
  switch (command->number % 4) {
    case 0:
      EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag->tag, NULL, on_charge, command, on_destroy, NULL));
      break;
    case 1:
      frame.blue = (uint8_t)command->number;
      pattern.frames = &frame;
      pattern.frame_count = 1;
      EXPECT(JACQUARD_OK,
             jacquard_component_play_led(tag->light, &pattern, NULL, on_done, command, on_destroy, NULL));
      break;
    case 2:
      value.type = JACQUARD_VALUE_UINT32;
      value.number = (uint64_t)command->number;
      EXPECT(JACQUARD_OK,
             jacquard_tag_write_value(tag->tag, 1, 2, "load", &value, NULL, on_done, command, on_destroy, NULL));
      break;
    default:
      EXPECT(JACQUARD_OK,
             jacquard_tag_read_value(tag->tag, 1, 2, "load", NULL, on_value, command, on_destroy, NULL));
  }
}

/* Notifications: none is missing, late or duplicated. -------------------------------------------------------------- */

static void on_touch(const jacquard_touch *touch, void *user_data) {
  struct tag *tag = user_data;
  EXPECT_TRUE(touch->connection == tag->connection);
  EXPECT_TRUE((int)touch->sequence == ++tag->samples);
  if (tag->samples % SAMPLES_PER_COMMAND == 0 && tag->sent < COMMANDS)
    send_next(tag);
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  struct tag *tag = user_data;
  EXPECT_TRUE(gesture->connection == tag->connection);
  EXPECT_TRUE((int)gesture->type == ++tag->gestures);
  EXPECT_TRUE(tag->gestures <= GESTURES);
}

/* Connecting ------------------------------------------------------------------------------------------------------- */

static void on_gear(const jacquard_gear *gear, void *user_data) {
  struct tag *tag = user_data;
  EXPECT_TRUE(gear->component && !tag->gear);
  tag->gear = jacquard_component_ref(gear->component);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  struct tag *tag = user_data;
  EXPECT_TRUE(!tag->connected);
  if (state->phase != JACQUARD_PHASE_CONNECTED)
    return;
  tag->connected = 1;
  tag->tag = jacquard_tag_ref(state->tag);
  EXPECT(JACQUARD_OK, jacquard_tag_get_component(tag->tag, &tag->light));
}

static void on_found(const jacquard_advertisement *advertisement, void *user_data) {
  struct tag *tag = &tags[found++];
  (void)user_data;
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, advertisement->identifier, NULL, on_state, tag, NULL,
                                               &tag->connection));
  EXPECT(JACQUARD_OK, jacquard_connection_on_gear(tag->connection, on_gear, tag, NULL, NULL));
  EXPECT(JACQUARD_OK, jacquard_connection_on_touch(tag->connection, on_touch, tag, NULL, NULL));
  EXPECT(JACQUARD_OK, jacquard_connection_on_gesture(tag->connection, on_gesture, tag, NULL, NULL));
  if (found == TAGS)
    EXPECT(JACQUARD_OK, jacquard_scan_stop(advertisement->scan));
}

static void on_streaming(const jacquard_bytes *response, const jacquard_error *error, void *user_data) {
  struct tag *tag = user_data;
  EXPECT_TRUE(response && !error);
  tag->streaming = 1;
}

/* No touch mode enables both inference and touch data, so a raw request does: domain 8, opcode 7, for the gear. */
static void stream_both(struct tag *tag) {
  uint8_t request[] = {0x08, 8, 0x10, 7, 0x20, 0, 0xda, 0x38, 4, 0x08, 1, 0x10, 1};
  const jacquard_component_info *info = NULL;
  EXPECT(JACQUARD_OK, jacquard_component_get_info(tag->gear, &info));
  EXPECT_TRUE(info && info->id < 128);
  request[5] = info ? (uint8_t)info->id : 0;
  EXPECT(JACQUARD_OK,
         jacquard_tag_send_request(tag->tag, request, sizeof request, NULL, on_streaming, tag, NULL, NULL));
}

/* The simulator ---------------------------------------------------------------------------------------------------- */

static int control;

static void tell(const char *line, char *answer, size_t size) {
  size_t length = 0;
  EXPECT_TRUE(write(control, line, strlen(line)) == (ssize_t)strlen(line));
  while (length < size - 1 && (!length || answer[length - 1] != '\n')) {
    ssize_t count = read(control, answer + length, size - 1 - length);
    if (count <= 0)
      break;
    length += (size_t)count;
  }
  answer[length] = 0;
  EXPECT_TRUE(strncmp(answer, "ok", 2) == 0);
}

static void set_to_work(const char *path) {
  struct sockaddr_un address = {0};
  char line[64], answer[64];
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  control = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_TRUE(connect(control, (struct sockaddr *)&address, sizeof address) == 0);
  /* Each gesture has a separate line with its time, because repeated lines would drift and change their order. */
  for (int i = 1; i <= GESTURES; i++) {
    snprintf(line, sizeof line, "at %dms gesture %d\n", i * 500, i);
    tell(line, answer, sizeof answer);
  }
  tell("every 16667us touch sweep\n", answer, sizeof answer);
}

static int occurrences(const char *text, const char *word) {
  int count = 0;
  while ((text = strstr(text, word)))
    count++, text++;
  return count;
}

/* The tags must not have dropped anything either. */
static void check_tags(void) {
  static char answer[TAGS * 256];
  tell("stats\n", answer, sizeof answer);
  EXPECT_TRUE(occurrences(answer, "unheard=0 overflowed=0") == TAGS);
  EXPECT_TRUE(occurrences(answer, "violations=0") == TAGS);
}

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  run_until_everywhere(is_connected);
  for (int i = 0; i < TAGS; i++)
    stream_both(&tags[i]);
  run_until_everywhere(is_streaming);
  set_to_work(arguments[1]);
  run_until_everywhere(is_done);
  check_tags();

  for (int i = 0; i < TAGS; i++) {
    jacquard_counters counters = JACQUARD_COUNTERS_INIT;
    EXPECT(JACQUARD_OK, jacquard_connection_get_counters(tags[i].connection, &counters));
    EXPECT_TRUE(counters.links == 1);
    EXPECT_TRUE(counters.dropped_fragments + counters.dropped_notifications + counters.dropped_responses == 0);
    EXPECT_TRUE(tags[i].sent == COMMANDS && tags[i].completed == COMMANDS && tags[i].destroyed == COMMANDS);
    jacquard_component_unref(tags[i].light);
    jacquard_component_unref(tags[i].gear);
    jacquard_tag_unref(tags[i].tag);
    jacquard_connection_unref(tags[i].connection);
  }
  jacquard_manager_unref(manager);
  close(control);
  return wrong != 0;
}
