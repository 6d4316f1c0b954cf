/* Gives a tag so long to tell its battery, and withdraws the question then: deadline [MILLISECONDS] */
#include <jacquard.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static jacquard_connection *connection;
static jacquard_request *request;
static int answered;

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  if (error) fprintf(stderr, "%s %s\n", error->message, error->advice);
  else printf("battery %u%%\n", (unsigned)battery->percent);
  answered = 1;
}

/* Called once whatever happens: after the answer, or when the question has been withdrawn. */
static void on_destroy(void *user_data) { printf("%s\n", (const char *)user_data); }

static void on_state(const jacquard_connection_state *state, void *user_data) {
  static char told[] = "over";
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED && !request)
    jacquard_tag_read_battery(state->tag, NULL, on_battery, told, on_destroy, &request);
}

static void on_tag(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  jacquard_scan_stop(scan);
  jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, NULL, &connection);
}

int main(int argc, char **argv) {
  jacquard_manager *manager = NULL;
  int patience = argc > 1 ? atoi(argv[1]) : 1000, status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  /* Once the question is asked, so much silence is enough. */
  while (status == 0 && !answered && poll(&loop, 1, request ? patience : -1) > 0)
    status = jacquard_manager_dispatch(manager);
  if (!answered) {
    printf("withdrawn\n");
    jacquard_request_cancel(request); /* its callback does not run any more, its destroy has */
  }
  jacquard_request_unref(request);
  jacquard_connection_unref(connection);
  jacquard_manager_unref(manager);
  return status < 0;
}
