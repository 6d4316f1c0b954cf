/*
 * The manager, the connection, or both are released inside callbacks of the raw data channel: no further callback runs.
 * Requires a tag that sends a packet on that channel as soon as it is ready.
 */
#include "callbacks.h"
#include "expect.h"

#include <poll.h>
#include <string.h>

typedef int subscription_of(jacquard_connection *, jacquard_bytes_callback, void *, jacquard_destroy_callback,
                            jacquard_subscription **);

enum ending { OF_MANAGER, OF_CONNECTION, OF_BOTH, ENDINGS };

static jacquard_manager *manager;
static jacquard_connection *connection;
static subscription_of *subscribe;
static enum ending ending;
static int over;

static void on_last_bytes(const jacquard_bytes *bytes, void *user_data) {
  uint8_t copy[1024];
  EXPECT_TRUE(bytes->size > 0 && bytes->size <= sizeof copy && !over);
  over = 1;
  if (ending != OF_MANAGER)
    jacquard_connection_unref(connection);
  if (ending != OF_CONNECTION)
    jacquard_manager_unref(manager);
  /* The arguments are valid during the callback. */
  memcpy(copy, bytes->data, bytes->size);
}

static void on_tag(const jacquard_advertisement *found, void *user_data) {
  EXPECT(JACQUARD_OK, jacquard_scan_stop(found->scan));
  if (connection)
    return;
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, found->identifier, NULL, NULL, NULL, NULL, &connection));
  EXPECT(JACQUARD_OK, subscribe(connection, on_last_bytes, NULL, on_destroy, NULL));
}

static void run_until(const int *counter) {
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!*counter && poll(&loop, 1, 30000) == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  EXPECT_TRUE(*counter);
}

static void ended_inside(void) {
  connection = NULL;
  over = destroyed = called = 0;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_tag, NULL, NULL, NULL, NULL));
  run_until(&over);
  EXPECT_TRUE(destroyed == 1);
  if (ending == OF_MANAGER)
    jacquard_connection_unref(connection);
  if (ending == OF_CONNECTION) {
    /* The manager continues. */
    EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, NULL));
    run_until(&called);
    jacquard_manager_unref(manager);
  }
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_manager_get_fd(manager));
}

int main(void) {
  subscription_of *channels[] = {jacquard_connection_on_raw_data, jacquard_connection_on_raw_value};
  for (int i = 0; i < 2; i++) {
    subscribe = channels[i];
    for (ending = OF_MANAGER; ending < ENDINGS; ending++)
      ended_inside();
  }
  return wrong != 0;
}
