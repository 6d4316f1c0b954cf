/* A manager with the program's loop, and a connected tag. */
#ifndef CONNECTED_H
#define CONNECTED_H

#include "callbacks.h"
#include "expect.h"

#include <poll.h>

static jacquard_manager *manager;
static jacquard_connection *connection;
static jacquard_tag *tag;
static int dropped; /* DISCONNECTED was delivered */

static void on_progress(const jacquard_connection_state *state, void *user_data) {
  EXPECT(JACQUARD_ERROR_MISUSE, jacquard_manager_dispatch(state->manager));
  EXPECT(JACQUARD_ERROR_MISUSE, jacquard_manager_start(state->manager));
  if (state->phase == JACQUARD_PHASE_CONNECTED && !tag)
    tag = jacquard_tag_ref(state->tag);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED)
    dropped = 1;
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  EXPECT(JACQUARD_OK, jacquard_scan_stop(found->scan));
  if (!connection)
    EXPECT(JACQUARD_OK,
           jacquard_manager_connect(found->manager, found->identifier, NULL, on_progress, NULL, NULL, &connection));
}

/* Dispatches once when there is work; 0 if there is none for 30 s. */
static int turn(void) {
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  if (poll(&loop, 1, 30000) != 1) {
    wrong++;
    printf("nothing happens any more\n");
    return 0;
  }
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  return 1;
}

/* Runs the loop until this many callbacks have run. */
static void run_until(const int *counter, int value) {
  while (*counter < value && turn())
    continue;
}

static int find_and_connect(void) {
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL));
  while (!tag && turn())
    continue;
  return tag != NULL;
}

#endif
