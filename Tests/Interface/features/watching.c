/* Queries: whether a scan is running, the phase of a connection, all connections, and why a link ended. */
#include "feature.h"

static jacquard_subscription *watch;
static int seen;             /* states of all connections */
static int connected, ended; /* among them */
static uint32_t reason;

static void on_connection(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  seen++;
  EXPECT_TEXT(found_identifier, state->identifier);
  EXPECT(state->manager == manager);
  EXPECT(state->connection == connection || !state->connection);
  EXPECT((state->tag != NULL) == (state->phase == JACQUARD_PHASE_CONNECTED));
  if (state->connection) EXPECT_NUMBER(state->phase, jacquard_connection_get_phase(state->connection));
  connected += state->phase == JACQUARD_PHASE_CONNECTED;
  ended += state->phase == JACQUARD_PHASE_DISCONNECTED;
  reason = state->disconnect_reason;
}

struct scan {
  int found, ends, destroyed, running_at_end;
  uint32_t reason;
};

static void on_found(const jacquard_advertisement *found, void *user_data) {
  struct scan *watched = user_data;
  (void)found;
  EXPECT(!watched->ends && !watched->destroyed);
  EXPECT_NUMBER(1, jacquard_scan_is_running(found->scan));
  watched->found++;
}

static void on_end(const jacquard_scan_result *result, void *user_data) {
  struct scan *watched = user_data;
  EXPECT(!watched->destroyed && !result->error);
  watched->ends++;
  watched->reason = result->reason;
  watched->running_at_end = jacquard_scan_is_running(result->scan);
}

static void on_scan_destroyed(void *user_data) { ((struct scan *)user_data)->destroyed++; }

static jacquard_scan *scan_into(struct scan *watched, uint32_t timeout_ms) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  jacquard_scan *scan = NULL;
  options.timeout_ms = timeout_ms;
  memset(watched, 0, sizeof *watched);
  EXPECT_NUMBER(JACQUARD_OK,
                jacquard_manager_scan(manager, &options, on_found, on_end, watched, on_scan_destroyed, &scan));
  return scan;
}

static void a_stopped_scan_ends_once(void) {
  struct scan watched;
  EXPECT_NUMBER(0, jacquard_manager_is_scanning(manager));
  jacquard_scan *scan = scan_into(&watched, 0);
  EXPECT_NUMBER(1, jacquard_scan_is_running(scan));
  EXPECT_NUMBER(1, jacquard_manager_is_scanning(manager));
  run_for(100);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT_NUMBER(0, jacquard_scan_is_running(scan));
  EXPECT_NUMBER(0, jacquard_manager_is_scanning(manager));
  EXPECT_NUMBER(0, watched.ends);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(run_until(&watched.destroyed, 1));
  EXPECT_NUMBER(1, watched.ends);
  EXPECT_NUMBER(JACQUARD_SCAN_END_STOPPED, watched.reason);
  EXPECT_NUMBER(0, watched.running_at_end);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_scan_stop(scan));
  run_for(100);
  EXPECT_NUMBER(1, watched.ends);
  EXPECT_NUMBER(1, watched.destroyed);
  jacquard_scan_unref(scan);
  EXPECT_NUMBER(1, watched.destroyed);
}

static void the_last_unref_ends_a_scan_without_a_word(void) {
  struct scan watched;
  jacquard_scan *scan = scan_into(&watched, 0);
  run_for(100);
  jacquard_scan_unref(scan);
  EXPECT_NUMBER(1, watched.destroyed);
  EXPECT_NUMBER(0, jacquard_manager_is_scanning(manager));
  run_for(100);
  scan = scan_into(&watched, 0);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_scan_stop(scan));
  jacquard_scan_unref(scan);
  EXPECT_NUMBER(1, watched.destroyed);
  run_for(100);
  EXPECT_NUMBER(0, watched.ends);
}

static void a_scan_that_ends_by_itself_is_over(void) {
  struct scan first, second;
  jacquard_scan *short_one = scan_into(&first, 200), *long_one = scan_into(&second, 0);
  EXPECT(run_until(&first.ends, 1));
  EXPECT_NUMBER(JACQUARD_SCAN_END_TIMED_OUT, first.reason);
  EXPECT_NUMBER(0, first.running_at_end);
  EXPECT_NUMBER(0, jacquard_scan_is_running(short_one));
  EXPECT_NUMBER(1, jacquard_scan_is_running(long_one));
  EXPECT_NUMBER(1, jacquard_manager_is_scanning(manager));
  jacquard_scan_unref(short_one);
  jacquard_scan_unref(long_one);
  EXPECT_NUMBER(0, jacquard_manager_is_scanning(manager));
}

