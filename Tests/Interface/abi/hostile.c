/* Invalid handles and arguments that need no tag. Each yields an error code; nothing crashes or is kept. */
#include "guarded.h"
#include "handles.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static void handles_that_never_were(void) {
  long long aligned[8] = {0};
  void *heap = calloc(1, 64);
  void *pool[] = {(void *)1,          (void *)7,       (void *)8,           (void *)(intptr_t)-1, (void *)INTPTR_MIN,
                  (void *)INTPTR_MAX, (void *)0x1000u, (void *)aligned,     (char *)aligned + 1,  heap,
                  (void *)some_identifier, (void *)UINT_MAX, (void *)0xdeadbeefu};
  no_handle(NULL, JACQUARD_ERROR_INVALID_ARGUMENT);
  for (size_t i = 0; i < sizeof pool / sizeof *pool; i++)
    no_handle(pool[i], JACQUARD_ERROR_INVALID_HANDLE);
  free(heap);
}

static void handles_given_back(void) {
  jacquard_manager *manager = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT_TRUE(jacquard_manager_ref(manager) == manager);
  EXPECT_TRUE(jacquard_manager_unref(manager) == NULL);
  EXPECT_TRUE(jacquard_manager_get_fd(manager) >= 0);
  EXPECT_TRUE(jacquard_manager_unref(manager) == NULL);
  no_handle(manager, JACQUARD_ERROR_INVALID_HANDLE);
}

static void sizes_of_structs(jacquard_manager *manager) {
  jacquard_manager *other = NULL;
  jacquard_connection *connection = NULL;
  for (size_t i = 0; i < WRONG_SIZES; i++) {
    void *options = sized(wrong_sizes[i]);
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(options, &other));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_scan(manager, options, on_found, NULL, NULL, on_destroy, NULL));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_connect(manager, some_identifier, options, on_state, NULL, on_destroy, &connection));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_bind(manager, some_identifier, options, on_state, NULL, on_destroy, &connection));
  }
  EXPECT_TRUE(other == NULL && connection == NULL);

  /* With the right size, nothing after the end of the struct is read. */
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  EXPECT(JACQUARD_OK, jacquard_manager_new(only(&options, sizeof options), &other));
  jacquard_manager_unref(other);

  /* A program built with a later version has a longer struct, which is accepted if no unknown field is set. */
  struct {
    jacquard_scan_options known;
    uint32_t added[4];
  } later = {JACQUARD_SCAN_OPTIONS_INIT, {0, 0, 0, 0}};
  later.known.struct_size = sizeof later;
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, only(&later, sizeof later), on_found, NULL, NULL, NULL, NULL));
  later.added[3] = 1;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_scan(manager, only(&later, sizeof later), on_found, NULL, NULL, on_destroy, NULL));
}

static void arguments_of_managers(void) {
  static const char *const addresses[] = {
      "",           ";",         ":",           "=",          "unix:",           "unix:path", "unix:path=",
      "launchd:env=X", "autolaunch:", "unix:path=%zz", "\xff\xfe", "unix:path=/a,path", "unix:path=\xff\xfe%",
      "tcp:host=localhost,port=1", "nonce-tcp:host=x", "unixexec:path=/bin/false"};
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  jacquard_manager *manager = NULL;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(NULL, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, NULL));
  for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
    options.bus_address = addresses[i];
    int status = jacquard_manager_new(&options, &manager);
    EXPECT_TRUE(status == JACQUARD_ERROR_BUS_ADDRESS || status == JACQUARD_ERROR_INVALID_ARGUMENT);
    if (status >= 0)
      printf("accepted bus address \"%s\"\n", addresses[i]);
  }
  options.bus_address = NULL;

  static const char *const adapters[] = {
      "", "hci0", "00:11:22:33:44", "00:11:22:33:44:5g", "00:11:22:33:44:55:66", "::::::", "/org/bluez/hci0",
      "00-11-22-33-44-55", "\xff"};
  for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++) {
    options.adapter = adapters[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  }
  options.adapter = NULL;

  static const char *const directories[] = {"", "relative", "./here", "~/there", "\xff/"};
  for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
    options.state_directory = directories[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  }
  options.state_directory = NULL;

  options.auto_connect = 1;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  options.restore_id = "";
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  options.restore_id = "\xff";
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  options.restore_id = "tests";
  options.auto_connect = 2;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  EXPECT_TRUE(manager == NULL);
}

static void *in_another_thread(void *unused) {
  (void)unused;
  EXPECT_TRUE(jacquard_last_error() == NULL);
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_scan_stop(NULL));
  return NULL;
}

