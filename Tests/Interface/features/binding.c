/* Binding: the first time with the code printed on the tag, then without; stored tags, and their owners. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <poll.h>
#include <stdlib.h>

/* A connection to the tag, with its states. */
static struct wish {
  jacquard_connection *connection;
  int connected, authenticated, ended, reason;
  /* Connected or ended. */
  int settled;
  /* The identifier of a connected tag. A tag with a private address has another one once it is bound. */
  char identifier[64];
} wish;
static char bound_identifier[64];

static void on_wish(const jacquard_connection_state *state, void *user_data) {
  struct wish *wish = user_data;
  wish->connected += state->phase == JACQUARD_PHASE_CONNECTED;
  wish->authenticated += state->phase == JACQUARD_PHASE_AUTHENTICATING;
  wish->ended += state->phase == JACQUARD_PHASE_DISCONNECTED;
  wish->settled += state->phase == JACQUARD_PHASE_CONNECTED || state->phase == JACQUARD_PHASE_DISCONNECTED;
  wish->reason = state->reason ? state->reason->code : JACQUARD_OK;
  const jacquard_tag_info *info;
  if (state->tag && jacquard_tag_get_info(state->tag, &info) == JACQUARD_OK)
    snprintf(wish->identifier, sizeof wish->identifier, "%s", info->identifier);
}

static void begin_binding(const char *code, const char *owner) {
  static const jacquard_profile_entry profile[] = {{"colour", "blue"}, {"note", ""}};
  jacquard_bind_options options = JACQUARD_BIND_OPTIONS_INIT;
  options.code = code;
  options.owner = owner;
  options.profile = profile;
  options.profile_count = COUNT(profile);
  memset(&wish, 0, sizeof wish);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_bind(manager, found_identifier, &options, on_wish, &wish, NULL,
                                                   &wish.connection));
}

static void begin_connecting(const char *owner) {
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  options.owner = owner;
  memset(&wish, 0, sizeof wish);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_connect(manager, found_identifier, &options, on_wish, &wish, NULL,
                                                      &wish.connection));
}

/* Ends the program if the event cannot come, because the connection has ended or been established instead. */
static void await_event(const int *event) {
  if (wish.connection) EXPECT(run_until(&wish.settled, 1));
  wish.settled = 0;
  if (*event) return;
  printf("not ok binding: the connection %s: %s\n", wish.ended ? "ended" : "is established",
         jacquard_status_name(wish.reason));
  exit(1);
}

/* The error that the connection ended with. */
static int ending(void) {
  await_event(&wish.ended);
  wish.connection = jacquard_connection_unref(wish.connection);
  return wish.reason;
}

static void disconnect(void) {
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_disconnect(wish.connection));
  EXPECT_NUMBER(JACQUARD_OK, ending());
}

/* The known tags, of which there is at most one. */
static struct known {
  struct outcome outcome;
  int count, entries, wanted;
  char identifier[64], serial[64], owner[64], key[64], value[64];
  long long bound_at, last_connected;
} known;

static void on_known(const jacquard_known_tag *const *tags, size_t count, const jacquard_error *error,
                     void *user_data) {
  struct known *known = user_data;
  note_error(&known->outcome, error);
  known->count = (int)count;
  if (count == 0) return;
  snprintf(known->identifier, sizeof known->identifier, "%s", tags[0]->identifier);
  snprintf(known->serial, sizeof known->serial, "%s", tags[0]->serial);
  snprintf(known->owner, sizeof known->owner, "%s", tags[0]->owner);
  known->entries = (int)tags[0]->profile_count;
  known->wanted = (int)tags[0]->wanted;
  known->bound_at = tags[0]->bound_at;
  known->last_connected = tags[0]->last_connected;
  EXPECT((tags[0]->profile == NULL) == (tags[0]->profile_count == 0));
  if (known->entries == 0) return;
  snprintf(known->key, sizeof known->key, "%s", tags[0]->profile[0].key);
  snprintf(known->value, sizeof known->value, "%s", tags[0]->profile[0].value);
}

static int list(const jacquard_list_known_options *options) {
  memset(&known, 0, sizeof known);
  EXPECT_NUMBER(JACQUARD_OK,
                finish(&known.outcome,
                       jacquard_manager_list_known(manager, options, on_known, &known, on_destroy, NULL)));
  return known.count;
}

static int list_known(void) { return list(NULL); }

static int is_known(const char *identifier) {
  jacquard_list_known_options options = JACQUARD_LIST_KNOWN_OPTIONS_INIT;
  options.identifier = identifier;
  return list(&options);
}

