/*
 * One thread ends a registration, whose destroy takes some time; another ends its owner. Both functions return after
 * destroy has returned. They also return if a callback has ended its thread.
 */
#include "contention.h"

#include <fcntl.h>

static const char identifier[] = "12345678-1234-5678-9234-567812345678";

struct registration {
  int began, ended;
  jacquard_subscription *subscription;
  jacquard_manager *manager;
};

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {}
static void on_state(const jacquard_connection_state *state, void *user_data) {}

static void slow_destroy(void *user_data) {
  struct registration *self = user_data;
  count_up(&self->began);
  poll(NULL, 0, 200);
  count_up(&self->ended);
}

static void *cancel(void *user_data) {
  struct registration *self = user_data;
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(self->subscription));
  EXPECT_TRUE(look(&self->ended) == 1);
  return NULL;
}

/* Cancels itself inside the callback, so that destroy runs on the loop's thread. */
static void on_adapter_once(const jacquard_adapter *adapter, void *user_data) {
  struct registration *self = user_data;
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(self->subscription));
}

static void manager_ends(void) {
  jacquard_manager *manager = NULL;
  struct registration it = {0, 0, NULL, NULL};
  pthread_t other;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, &it, slow_destroy, &it.subscription));
  pthread_create(&other, NULL, cancel, &it);
  wait_for(&it.began, 1, "destroy");
  jacquard_manager_unref(manager);
  EXPECT_TRUE(look(&it.ended) == 1);
  pthread_join(other, NULL);
  jacquard_subscription_unref(it.subscription);
}

static void connection_ends(void) {
  jacquard_manager *manager = NULL;
  jacquard_connection *connection = NULL;
  struct registration it = {0, 0, NULL, NULL};
  pthread_t other;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, NULL, NULL, NULL, &connection));
  EXPECT(JACQUARD_OK, jacquard_connection_on_state(connection, on_state, &it, slow_destroy, &it.subscription));
  pthread_create(&other, NULL, cancel, &it);
  wait_for(&it.began, 1, "destroy");
  jacquard_connection_unref(connection);
  EXPECT_TRUE(look(&it.ended) == 1);
  pthread_join(other, NULL);
  jacquard_subscription_unref(it.subscription);
  jacquard_manager_unref(manager);
}

static void subscription_ended_inside(void) {
  jacquard_manager *manager = NULL;
  struct registration it = {0, 0, NULL, NULL};
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter_once, &it, slow_destroy, &it.subscription));
  EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  wait_for(&it.began, 1, "destroy");
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(it.subscription));
  EXPECT_TRUE(look(&it.ended) == 1);
  jacquard_subscription_unref(it.subscription);
  jacquard_manager_unref(manager);
}

/* On its own thread a second end must not wait for destroy, because it would wait for itself. */
static void end_all(void *user_data) {
  struct registration *self = user_data;
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(self->subscription));
  count_up(&self->ended);
}

static void ended_by_its_destroy(void) {
  jacquard_manager *manager = NULL;
  struct registration it = {0, 0, NULL, NULL};
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, &it, end_all, &it.subscription));
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(it.subscription));
  EXPECT_TRUE(it.ended == 1);
  jacquard_subscription_unref(it.subscription);
  jacquard_manager_unref(manager);
}

static void end_thread(const jacquard_adapter *adapter, void *user_data) {
  struct registration *self = user_data;
  count_up(&self->began);
  pthread_exit(NULL);
}

/* The callback is running, and destroy has not run, when it ends its thread. */
static void end_thread_and_itself(const jacquard_adapter *adapter, void *user_data) {
  struct registration *self = user_data;
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(self->subscription));
  end_thread(adapter, user_data);
}

static void count_end(void *user_data) { count_up(&((struct registration *)user_data)->ended); }

static void end_thread_in_destroy(void *user_data) {
  count_end(user_data);
  pthread_exit(NULL);
}

/* Has no effect on the library's threads. */
static void cancel_thread(const jacquard_adapter *adapter, void *user_data) {
  struct registration *self = user_data;
  pthread_cancel(pthread_self());
  pthread_testcancel();
  poll(NULL, 0, 1);
  count_up(&self->began);
}

static void *dispatch_until_cancelled(void *user_data) {
  struct pollfd descriptor = {jacquard_manager_get_fd(user_data), POLLIN, 0};
  while (1) {
    poll(&descriptor, 1, -1);
    EXPECT(JACQUARD_OK, jacquard_manager_dispatch(user_data));
  }
  return NULL;
}

static void thread_ended(jacquard_adapter_callback callback, jacquard_destroy_callback destroy, int embedded) {
  jacquard_manager *manager = NULL;
  struct registration it = {0, 0, NULL, NULL};
  pthread_t other;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, callback, &it, destroy, &it.subscription));
  if (embedded)
    pthread_create(&other, NULL, dispatch_until_cancelled, manager);
  else
    EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  wait_for(&it.began, 1, "callback");
  if (embedded) pthread_join(other, NULL);
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(it.subscription));
  EXPECT_TRUE(look(&it.ended) == 1);
  jacquard_manager_unref(manager);
  jacquard_subscription_unref(it.subscription);
}

/* The rest of the manager ends with the thread. */
static void release_and_end_thread(const jacquard_adapter *adapter, void *user_data) {
  jacquard_manager_unref(((struct registration *)user_data)->manager);
  pthread_exit(NULL);
}

static void thread_ended_after_release(void) {
  struct registration it = {0, 0, NULL, NULL};
  pthread_t other;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &it.manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(it.manager, release_and_end_thread, &it, count_end, NULL));
  pthread_create(&other, NULL, dispatch_until_cancelled, it.manager);
  pthread_join(other, NULL);
  EXPECT_TRUE(look(&it.ended) == 1);
}

static int open_descriptors(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < 256; descriptor++)
    count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

static void threads_ended(void) {
  int before = open_descriptors();
  for (int embedded = 0; embedded < 2; embedded++) {
    thread_ended(end_thread, count_end, embedded);
    thread_ended(end_thread_and_itself, count_end, embedded);
    thread_ended(end_thread_and_itself, end_thread_in_destroy, embedded);
    thread_ended(cancel_thread, count_end, embedded);
  }
  thread_ended_after_release();
  EXPECT_TRUE(open_descriptors() == before);
}

int main(void) {
  manager_ends();
  connection_ends();
  subscription_ended_inside();
  ended_by_its_destroy();
  threads_ended();
  return wrong != 0;
}