/* Each thread has its own error, and a success does not change it. */
static void last_errors(jacquard_manager *manager) {
  pthread_t other;
  jacquard_manager *none = NULL;
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  char longest[4096];
  options.adapter = "hci0";
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &none));
  EXPECT_TRUE(strstr(jacquard_last_error()->message, "adapter") != NULL);
  EXPECT_TRUE(pthread_create(&other, NULL, in_another_thread, NULL) == 0 && pthread_join(other, NULL) == 0);
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  EXPECT_TRUE(strstr(jacquard_last_error()->message, "adapter") != NULL);

  /* A message that is too long is truncated after a whole character. */
  memset(longest, 0, sizeof longest);
  for (size_t i = 0; i + 4 < sizeof longest; i += 2) memcpy(longest + i, "\xc3\xa4", 2);
  options.adapter = NULL;
  options.bus_address = longest;
  EXPECT_TRUE(jacquard_manager_new(&options, &none) == JACQUARD_ERROR_BUS_ADDRESS);
  EXPECT_TRUE(strlen(jacquard_last_error()->message) < 500);
}

static void arguments_of_services(void) {
  jacquard_service_options options = JACQUARD_SERVICE_OPTIONS_INIT;
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  char *kept = runtime ? strdup(runtime) : NULL;
  setenv("XDG_RUNTIME_DIR", "relative", 1);
  EXPECT(JACQUARD_ERROR_SYSTEM, jacquard_service_run(NULL, NULL, NULL));
  EXPECT(JACQUARD_ERROR_SYSTEM, jacquard_service_run(&options, NULL, NULL));
  if (kept)
    setenv("XDG_RUNTIME_DIR", kept, 1);
  else
    unsetenv("XDG_RUNTIME_DIR");
  free(kept);
  options.socket_path = "relative";
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_service_run(&options, NULL, NULL));
  options.socket_path = NULL;
  options.has_socket = 1;
  options.socket = 9999;
  EXPECT(JACQUARD_ERROR_SYSTEM, jacquard_service_run(&options, NULL, NULL));
  options.socket = -1;
  EXPECT(JACQUARD_ERROR_SYSTEM, jacquard_service_run(&options, NULL, NULL));
  options.has_socket = 2;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_service_run(&options, NULL, NULL));
  options.has_socket = 0;
  options.has_stop = 2;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_service_run(&options, NULL, NULL));
  options.has_stop = 0;
  options.struct_size = 0;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_service_run(&options, NULL, NULL));
}

static int bind_with(jacquard_manager *manager, const char *identifier, const jacquard_bind_options *options) {
  jacquard_connection *connection = NULL;
  int status = jacquard_manager_bind(manager, identifier, options, on_state, NULL, on_destroy, &connection);
  EXPECT_TRUE((status == JACQUARD_OK) == (connection != NULL));
  jacquard_connection_unref(connection);
  return status;
}

static void arguments_of_binding(jacquard_manager *manager, const char *endless) {
  static const jacquard_profile_entry twice[] = {{"key", "a"}, {"key", "b"}};
  const jacquard_profile_entry entries[][1] = {{{NULL, "value"}}, {{"key", NULL}},     {{"", "value"}},
                                               {{"\xff", ""}},    {{"key", "\xff"}},   {{endless, ""}},
                                               {{"key", endless}}};
  const char *codes[] = {NULL, "", "1", "1ZK", "\xff\xff\xff\xff", endless};
  jacquard_bind_options options = JACQUARD_BIND_OPTIONS_INIT;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, NULL));
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    options.code = codes[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, &options));
  }
  options.code = "01ZK";
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, "", &options));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, "C0:FF:EE:00:00:01", &options));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_bind(manager, some_identifier, &options, on_state, NULL, on_destroy, NULL));
  const char *owners[] = {"", "\xff", endless};
  for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
    jacquard_connect_options connecting = JACQUARD_CONNECT_OPTIONS_INIT;
    jacquard_connection *connection = NULL;
    options.owner = connecting.owner = owners[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, &options));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_connect(manager, some_identifier, &connecting, on_state, NULL, on_destroy, &connection));
  }
  options.owner = NULL;

  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    options.profile = entries[i];
    options.profile_count = 1;
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, &options));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_update_known(manager, some_identifier, entries[i], 1, NULL, on_done, NULL, on_destroy,
                                         NULL));
  }
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_update_known(manager, some_identifier, twice, 2, NULL, on_done, NULL, on_destroy, NULL));
  static const size_t counts[] = {65, INT32_MAX, SIZE_MAX / 16, SIZE_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    options.profile_count = counts[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, &options));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_update_known(manager, some_identifier, twice, counts[i],
                                                                          NULL, on_done, NULL, on_destroy, NULL));
  }
  options.profile = NULL;
  options.profile_count = 1;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, bind_with(manager, some_identifier, &options));

  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_list_known(manager, NULL, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_list_connected(manager, NULL, NULL, NULL, on_destroy, NULL));
  jacquard_connection *found = NULL;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_find_connection(manager, NULL, &found));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_find_connection(manager, "", &found));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_find_connection(manager, some_identifier, NULL));
  EXPECT(JACQUARD_ERROR_NOT_FOUND, jacquard_manager_find_connection(manager, some_identifier, &found));
  EXPECT_TRUE(found == NULL);
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_update_known(manager, "", NULL, 0, NULL, on_done, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_update_known(manager, some_identifier, NULL, 0, NULL, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_unbind(manager, "", NULL, on_done, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_unbind(manager, some_identifier, NULL, NULL, NULL, on_destroy, NULL));
  /* Without a restore_id nothing can be restored. */
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_restore(manager, on_restore, NULL, on_destroy, NULL));
}

