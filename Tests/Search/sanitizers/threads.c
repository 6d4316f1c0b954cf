/*
 * Managers with their own threads, and four more threads that register, cancel and release while callbacks run.
 * `threads ROUNDS`. destroy frees its argument, so the sanitizers detect a later callback or a second destroy.
 */
#include "expect.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, TIMEOUT_MS = 30000 };

/* One registration. */
struct registration {
  int calls;              /* read and written only by its callbacks */
  int ended;              /* a scan has reported its end: no advertisement may follow */
  int *destroyed;         /* incremented once */
  jacquard_manager *last; /* to release inside a callback */
};

static jacquard_manager *shared;
static jacquard_connection *connection;
static int rounds;
static int destroyed[THREADS + 1]; /* for the main thread, then for each of the others */
static char identifiers[THREADS + 1][64];
static int found;
static jacquard_tag *tag;

static int look(const int *counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }

static void wait_for(const int *counter, int value) {
  for (int waited = 0; look(counter) < value; waited++) {
    if (waited == TIMEOUT_MS) {
      printf("nothing happens any more\n");
      exit(1);
    }
    poll(NULL, 0, 1);
  }
}

static struct registration *registration(int *counter) {
  struct registration *new = calloc(1, sizeof *new);
  new->destroyed = counter;
  return new;
}

static void on_destroy(void *user_data) {
  struct registration *self = user_data;
  int *counter = self->destroyed;
  free(self);
  __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL);
}

static void on_call(void *user_data) {
  struct registration *self = user_data;
  self->calls++;
  if (self->last)
    self->last = jacquard_manager_unref(self->last);
}

static void on_log(const jacquard_log *log, void *user_data) { on_call(user_data); }
static void on_adapter(const jacquard_adapter *adapter, void *user_data) { on_call(user_data); }
static void on_battery(const jacquard_battery_event *event, void *user_data) { on_call(user_data); }
static void on_state(const jacquard_connection_state *state, void *user_data) { on_call(user_data); }
static void on_name(const jacquard_name *name, void *user_data) { on_call(user_data); }
static void on_found(const jacquard_advertisement *seen, void *user_data) { on_call(user_data); }
static void on_sighting(const jacquard_advertisement *seen, void *user_data) {
  struct registration *self = user_data;
  EXPECT_TRUE(!self->ended);
  on_call(user_data);
}
static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  struct registration *self = user_data;
  EXPECT_TRUE(result->reason == JACQUARD_SCAN_END_STOPPED && !result->error && !jacquard_scan_is_running(result->scan));
  EXPECT_TRUE(!self->ended++);
  on_call(user_data);
}
static void on_charge(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  on_call(user_data);
}

/* A registration that is ended on this thread has been destroyed when the call returns. */

static void subscriptions(int *counter, unsigned *seed) {
  jacquard_subscription *all[4] = {NULL, NULL, NULL, NULL};
  int before = look(counter);
  EXPECT(JACQUARD_OK,
         jacquard_connection_on_battery(connection, on_battery, registration(counter), on_destroy, &all[0]));
  EXPECT(JACQUARD_OK, jacquard_connection_on_state(connection, on_state, registration(counter), on_destroy, &all[1]));
  EXPECT(JACQUARD_OK, jacquard_connection_on_name(connection, on_name, registration(counter), on_destroy, &all[2]));
  EXPECT(JACQUARD_OK, jacquard_manager_on_log(shared, JACQUARD_LOG_LEVEL_DEBUG, on_log, registration(counter),
                                              on_destroy, &all[3]));
  poll(NULL, 0, rand_r(seed) % 5);
  for (int i = 0; i < 4; i++) {
    if (i % 2)
      EXPECT(JACQUARD_OK, jacquard_subscription_cancel(all[i]));
    jacquard_subscription_unref(all[i]);
    EXPECT_TRUE(look(counter) == before + i + 1);
  }
}

