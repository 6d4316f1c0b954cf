/* Connects to all tags in range, and prints the battery of each: several COUNT */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };

typedef struct {
  char serial[16];
  jacquard_connection *connection;
} wearer;

static wearer wearers[MOST];
static int wanted, found_count, done_count, failed;

/* Counts a tag as done, with an error if there is one. */
static void finish(const char *serial, const jacquard_error *error) {
  if (error) fprintf(stderr, "%s: %s %s\n", serial, error->message, error->advice);
  if (error) failed = 1;
  done_count++;
}

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  const wearer *self = user_data;
  if (battery) printf("%s %u%%\n", self->serial, (unsigned)battery->percent);
  finish(self->serial, error);
}

/* user_data identifies the tag. */
static void on_state(const jacquard_connection_state *state, void *user_data) {
  const wearer *self = user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, user_data, NULL, NULL);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED) finish(self->serial, state->reason);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  wearer *self = &wearers[found_count++];
  snprintf(self->serial, sizeof self->serial, "%s", found->serial);
  if (jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, self, NULL, &self->connection) < 0)
    finish(self->serial, jacquard_last_error());
  if (found_count == wanted) jacquard_scan_stop(found->scan);
}

/* The remaining tags were not found. */
static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  (void)user_data;
  if (!result->error) return;
  wanted = found_count;
  failed = 1;
  fprintf(stderr, "scan: %s %s\n", result->error->message, result->error->advice);
}

int main(int argc, char **argv) {
  jacquard_manager *manager = NULL;
  wanted = argc > 1 ? atoi(argv[1]) : 1;
  if (wanted < 1 || wanted > MOST) return fprintf(stderr, "1 to %d tags\n", MOST), 1;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, on_scan_end, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (status == 0 && done_count < wanted && poll(&loop, 1, -1) > 0) status = jacquard_manager_dispatch(manager);
  for (int index = 0; index < found_count; index++) jacquard_connection_unref(wearers[index].connection);
  jacquard_manager_unref(manager);
  return status < 0 || failed;
}