static void arguments_of_registrations(jacquard_manager *manager) {
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_INFO, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_adapter(manager, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_connection(manager, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_scanning(manager, NULL, NULL, on_destroy, NULL));
  static const int levels[] = {INT_MIN, -1, 0, 4, 1000, INT_MAX};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_on_log(manager, levels[i], on_log, NULL, on_destroy, NULL));
}

static void arguments_of_connections(jacquard_manager *manager, const char *endless) {
  jacquard_connection *connection = NULL;
  const char *identifiers[] = {
      NULL, "", "C0:FF:EE:00:00:01", "../../etc/passwd", "12345678-1234-5678-9234-56781234567",
      "12345678-1234-5678-9234-56781234567g", "12345678-1234-5678-9234-5678123456789", "\xff\xfe",
      "12345678\xcc\x81-1234-5678-9234-567812345678", endless};
  for (size_t i = 0; i < sizeof identifiers / sizeof *identifiers; i++)
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_connect(manager, identifiers[i], NULL, on_state, NULL, on_destroy, &connection));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_connect(manager, some_identifier, NULL, on_state, NULL, on_destroy, NULL));
  EXPECT_TRUE(connection == NULL);
}

static void arguments_of_scans(jacquard_manager *manager, const char *endless) {
  static const int32_t strengths[] = {INT32_MIN, -128, 21, 127, 128, INT32_MAX};
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_scan(manager, NULL, NULL, NULL, NULL, on_destroy, NULL));
  for (size_t i = 0; i < sizeof strengths / sizeof *strengths; i++) {
    options.minimum_rssi = strengths[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_scan(manager, &options, on_found, NULL, NULL, on_destroy, NULL));
  }
  options.minimum_rssi = 0;

  /* These arguments are useless but not invalid. They may be accepted or refused, but must not crash the library. */
  const char *serials[] = {"", "\xff\xfe", "%s%n", endless};
  for (size_t i = 0; i < sizeof serials / sizeof *serials; i++) {
    jacquard_scan *scan = NULL;
    options.serial = serials[i];
    options.timeout_ms = UINT32_MAX;
    options.every_report = UINT32_MAX;
    options.wait_for_adapter = UINT32_MAX;
    int before = destroyed;
    int status = jacquard_manager_scan(manager, &options, on_found, NULL, NULL, on_destroy, &scan);
    EXPECT_TRUE(status == JACQUARD_OK || status == JACQUARD_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE((status == JACQUARD_OK) == (scan != NULL));
    jacquard_scan_unref(scan);
    EXPECT_TRUE(destroyed - before == (status == JACQUARD_OK));
    destroyed = before;
  }
}