static int unbind(void) {
  struct outcome outcome = {0};
  return finish(&outcome,
                jacquard_manager_unbind(manager, found_identifier, NULL, on_done, &outcome, on_destroy, NULL));
}

static int update(const jacquard_profile_entry *profile, size_t count) {
  struct outcome outcome = {0};
  return finish(&outcome, jacquard_manager_update_known(manager, found_identifier, profile, count, NULL, on_done,
                                                        &outcome, on_destroy, NULL));
}

static void nothing_is_known_at_first(void) {
  EXPECT_NUMBER(0, list_known());
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, unbind());
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, update(NULL, 0));
}

static void a_wrong_code_is_refused(void) {
  begin_binding("T001", NULL);
  EXPECT_NUMBER(JACQUARD_ERROR_WRONG_CODE, ending());
  EXPECT_NUMBER(0, requests(NULL));
  EXPECT_NUMBER(0, list_known());
}

static void a_tag_that_refuses_to_pair_says_so(void) {
  tell("bond refused");
  begin_binding("01ZK", NULL);
  EXPECT_NUMBER(JACQUARD_ERROR_PAIRING_REFUSED, ending());
  EXPECT_NUMBER(1, wish.authenticated);
  EXPECT_NUMBER(0, list_known());
  tell("bond accepted");
}

static void the_first_time_takes_the_code(void) {
  begin_binding("0000AAAAA001ZK", "me");
  await_event(&wish.connected);
  EXPECT_NUMBER(1, wish.authenticated);
  EXPECT_NUMBER(JACQUARD_OK, wish.reason);
  memcpy(bound_identifier, wish.identifier, sizeof bound_identifier);
}

static void a_bound_tag_is_remembered(void) {
  EXPECT_NUMBER(1, list_known());
  EXPECT_TEXT(bound_identifier, known.identifier);
  EXPECT_TEXT("0000AAAAA001ZK", known.serial);
  EXPECT_TEXT("me", known.owner);
  EXPECT_NUMBER(2, known.entries);
  EXPECT_TEXT("colour", known.key);
  EXPECT_TEXT("blue", known.value);
  EXPECT_NUMBER(0, known.wanted);
  EXPECT(known.bound_at > 0 && known.last_connected == known.bound_at);
  EXPECT_NUMBER(1, is_known(found_identifier));
  EXPECT_NUMBER(0, is_known("7b1e6f0a-0000-4000-8000-0123456789ab"));
}

static void its_profile_is_replaced(void) {
  static const jacquard_profile_entry profile[] = {{"size", "\xc3\xbc"}};
  EXPECT_NUMBER(JACQUARD_OK, update(profile, 1));
  EXPECT_NUMBER(1, list_known());
  EXPECT_NUMBER(1, known.entries);
  EXPECT_TEXT("size", known.key);
  EXPECT_TEXT("\xc3\xbc", known.value);
  EXPECT_NUMBER(JACQUARD_OK, update(NULL, 0));
  EXPECT_NUMBER(1, list_known());
  EXPECT_NUMBER(0, known.entries);
}

/* A second manager, which replaces the first during its test. */
static jacquard_manager *first;

static void open_second_with(const jacquard_manager_options *options) {
  first = manager;
  int status = jacquard_manager_new(options, &manager);
  EXPECT_NUMBER(JACQUARD_OK, status);
  if (status != JACQUARD_OK) exit(1);
}

static void open_second(const char *restore_id, uint32_t auto_connect) {
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.restore_id = restore_id;
  options.auto_connect = auto_connect;
  open_second_with(&options);
}

static void close_second(void) {
  jacquard_manager_unref(manager);
  manager = first;
}

static void an_exclusive_manager_does_not_get_it(void) {
  struct wish mine = wish;
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  options.exclusive = 1;
  open_second_with(&options);
  begin_connecting(NULL);
  /* The other manager has the tag, and must be dispatched too. */
  while (!wish.ended) {
    struct pollfd loops[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};
    loops[0].fd = jacquard_manager_get_fd(first);
    loops[1].fd = jacquard_manager_get_fd(manager);
    poll(loops, COUNT(loops), 60000);
    if (loops[0].revents) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(first));
    if (loops[1].revents) EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_dispatch(manager));
  }
  EXPECT_NUMBER(JACQUARD_ERROR_IN_USE, ending());
  close_second();
  wish = mine;
}