static void requests(int *counter, unsigned *seed) {
  jacquard_request *withdrawn = NULL;
  int before = look(counter);
  EXPECT(JACQUARD_OK,
         jacquard_tag_read_battery(tag, NULL, on_charge, registration(counter), on_destroy, &withdrawn));
  poll(NULL, 0, rand_r(seed) % 3);
  if (rand_r(seed) % 2)
    EXPECT(JACQUARD_OK, jacquard_request_cancel(withdrawn));
  jacquard_request_unref(withdrawn);
  wait_for(counter, before + 1);
  EXPECT(JACQUARD_OK, jacquard_tag_read_battery(tag, NULL, on_charge, registration(counter), on_destroy, NULL));
  wait_for(counter, before + 2);
}

static void on_motion(const jacquard_motion_event *event, void *user_data) { on_call(user_data); }
static void on_end(const jacquard_error *error, void *user_data) { on_call(user_data); }
static int on_progress(const jacquard_download_data *progress, void *user_data) { return on_call(user_data), 0; }
static void on_download(const jacquard_download *download, const jacquard_error *error, void *user_data) {
  on_call(user_data);
}

/* A stream, or a download of the tag's recording; of several threads all but one are refused. */
static void motion(int *counter, unsigned *seed) {
  jacquard_request *withdrawn = NULL;
  jacquard_session session = JACQUARD_SESSION_INIT;
  int before = look(counter);
  session.name = "recording";
  session.campaign = "jqCampaign";
  session.group = session.subject = "jqSession";
  session.product = "jqProduct";
  session.size = 1 << 20;
  if (rand_r(seed) % 2)
    EXPECT(JACQUARD_OK, jacquard_connection_stream_motion(connection, NULL, on_motion, on_end, registration(counter),
                                                          on_destroy, &withdrawn));
  else
    EXPECT(JACQUARD_OK, jacquard_connection_download_session(connection, &session, NULL, on_progress, on_download,
                                                             registration(counter), on_destroy, &withdrawn));
  poll(NULL, 0, rand_r(seed) % 20);
  EXPECT(JACQUARD_OK, jacquard_request_cancel(withdrawn));
  jacquard_request_unref(withdrawn);
  wait_for(counter, before + 1);
}

static void scans(int *counter, unsigned *seed) {
  jacquard_scan *scan = NULL;
  int before = look(counter);
  EXPECT(JACQUARD_OK, jacquard_manager_scan(shared, NULL, on_found, NULL, registration(counter), on_destroy, &scan));
  poll(NULL, 0, rand_r(seed) % 5);
  jacquard_scan_unref(scan);
  EXPECT_TRUE(look(counter) == before + 1);
}

/* on_end and destroy run on the loop some time after jacquard_scan_stop(); no advertisement follows. */
static void stopped_scans(int *counter, unsigned *seed) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  jacquard_scan *scan = NULL;
  struct registration *watched = registration(counter);
  int before = look(counter);
  options.every_report = 1;
  EXPECT(JACQUARD_OK,
         jacquard_manager_scan(shared, &options, on_sighting, on_scan_end, watched, on_destroy, &scan));
  EXPECT(1, jacquard_scan_is_running(scan));
  EXPECT(1, jacquard_manager_is_scanning(shared));
  poll(NULL, 0, rand_r(seed) % 5);
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(0, jacquard_scan_is_running(scan));
  wait_for(counter, before + 1);
  jacquard_scan_unref(scan);
  EXPECT_TRUE(look(counter) == before + 1);
}

/* All connections on a separate thread, while other threads create and end some. */
static void everything(int *counter, unsigned *seed) {
  jacquard_subscription *all = NULL;
  int before = look(counter);
  EXPECT(JACQUARD_OK, jacquard_manager_on_connection(shared, on_state, registration(counter), on_destroy, &all));
  poll(NULL, 0, rand_r(seed) % 5);
  EXPECT_TRUE(jacquard_connection_get_phase(connection) >= 0);
  jacquard_subscription_unref(all);
  EXPECT_TRUE(look(counter) == before + 1);
}

static void connections(int *counter, unsigned *seed, const char *identifier) {
  jacquard_connection *own = NULL;
  int before = look(counter);
  int status = jacquard_manager_connect(shared, identifier, NULL, on_state, registration(counter), on_destroy, &own);
  EXPECT(JACQUARD_OK, status);
  EXPECT(JACQUARD_OK, jacquard_connection_on_battery(own, on_battery, registration(counter), on_destroy, NULL));
  poll(NULL, 0, rand_r(seed) % 60);
  jacquard_connection_unref(own);
  EXPECT_TRUE(look(counter) == before + 2);
}

