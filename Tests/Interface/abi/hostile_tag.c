/* Calls at unusual times with a connected tag: cancelled commands, the end of the link, many threads at once. */
#include "connected.h"

#include <pthread.h>
#include <stdlib.h>

static void commands_that_are_withdrawn(void) {
  jacquard_request *request = NULL;
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, on_destroy, &request));
  EXPECT_TRUE(jacquard_request_ref(request) == request);
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  EXPECT_TRUE(destroyed == 1 && called == 0);
  jacquard_request_unref(request);
  jacquard_request_unref(request);
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_request_cancel(request));

  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, on_destroy, &request));
  run_until(&called, 1);
  EXPECT(JACQUARD_OK, last_code);
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  jacquard_request_unref(request);
  EXPECT_TRUE(destroyed == 2);
}

static void a_link_that_ended(void) {
  const jacquard_tag_info *info = NULL;
  EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
  run_until(&dropped, 1);
  EXPECT(JACQUARD_OK, jacquard_tag_get_info(tag, &info));
  EXPECT_TRUE(info && info->serial && *info->serial);
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, NULL, NULL, NULL));
  run_until(&called, called + 1);
  EXPECT_TRUE(last_code == JACQUARD_ERROR_STALE_TAG);
}

/* Handles close to valid ones; any result is accepted. */
static void *near_misses(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  uintptr_t real[] = {(uintptr_t)manager, (uintptr_t)connection, (uintptr_t)tag};
  for (int i = 0; i < 20000; i++) {
    uintptr_t offset = (uintptr_t)(rand_r(&state) % 64) + 1;
    void *handle = (void *)(real[i % 3] + (rand_r(&state) & 1 ? offset : (uintptr_t)0 - offset));
    const jacquard_tag_info *info;
    switch (rand_r(&state) % 10) {
      case 0: jacquard_manager_get_fd(handle); break;
      case 1: jacquard_manager_dispatch(handle); break;
      case 2: jacquard_scan_stop(handle); break;
      case 3: jacquard_scan_unref(handle); break;
      case 4: jacquard_connection_disconnect(handle); break;
      case 5: jacquard_subscription_unref(handle); break;
      case 6: jacquard_request_unref(handle); break;
      case 7: jacquard_tag_get_info(handle, &info); break;
      case 8: jacquard_tag_read_battery(handle, NULL, on_charge, NULL, NULL, NULL); break;
      default: jacquard_connection_on_battery(handle, on_battery, NULL, NULL, NULL); break;
    }
  }
  return NULL;
}

static void many_threads_at_once(void) {
  pthread_t threads[4];
  EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  EXPECT(JACQUARD_ERROR_MISUSE, jacquard_manager_start(manager));
  EXPECT(JACQUARD_ERROR_MISUSE, jacquard_manager_dispatch(manager));
  for (uintptr_t i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, near_misses, (void *)(i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

int main(void) {
  const jacquard_tag_info *info = NULL;
  if (!find_and_connect())
    return 1;
  commands_that_are_withdrawn();
  a_link_that_ended();
  many_threads_at_once();
  jacquard_manager_unref(manager);
  jacquard_connection_unref(connection);
  EXPECT_TRUE(jacquard_tag_get_info(tag, &info) != JACQUARD_ERROR_INVALID_HANDLE);
  jacquard_tag_unref(tag);
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_tag_get_info(tag, &info));
  return wrong != 0;
}
