/*
 * Two threads that repeatedly connect to one tag: `same_tag ROUNDS`. The first releases its connection immediately.
 * Every connection of the second thread must report its states and end exactly once.
 */
#include "contention.h"

static const char identifier[] = "12345678-1234-5678-9234-567812345678";
static jacquard_manager *manager;
static int finished;
static int ends; /* of the second thread's connection */

static void *connect_and_let_go(void *nothing) {
  while (!look(&finished)) {
    jacquard_connection *own = NULL;
    int status = jacquard_manager_connect(manager, identifier, NULL, NULL, NULL, NULL, &own);
    EXPECT_TRUE(status == JACQUARD_OK || status == JACQUARD_ERROR_ALREADY_CONNECTED);
    jacquard_connection_unref(own);
  }
  return NULL;
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  if (state->phase == JACQUARD_PHASE_DISCONNECTED)
    count_up(&ends);
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 100;
  pthread_t other;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_start(manager));
  pthread_create(&other, NULL, connect_and_let_go, NULL);
  for (int round = 0; round < rounds; round++) {
    jacquard_connection *own = NULL;
    int status;
    __atomic_store_n(&ends, 0, __ATOMIC_RELEASE);
    do
      status = jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, NULL, &own);
    while (status == JACQUARD_ERROR_ALREADY_CONNECTED);
    EXPECT(JACQUARD_OK, status);
    wait_for(&ends, 1, "the end of a connection that was granted");
    EXPECT(JACQUARD_PHASE_DISCONNECTED, jacquard_connection_get_phase(own));
    jacquard_connection_unref(own);
    EXPECT_TRUE(look(&ends) == 1);
  }
  __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
  pthread_join(other, NULL);
  jacquard_manager_unref(manager);
  return wrong != 0;
}