struct scanning {
  int events, destroyed;
  uint32_t latest;
};

static void on_scanning(const jacquard_scanning *scanning, void *user_data) {
  struct scanning *watched = user_data;
  EXPECT(scanning->manager == manager);
  EXPECT_NUMBER(jacquard_manager_is_scanning(manager), scanning->scanning);
  watched->events++;
  watched->latest = scanning->scanning;
}

static void on_scanning_destroyed(void *user_data) { ((struct scanning *)user_data)->destroyed++; }

static void the_start_and_end_of_scans_are_events(void) {
  struct scanning watched = {0}, late = {0};
  struct scan first, second;
  jacquard_subscription *subscription = NULL, *another = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_scanning(manager, on_scanning, &watched, on_scanning_destroyed,
                                                          &subscription));
  EXPECT(run_until(&watched.events, 1));
  EXPECT_NUMBER(0, watched.latest);
  jacquard_scan *short_one = scan_into(&first, 200);
  EXPECT(run_until(&watched.events, 2));
  EXPECT_NUMBER(1, watched.latest);
  jacquard_scan *long_one = scan_into(&second, 0);
  EXPECT(run_until(&first.ends, 1));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_scanning(manager, on_scanning, &late, NULL, &another));
  EXPECT(run_until(&late.events, 1));
  EXPECT_NUMBER(1, late.latest);
  EXPECT_NUMBER(2, watched.events);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_scan_stop(long_one));
  EXPECT(run_until(&watched.events, 3));
  EXPECT_NUMBER(1, second.ends);
  EXPECT_NUMBER(0, watched.latest);
  EXPECT_NUMBER(0, late.latest);
  jacquard_scan_unref(short_one);
  jacquard_scan_unref(long_one);
  /* The end of a scan that is released is an event, too. */
  jacquard_scan *released = scan_into(&first, 0);
  EXPECT(run_until(&watched.events, 4));
  jacquard_scan_unref(released);
  EXPECT(run_until(&watched.events, 5));
  EXPECT_NUMBER(0, watched.latest);
  jacquard_subscription_unref(subscription);
  EXPECT_NUMBER(1, watched.destroyed);
  jacquard_scan_unref(scan_into(&first, 0));
  run_for(100);
  EXPECT_NUMBER(5, watched.events);
  EXPECT_NUMBER(4, late.events);
  jacquard_subscription_unref(another);
}

struct list {
  struct outcome outcome;
  size_t count;
  char identifier[64];
  uint32_t connected;
};

static void on_tags(const jacquard_advertisement *const *tags, size_t count, const jacquard_error *error,
                    void *user_data) {
  struct list *list = user_data;
  EXPECT(!error || !count);
  list->count = count;
  for (size_t i = 0; i < count; i++) {
    EXPECT(tags[i]->manager == manager);
    snprintf(list->identifier, sizeof list->identifier, "%s", tags[i]->identifier);
    list->connected = tags[i]->connected;
  }
  note_error(&list->outcome, error);
}

static int list_connected(struct list *list) {
  memset(list, 0, sizeof *list);
  return finish(&list->outcome, jacquard_manager_list_connected(manager, NULL, on_tags, list, on_destroy, NULL));
}

static void connected_tags_are_listed(void) {
  struct list list;
  EXPECT_NUMBER(JACQUARD_OK, list_connected(&list));
  EXPECT_NUMBER(1, list.count);
  EXPECT_TEXT(found_identifier, list.identifier);
  EXPECT_NUMBER(1, list.connected);
  EXPECT_NUMBER(0, jacquard_manager_is_scanning(manager));
}

static void a_connection_is_found_by_its_identifier(void) {
  static const char stranger[] = "12345678-1234-5678-9234-567812345678";
  jacquard_connection *found = NULL;
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, jacquard_manager_find_connection(manager, stranger, &found));
  EXPECT(!found);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_find_connection(manager, "not a UUID", &found));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_find_connection(manager, found_identifier, &found));
  EXPECT(found == connection);
  EXPECT_NUMBER(JACQUARD_PHASE_CONNECTED, jacquard_connection_get_phase(found));
  jacquard_connection_unref(found);
}

static void all_connections_are_one_stream(void) {
  jacquard_subscription *late = NULL;
  EXPECT_NUMBER(1, connected);
  /* A link that other programs have established has completed the steps already. */
  EXPECT(seen >= (is_beside_others ? 1 : 14));
  EXPECT_NUMBER(JACQUARD_PHASE_CONNECTED, jacquard_connection_get_phase(connection));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_connection(manager, on_connection, NULL, NULL, &late));
  EXPECT(run_until(&connected, 2));
  run_for(100);
  EXPECT_NUMBER(2, connected);
  jacquard_subscription_unref(late);
}

