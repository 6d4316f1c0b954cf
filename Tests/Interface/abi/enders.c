/*
 * One thread ends a registration, whose destroy takes some time; another ends its owner. Both functions return after
 * destroy has returned.
 */
#include "contention.h"

static const char identifier[] = "12345678-1234-5678-9234-567812345678";

struct registration {
  int began, ended;
  jacquard_subscription *subscription;
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
  struct registration it = {0, 0, NULL};
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
  struct registration it = {0, 0, NULL};
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
  struct registration it = {0, 0, NULL};
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
  struct registration it = {0, 0, NULL};
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, &it, end_all, &it.subscription));
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(it.subscription));
  EXPECT_TRUE(it.ended == 1);
  jacquard_subscription_unref(it.subscription);
  jacquard_manager_unref(manager);
}

int main(void) {
  manager_ends();
  connection_ends();
  subscription_ended_inside();
  ended_by_its_destroy();
  return wrong != 0;
}