static void disconnecting_keeps_it_bound(void) {
  disconnect();
  EXPECT_NUMBER(1, list_known());
}

static void another_owner_is_refused(void) {
  int before = requests(NULL);
  begin_connecting("you");
  EXPECT_NUMBER(JACQUARD_ERROR_OTHER_OWNER, ending());
  begin_binding("01ZK", "you");
  EXPECT_NUMBER(JACQUARD_ERROR_OTHER_OWNER, ending());
  EXPECT_NUMBER(before, requests(NULL));
}

static void from_then_on_no_code_is_needed(void) {
  begin_connecting("me");
  await_event(&wish.connected);
  EXPECT_NUMBER(0, wish.authenticated);
  disconnect();
}

/* The wanted tags. */
static struct restored {
  int calls, count, owned;
  char identifier[64];
  jacquard_connection *connection;
} restored;

static void on_restore(const jacquard_restoration *const *restorations, size_t count, const jacquard_error *error,
                       void *user_data) {
  struct restored *restored = user_data;
  restored->calls++;
  restored->count += (int)count;
  EXPECT(error == NULL);
  for (size_t i = 0; i < count; i++) {
    EXPECT(restorations[i]->manager == manager);
    snprintf(restored->identifier, sizeof restored->identifier, "%s", restorations[i]->identifier);
    restored->owned = restorations[i]->known && strcmp(restorations[i]->known->owner, "me") == 0;
    restored->connection = jacquard_connection_ref(restorations[i]->connection);
  }
}

static void what_was_wanted_is_told_at_the_next_start(void) {
  open_second("feature", 0);
  begin_connecting(NULL);
  await_event(&wish.connected);
  jacquard_connection_unref(wish.connection);
  close_second();

  open_second("feature", 0);
  memset(&restored, 0, sizeof restored);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_restore(manager, on_restore, &restored, NULL, NULL));
  EXPECT(run_until(&restored.calls, 1));
  EXPECT_NUMBER(1, restored.count);
  EXPECT_TEXT(bound_identifier, restored.identifier);
  EXPECT(restored.owned);
  EXPECT(restored.connection == NULL);
  EXPECT_NUMBER(1, list_known());
  EXPECT_NUMBER(1, known.wanted);
  close_second();
}

static void or_connected_by_itself(void) {
  open_second("feature", 1);
  memset(&restored, 0, sizeof restored);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_restore(manager, on_restore, &restored, NULL, NULL));
  EXPECT(run_until(&restored.calls, 1));
  EXPECT_NUMBER(1, restored.count);
  memset(&wish, 0, sizeof wish);
  wish.connection = restored.connection;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_state(wish.connection, on_wish, &wish, NULL, NULL));
  await_event(&wish.connected);
  disconnect();
  close_second();

  /* The disconnect is stored as well. */
  open_second("feature", 1);
  memset(&restored, 0, sizeof restored);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_manager_on_restore(manager, on_restore, &restored, NULL, NULL));
  EXPECT_NUMBER(1, list_known());
  EXPECT_NUMBER(0, known.wanted);
  EXPECT(run_until(&restored.calls, 1));
  EXPECT_NUMBER(0, restored.count);
  close_second();
}

static void unbinding_forgets_it(void) {
  begin_connecting(NULL);
  await_event(&wish.connected);
  EXPECT_NUMBER(JACQUARD_OK, unbind());
  EXPECT_NUMBER(JACQUARD_OK, ending());
  EXPECT_NUMBER(0, list_known());
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, unbind());
}

int main(void) {
  begin("binding");
  find_tag();
  test("no tag is known at first", nothing_is_known_at_first);
  test("a wrong code is refused before anything is sent", a_wrong_code_is_refused);
  test("a tag that refuses to pair is reported", a_tag_that_refuses_to_pair_says_so);
  test("the first time needs the code", the_first_time_takes_the_code);
  test("a bound tag is stored with its owner and profile", a_bound_tag_is_remembered);
  test("its profile is replaced", its_profile_is_replaced);
  test("a manager that does not share it gets IN_USE", an_exclusive_manager_does_not_get_it);
  test("disconnecting keeps it bound", disconnecting_keeps_it_bound);
  test("another owner is refused", another_owner_is_refused);
  test("afterwards no code is needed", from_then_on_no_code_is_needed);
  test("wanted tags are reported at the next start", what_was_wanted_is_told_at_the_next_start);
  test("wanted tags are connected automatically", or_connected_by_itself);
  test("unbinding removes it", unbinding_forgets_it);
  return end();
}
