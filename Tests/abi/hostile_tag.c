/* Wrong arguments and wrong moments with a connected tag: from inside callbacks, from many threads, after the link's end. */
#include "expect.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static jacquard_manager *manager;
static jacquard_connection *connection;
static jacquard_tag *tag;
static int dropped; /* DISCONNECTED was delivered */
static int answers;
static int last_code;
static int destroyed;

static void on_destroy(void *user_data) {
  (void)user_data;
  destroyed++;
}

static void on_answer(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)user_data;
  EXPECT_TRUE((battery == NULL) != (error == NULL));
  last_code = error ? error->code : JACQUARD_OK;
  answers++;
}

static void on_battery(const jacquard_battery *battery, void *user_data) {
  (void)battery, (void)user_data;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  EXPECT(JACQUARD_ERROR_BUSY, jacquard_manager_dispatch(state->manager));
  EXPECT(JACQUARD_ERROR_BUSY, jacquard_manager_start(state->manager));
  if (state->phase == JACQUARD_PHASE_CONNECTED && !tag)
    tag = jacquard_tag_ref(state->tag);
  if (state->phase == JACQUARD_PHASE_DISCONNECTED)
    dropped = 1;
}

static void on_found(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  if (!connection)
    EXPECT(JACQUARD_OK,
           jacquard_manager_connect(found->manager, found->identifier, NULL, on_state, NULL, on_destroy, &connection));
}

static void run_until(const int *condition) {
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!*condition && poll(&loop, 1, 30000) == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  EXPECT_TRUE(*condition);
}

static void arguments_of_commands(void) {
  static const uint32_t sizes[] = {0, 1, 3, 4, 5, 1000000, INT_MAX, UINT_MAX};
  jacquard_request *request = NULL;
  jacquard_request_options options = JACQUARD_REQUEST_OPTIONS_INIT;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_tag_get_info(tag, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_tag_read_battery(tag, NULL, NULL, NULL, on_destroy, &request));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    options.struct_size = sizes[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_tag_read_battery(tag, &options, on_answer, NULL, on_destroy, &request));
  }
  EXPECT_TRUE(request == NULL && destroyed == 0);

  /* Cancelling, twice and after completion, and giving back what has completed. */
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_answer, NULL, on_destroy, &request));
  EXPECT_TRUE(jacquard_request_ref(request) == request);
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  EXPECT_TRUE(destroyed == 1 && answers == 0);
  jacquard_request_unref(request);
  jacquard_request_unref(request);
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_request_cancel(request));

  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_answer, NULL, on_destroy, &request));
  run_until(&answers);
  EXPECT(JACQUARD_OK, last_code);
  EXPECT(JACQUARD_OK, jacquard_request_cancel(request));
  jacquard_request_unref(request);
  EXPECT_TRUE(destroyed == 2);
}

static void after_the_link(void) {
  const jacquard_tag_info *info = NULL;
  EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
  run_until(&dropped);
  EXPECT(JACQUARD_OK, jacquard_tag_get_info(tag, &info));
  EXPECT_TRUE(info && info->serial && *info->serial);
  answers = 0;
  int status = jacquard_tag_read_battery(tag, NULL, on_answer, NULL, NULL, NULL);
  if (status == JACQUARD_OK) {
    run_until(&answers);
    status = last_code;
  }
  EXPECT(JACQUARD_ERROR_STALE_TAG, status);
}

/* Handles near the real ones, from four threads at once, while the loop runs on the library's own: any answer will do. */
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
      case 8: jacquard_tag_read_battery(handle, NULL, on_answer, NULL, NULL, NULL); break;
      default: jacquard_connection_on_battery(handle, on_battery, NULL, NULL, NULL); break;
    }
  }
  return NULL;
}

static void from_many_threads(void) {
  pthread_t threads[4];
  EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  EXPECT(JACQUARD_ERROR_BUSY, jacquard_manager_start(manager));
  EXPECT(JACQUARD_ERROR_BUSY, jacquard_manager_dispatch(manager));
  for (uintptr_t i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, near_misses, (void *)(i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

int main(void) {
  const jacquard_tag_info *info = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, NULL, NULL));
  struct pollfd loop = {.fd = jacquard_manager_get_fd(manager), .events = POLLIN};
  while (!tag && poll(&loop, 1, 30000) == 1)
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  if (!tag) {
    printf("no tag was found\n");
    return 1;
  }
  arguments_of_commands();
  after_the_link();
  from_many_threads();
  jacquard_manager_unref(manager);
  jacquard_connection_unref(connection);
  EXPECT_TRUE(jacquard_tag_get_info(tag, &info) != JACQUARD_ERROR_INVALID_HANDLE);
  jacquard_tag_unref(tag);
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_tag_get_info(tag, &info));
  return wrong != 0;
}