/* A manager with one registration of every kind that ends at a random moment while its thread runs. */
static void managers(int *counter, unsigned *seed, const char *identifier) {
  jacquard_manager *own = NULL;
  jacquard_connection *link = NULL;
  int before = look(counter);
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &own));
  EXPECT(JACQUARD_OK, jacquard_manager_start(own));
  EXPECT(JACQUARD_OK,
         jacquard_manager_on_log(own, JACQUARD_LOG_LEVEL_DEBUG, on_log, registration(counter), on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(own, on_adapter, registration(counter), on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(own, NULL, on_found, NULL, registration(counter), on_destroy, NULL));
  EXPECT(JACQUARD_OK,
         jacquard_manager_connect(own, identifier, NULL, on_state, registration(counter), on_destroy, &link));
  poll(NULL, 0, rand_r(seed) % 30);
  jacquard_manager_unref(own);
  EXPECT_TRUE(look(counter) == before + 4);
  jacquard_connection_unref(link);
}

/* A subscription released by its own callback, before or after the registering function has returned. */
static void managers_that_end_inside(int *counter) {
  int before = look(counter);
  struct registration *last = registration(counter);
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &last->last));
  jacquard_manager *own = last->last;
  EXPECT(JACQUARD_OK, jacquard_manager_scan(own, NULL, on_found, NULL, registration(counter), on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(own, on_adapter, last, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_start(own));
  wait_for(counter, before + 2);
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_manager_get_fd(own));
}

static void *caller(void *argument) {
  int number = (int)(size_t)argument;
  unsigned seed = (unsigned)number;
  int *counter = &destroyed[number];
  for (int round = 0; round < rounds; round++) {
    subscriptions(counter, &seed);
    requests(counter, &seed);
    motion(counter, &seed);
    scans(counter, &seed);
    stopped_scans(counter, &seed);
    everything(counter, &seed);
    if (number % 2)
      connections(counter, &seed, identifiers[number]);
    else
      managers(counter, &seed, identifiers[number]);
    if (round % 4 == 0)
      managers_that_end_inside(counter);
  }
  return NULL;
}

static void on_first_found(const jacquard_advertisement *seen, void *user_data) {
  int number = look(&found);
  snprintf(identifiers[number], sizeof identifiers[number], "%s", seen->identifier);
  if (number == THREADS)
    EXPECT(JACQUARD_OK, jacquard_scan_stop(seen->scan));
  __atomic_store_n(&found, number + 1, __ATOMIC_RELEASE);
}

static void on_first_state(const jacquard_connection_state *state, void *user_data) {
  if (state->phase == JACQUARD_PHASE_CONNECTED && !tag) {
    tag = jacquard_tag_ref(state->tag);
    __atomic_store_n((int *)user_data, 1, __ATOMIC_RELEASE);
  }
}

/* Threads of managers released by their own callbacks end soon afterwards. */
static void wait_for_threads(void) {
  for (int waited = 0, count = 0; count != 1 && waited < TIMEOUT_MS; waited++) {
    DIR *tasks = opendir("/proc/self/task");
    count = -2;
    while (tasks && readdir(tasks))
      count++;
    closedir(tasks);
    poll(NULL, 0, 1);
  }
}

int main(int count, char **arguments) {
  pthread_t threads[THREADS];
  int connected = 0;
  rounds = count > 1 ? atoi(arguments[1]) : 20;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &shared));
  EXPECT(JACQUARD_OK, jacquard_manager_start(shared));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(shared, NULL, on_first_found, NULL, NULL, NULL, NULL));
  wait_for(&found, THREADS + 1);
  EXPECT(JACQUARD_OK,
         jacquard_manager_connect(shared, identifiers[0], NULL, on_first_state, &connected, NULL, &connection));
  wait_for(&connected, 1);

  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, caller, (void *)(i + 1));
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);

  EXPECT(JACQUARD_OK,
         jacquard_connection_on_battery(connection, on_battery, registration(destroyed), on_destroy, NULL));
  jacquard_tag_unref(tag);
  jacquard_connection_unref(connection);
  EXPECT_TRUE(look(destroyed) == 1);
  jacquard_manager_unref(shared);
  wait_for_threads();
  return wrong != 0;
}