static void a_lost_link_has_a_reason_until_there_is_another(void) {
  seen = connected = 0;
  tell("drop link");
  EXPECT(run_until(&losses, 1));
  EXPECT(jacquard_connection_get_phase(connection) != JACQUARD_PHASE_CONNECTED);
  EXPECT(seen >= 1);
  /* BlueZ 5.83 and later report it. */
  EXPECT(reason == JACQUARD_DISCONNECT_REASON_UNKNOWN || reason == JACQUARD_DISCONNECT_REASON_REMOTE);
  await_link();
  EXPECT_NUMBER(JACQUARD_DISCONNECT_REASON_NONE, reason);
  EXPECT_NUMBER(1, connected);
}

static void ended_by_us_it_says_so(void) {
  jacquard_connection *found = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_find_connection(manager, found_identifier, &found));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(found));
  jacquard_connection_unref(found);
  EXPECT(run_until(&ended, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, jacquard_manager_find_connection(manager, found_identifier, &found));
  EXPECT_NUMBER(JACQUARD_DISCONNECT_REASON_LOCAL, reason);
  EXPECT_NUMBER(JACQUARD_PHASE_DISCONNECTED, jacquard_connection_get_phase(connection));
}

static void what_is_given_back_is_followed_to_its_end(void) {
  jacquard_connection *released = NULL;
  jacquard_connection_unref(connection);
  connection = NULL;
  ended = connected = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_connect(manager, found_identifier, NULL, NULL, NULL, NULL, &released));
  connection = released;
  EXPECT(run_until(&connected, 1));
  connection = NULL;
  jacquard_connection_unref(released);
  EXPECT(run_until(&ended, 1));
  EXPECT_NUMBER(1, ended);
}

static jacquard_connection *inside; /* released by the first observer that is called */

static void on_connected_give_back(const jacquard_connection_state *state, void *user_data) {
  (void)user_data;
  if (state->phase == JACQUARD_PHASE_CONNECTED) inside = jacquard_connection_unref(inside);
}

static void on_what_others_gave_back(const jacquard_connection_state *state, void *user_data) {
  int *count = user_data;
  EXPECT((state->connection == NULL) == (inside == NULL));
  EXPECT(inside || !state->tag);
  if (state->connection)
    EXPECT(jacquard_connection_ref(state->connection) == inside && !jacquard_connection_unref(inside));
  *count += state->phase == JACQUARD_PHASE_DISCONNECTED;
}

static void given_back_by_another_observer_it_has_no_handle(void) {
  jacquard_subscription *first = NULL, *second = NULL;
  int count = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_connection(manager, on_connected_give_back, NULL, NULL, &first));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_connection(manager, on_what_others_gave_back, &count, NULL, &second));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_connect(manager, found_identifier, NULL, NULL, NULL, NULL, &inside));
  connection = inside;
  EXPECT(run_until(&count, 1));
  EXPECT(!inside);
  connection = NULL;
  jacquard_subscription_unref(first);
  jacquard_subscription_unref(second);
}

static void cancelled_it_hears_no_more(void) {
  EXPECT_NUMBER(JACQUARD_OK, jacquard_subscription_cancel(watch));
  seen = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_connect(manager, found_identifier, NULL, NULL, NULL, NULL, &connection));
  run_for(300);
  EXPECT_NUMBER(0, seen);
}

int main(void) {
  begin("watching");
  test("a stopped scan ends once, and reports it", a_stopped_scan_ends_once);
  test("the last unref ends a scan silently", the_last_unref_ends_a_scan_without_a_word);
  test("a scan that has ended is not running", a_scan_that_ends_by_itself_is_over);
  test("the start and end of scans are events", the_start_and_end_of_scans_are_events);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_connection(manager, on_connection, NULL, NULL, &watch));
  connect_tag();
  test("all connections are one stream, starting with the current states", all_connections_are_one_stream);
  test("connected tags are listed", connected_tags_are_listed);
  test("a connection is found by its identifier", a_connection_is_found_by_its_identifier);
  test("a lost link has a reason until the next link", a_lost_link_has_a_reason_until_there_is_another);
  test("a connection ended by this program is reported as LOCAL", ended_by_us_it_says_so);
  test("a released connection is reported until its end", what_is_given_back_is_followed_to_its_end);
  test("a connection released by another observer has no handle", given_back_by_another_observer_it_has_no_handle);
  test("a subscription to all connections can be cancelled", cancelled_it_hears_no_more);
  jacquard_subscription_unref(watch);
  return end();
}