/* One handle of each type that needs no tag, passed to the functions of all other types. */
static void handles_of_other_nouns(jacquard_manager *manager) {
  jacquard_scan *scan = NULL;
  jacquard_connection *connection = NULL, *second = NULL;
  jacquard_subscription *subscription = NULL;
  jacquard_scan_options waiting = JACQUARD_SCAN_OPTIONS_INIT;
  waiting.wait_for_adapter = 1;
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, &waiting, on_found, NULL, NULL, NULL, &scan));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, some_identifier, NULL, NULL, NULL, NULL, &connection));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, &subscription));

  no_registration(manager, JACQUARD_ERROR_INVALID_HANDLE);
  no_connection(manager, JACQUARD_ERROR_INVALID_HANDLE);
  no_tag(manager, JACQUARD_ERROR_INVALID_HANDLE);
  no_component(manager, JACQUARD_ERROR_INVALID_HANDLE);
  no_manager(connection, JACQUARD_ERROR_INVALID_HANDLE);
  no_registration(connection, JACQUARD_ERROR_INVALID_HANDLE);
  no_tag(connection, JACQUARD_ERROR_INVALID_HANDLE);
  no_component(connection, JACQUARD_ERROR_INVALID_HANDLE);
  no_manager(scan, JACQUARD_ERROR_INVALID_HANDLE);
  no_connection(scan, JACQUARD_ERROR_INVALID_HANDLE);
  no_tag(subscription, JACQUARD_ERROR_INVALID_HANDLE);
  no_component(subscription, JACQUARD_ERROR_INVALID_HANDLE);

  EXPECT(JACQUARD_ERROR_ALREADY_CONNECTED,
         jacquard_manager_connect(manager, some_identifier, NULL, on_state, NULL, on_destroy, &second));
  EXPECT_TRUE(second == NULL);

  /* All of them are still valid, and ending twice is not an error. */
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
  jacquard_subscription_unref(subscription);
  jacquard_scan_unref(scan);
  jacquard_connection_unref(connection);
  no_handle(scan, JACQUARD_ERROR_INVALID_HANDLE);
  no_handle(connection, JACQUARD_ERROR_INVALID_HANDLE);
  no_handle(subscription, JACQUARD_ERROR_INVALID_HANDLE);
}

/* Handles that outlive their manager yield CLOSED until they are released. */
static void handles_of_a_manager_that_ended(void) {
  jacquard_manager *manager = NULL;
  jacquard_scan *scan = NULL;
  jacquard_connection *connection = NULL;
  jacquard_subscription *subscription = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, on_destroy, &scan));
  EXPECT(JACQUARD_OK,
         jacquard_manager_connect(manager, some_identifier, NULL, on_state, NULL, on_destroy, &connection));
  EXPECT(JACQUARD_OK, jacquard_connection_on_battery(connection, on_battery, NULL, on_destroy, &subscription));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_on_log(manager, JACQUARD_LOG_LEVEL_DEBUG, on_log, NULL, on_destroy, NULL));
  int ended = destroyed, ran = called;
  jacquard_manager_unref(manager);
  EXPECT_TRUE(destroyed - ended == 5);
  EXPECT_TRUE(called == ran);

  EXPECT(JACQUARD_ERROR_CLOSED, jacquard_connection_on_state(connection, on_state, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_CLOSED, jacquard_connection_on_gesture(connection, on_gesture, NULL, on_destroy, NULL));
  EXPECT_TRUE(jacquard_scan_stop(scan) != JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(jacquard_scan_is_running(scan) == 0);
  EXPECT_TRUE(jacquard_connection_get_phase(connection) == JACQUARD_PHASE_DISCONNECTED);
  EXPECT_TRUE(jacquard_connection_disconnect(connection) != JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(jacquard_subscription_cancel(subscription) != JACQUARD_ERROR_INVALID_HANDLE);
  jacquard_subscription_unref(subscription);
  jacquard_connection_unref(connection);
  jacquard_scan_unref(scan);
  no_handle(connection, JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(destroyed - ended == 5);
  destroyed = ended;
}

static void numbers_without_a_name(void) {
  static const int numbers[] = {INT_MIN, -1000, -63, -8, 0, 1, 7, 1000, INT_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    EXPECT_TRUE(*jacquard_status_text(numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_status_name(numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_phase_name(numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_adapter_state_name(numbers[i]) != 0);
    EXPECT_TRUE(jacquard_gesture_name(numbers[i]) != NULL);
  }
  EXPECT_TRUE(jacquard_version() != 0 && *jacquard_version_string() != 0);
}

int main(void) {
  jacquard_manager *manager = NULL;
  char *endless = malloc(1 << 20);
  memset(endless, 'a', (1 << 20) - 1);
  endless[(1 << 20) - 1] = 0;

  EXPECT_TRUE(jacquard_last_error() == NULL);
  numbers_without_a_name();
  handles_that_never_were();
  handles_given_back();
  arguments_of_managers();
  arguments_of_services();
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  last_errors(manager);
  sizes_of_structs(manager);
  arguments_of_registrations(manager);
  arguments_of_connections(manager, endless);
  arguments_of_binding(manager, endless);
  arguments_of_scans(manager, endless);
  handles_of_other_nouns(manager);
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  jacquard_manager_unref(manager);
  handles_of_a_manager_that_ended();
  EXPECT_TRUE(destroyed == 0);
  free(endless);
  return wrong != 0;
}
