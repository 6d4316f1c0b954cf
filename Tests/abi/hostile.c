/* Calls every function with every kind of wrong argument. Each gives an error code; nothing crashes, nothing is kept. */
#include "expect.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int callbacks;
static int destroyed;

static void on_destroy(void *user_data) {
  (void)user_data;
  destroyed++;
}
static void on_log(const jacquard_log *log, void *user_data) {
  (void)log, (void)user_data;
  callbacks++;
}
static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  (void)adapter, (void)user_data;
  callbacks++;
}
static void on_found(jacquard_scan *scan, const jacquard_advertisement *found, void *user_data) {
  (void)scan, (void)found, (void)user_data;
  callbacks++;
}
static void on_state(const jacquard_connection_state *state, void *user_data) {
  (void)state, (void)user_data;
  callbacks++;
}
static void on_answer(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  (void)battery, (void)error, (void)user_data;
  callbacks++;
}
static void on_battery(const jacquard_battery *battery, void *user_data) {
  (void)battery, (void)user_data;
  callbacks++;
}

static const char identifier[] = "12345678-1234-5678-9234-567812345678";

/* Every function that takes a handle, with this one, which is no good. */
static void every_noun(void *handle, int status) {
  jacquard_subscription *subscription = (void *)identifier;
  jacquard_scan *scan = (void *)identifier;
  jacquard_connection *connection = (void *)identifier;
  jacquard_request *request = (void *)identifier;
  const jacquard_tag_info *info = (void *)identifier;

  EXPECT_TRUE(jacquard_manager_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_manager_unref(handle) == NULL);
  EXPECT(status, jacquard_manager_get_fd(handle));
  EXPECT(status, jacquard_manager_dispatch(handle));
  EXPECT(status, jacquard_manager_start(handle));
  EXPECT(status, jacquard_manager_on_log(handle, JACQUARD_LOG_DEBUG, on_log, NULL, on_destroy, &subscription));
  EXPECT(status, jacquard_manager_on_adapter(handle, on_adapter, NULL, on_destroy, &subscription));
  EXPECT(status, jacquard_manager_scan(handle, NULL, on_found, NULL, NULL, on_destroy, &scan));
  EXPECT(status, jacquard_manager_connect(handle, identifier, NULL, on_state, NULL, on_destroy, &connection));

  EXPECT_TRUE(jacquard_scan_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_scan_unref(handle) == NULL);
  EXPECT(status, jacquard_scan_stop(handle));

  EXPECT_TRUE(jacquard_connection_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_connection_unref(handle) == NULL);
  EXPECT(status, jacquard_connection_disconnect(handle));
  EXPECT(status, jacquard_connection_on_state(handle, on_state, NULL, on_destroy, &subscription));
  EXPECT(status, jacquard_connection_on_battery(handle, on_battery, NULL, on_destroy, &subscription));

  EXPECT_TRUE(jacquard_tag_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_tag_unref(handle) == NULL);
  EXPECT(status, jacquard_tag_get_info(handle, &info));
  EXPECT(status, jacquard_tag_read_battery(handle, NULL, on_answer, NULL, on_destroy, &request));

  EXPECT_TRUE(jacquard_subscription_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_subscription_unref(handle) == NULL);
  EXPECT(status, jacquard_subscription_cancel(handle));

  EXPECT_TRUE(jacquard_request_ref(handle) == NULL);
  EXPECT_TRUE(jacquard_request_unref(handle) == NULL);
  EXPECT(status, jacquard_request_cancel(handle));

  /* A failure leaves outputs as they were. */
  EXPECT_TRUE((void *)subscription == (void *)identifier && (void *)scan == (void *)identifier);
  EXPECT_TRUE((void *)connection == (void *)identifier && (void *)request == (void *)identifier);
  EXPECT_TRUE((void *)info == (void *)identifier);
}

static void handles_that_never_were(void) {
  long long aligned[8] = {0};
  void *heap = calloc(1, 64);
  void *pool[] = {(void *)1,          (void *)7,       (void *)8,           (void *)(intptr_t)-1, (void *)INTPTR_MIN,
                  (void *)INTPTR_MAX, (void *)0x1000u, (void *)aligned,     (char *)aligned + 1,  heap,
                  (void *)identifier, (void *)UINT_MAX, (void *)0xdeadbeefu};
  every_noun(NULL, JACQUARD_ERROR_INVALID_ARGUMENT);
  for (size_t i = 0; i < sizeof pool / sizeof *pool; i++)
    every_noun(pool[i], JACQUARD_ERROR_INVALID_HANDLE);
  free(heap);
}

static void handles_given_back(void) {
  jacquard_manager *manager = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT_TRUE(jacquard_manager_ref(manager) == manager);
  EXPECT_TRUE(jacquard_manager_unref(manager) == NULL);
  EXPECT_TRUE(jacquard_manager_get_fd(manager) >= 0);
  EXPECT_TRUE(jacquard_manager_unref(manager) == NULL);
  every_noun(manager, JACQUARD_ERROR_INVALID_HANDLE);
}

/* A struct of which only the first `size` bytes may be read: the page after it is not there. */
static void *only(const void *options, uint32_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  char *start = pages + page - (size + 7) / 8 * 8;
  memcpy(start, options, size);
  return start;
}

static void sizes_of_structs(jacquard_manager *manager) {
  static const uint32_t sizes[] = {0, 1, 3, 4, 5, 8, 1000000, INT_MAX, UINT_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t head = sizes[i];
    jacquard_manager *other = NULL;
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(only(&head, 4), &other));
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_scan(manager, only(&head, 4), on_found, NULL, NULL, on_destroy, NULL));
    jacquard_connection *connection = NULL;
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_connect(manager, identifier, only(&head, 4), on_state, NULL, on_destroy, &connection));
    EXPECT_TRUE(other == NULL && connection == NULL);
  }

  /* The right size is read to its end and not further. */
  jacquard_manager_options options = JACQUARD_MANAGER_OPTIONS_INIT;
  jacquard_manager *other = NULL;
  EXPECT(JACQUARD_OK, jacquard_manager_new(only(&options, sizeof options), &other));
  other = jacquard_manager_unref(other);

  /* A program of a later version has a longer struct: fine as long as it asks for nothing that is not known here. */
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
  static const char *const addresses[] = {"", ";", ":", "=", "unix:", "unix:path", "unix:path=", "tcp:host=localhost,port=1",
                                          "nonce-tcp:host=x", "unixexec:path=/bin/false", "launchd:env=X", "autolaunch:",
                                          "unix:path=%zz", "unix:path=/a,path", "\xff\xfe", "unix:path=\xff\xfe%"};
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

  static const char *const adapters[] = {"",        "hci0", "00:11:22:33:44",    "00:11:22:33:44:5g", "00:11:22:33:44:55:66",
                                         "::::::", "/org/bluez/hci0", "00-11-22-33-44-55", "\xff"};
  for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++) {
    options.adapter = adapters[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_new(&options, &manager));
  }
  EXPECT_TRUE(manager == NULL);
}

static void arguments_of_registrations(jacquard_manager *manager) {
  jacquard_connection *connection = NULL;
  char *endless = malloc(1 << 20);
  memset(endless, 'a', (1 << 20) - 1);
  endless[(1 << 20) - 1] = 0;

  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_log(manager, JACQUARD_LOG_INFO, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_on_adapter(manager, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_scan(manager, NULL, NULL, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
         jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, on_destroy, NULL));

  static const int levels[] = {INT_MIN, -1, 0, 4, 1000, INT_MAX};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_on_log(manager, (jacquard_log_level)levels[i], on_log, NULL, on_destroy, NULL));

  const char *identifiers[] = {NULL, "", "C0:FF:EE:00:00:01", "12345678-1234-5678-9234-56781234567", "../../etc/passwd",
                               "12345678-1234-5678-9234-56781234567g", "12345678-1234-5678-9234-5678123456789",
                               "\xff\xfe", "12345678\xcc\x81-1234-5678-9234-567812345678", endless};
  for (size_t i = 0; i < sizeof identifiers / sizeof *identifiers; i++)
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT,
           jacquard_manager_connect(manager, identifiers[i], NULL, on_state, NULL, on_destroy, &connection));
  EXPECT_TRUE(connection == NULL);

  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  static const int32_t strengths[] = {INT32_MIN, -128, 21, 127, 128, INT32_MAX};
  for (size_t i = 0; i < sizeof strengths / sizeof *strengths; i++) {
    options.minimum_rssi = strengths[i];
    EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_manager_scan(manager, &options, on_found, NULL, NULL, on_destroy, NULL));
  }
  options.minimum_rssi = 0;

  /* Neither wrong by the header nor sensible: taken or refused, but with nothing worse. */
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
  free(endless);
}

/* One of each noun that needs no bus, and each given to the functions of all others. */
static void handles_of_other_nouns(jacquard_manager *manager) {
  jacquard_scan *scan = NULL;
  jacquard_connection *connection = NULL;
  jacquard_subscription *subscription = NULL;
  const jacquard_tag_info *info = NULL;
  jacquard_scan_options waiting = JACQUARD_SCAN_OPTIONS_INIT;
  waiting.wait_for_adapter = 1;
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, &waiting, on_found, NULL, NULL, NULL, &scan));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, NULL, NULL, NULL, &connection));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, NULL, NULL, &subscription));

  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_scan_stop((jacquard_scan *)manager));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_connection_disconnect((jacquard_connection *)scan));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_tag_get_info((jacquard_tag *)connection, &info));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_request_cancel((jacquard_request *)subscription));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_subscription_cancel((jacquard_subscription *)connection));
  EXPECT(JACQUARD_ERROR_INVALID_HANDLE, jacquard_manager_dispatch((jacquard_manager *)subscription));
  EXPECT_TRUE(jacquard_tag_ref((jacquard_tag *)scan) == NULL);
  EXPECT_TRUE(jacquard_tag_unref((jacquard_tag *)scan) == NULL);
  EXPECT_TRUE(jacquard_request_unref((jacquard_request *)connection) == NULL);

  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_connection_on_state(connection, NULL, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_connection_on_battery(connection, NULL, NULL, on_destroy, NULL));
  jacquard_connection *second = NULL;
  EXPECT(JACQUARD_ERROR_BUSY, jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, on_destroy, &second));
  EXPECT_TRUE(second == NULL);

  /* All of them survived that, and ending twice is no error. */
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  EXPECT(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(JACQUARD_OK, jacquard_scan_stop(scan));
  EXPECT(JACQUARD_OK, jacquard_connection_disconnect(connection));
  jacquard_subscription_unref(subscription);
  jacquard_scan_unref(scan);
  jacquard_connection_unref(connection);
  every_noun(scan, JACQUARD_ERROR_INVALID_HANDLE);
  every_noun(connection, JACQUARD_ERROR_INVALID_HANDLE);
  every_noun(subscription, JACQUARD_ERROR_INVALID_HANDLE);
}

/* What outlives its manager answers CLOSED until it is given back. */
static void handles_of_a_manager_that_ended(void) {
  jacquard_manager *manager = NULL;
  jacquard_scan *scan = NULL;
  jacquard_connection *connection = NULL;
  jacquard_subscription *subscription = NULL;
  int before = destroyed;
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  EXPECT(JACQUARD_OK, jacquard_manager_scan(manager, NULL, on_found, NULL, NULL, on_destroy, &scan));
  EXPECT(JACQUARD_OK, jacquard_manager_connect(manager, identifier, NULL, on_state, NULL, on_destroy, &connection));
  EXPECT(JACQUARD_OK, jacquard_connection_on_battery(connection, on_battery, NULL, on_destroy, &subscription));
  EXPECT(JACQUARD_OK, jacquard_manager_on_adapter(manager, on_adapter, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_OK, jacquard_manager_on_log(manager, JACQUARD_LOG_DEBUG, on_log, NULL, on_destroy, NULL));
  int ran = callbacks;
  jacquard_manager_unref(manager);
  EXPECT_TRUE(destroyed - before == 5);
  EXPECT_TRUE(callbacks == ran);

  EXPECT(JACQUARD_ERROR_CLOSED, jacquard_connection_on_state(connection, on_state, NULL, on_destroy, NULL));
  EXPECT(JACQUARD_ERROR_CLOSED, jacquard_connection_on_battery(connection, on_battery, NULL, on_destroy, NULL));
  EXPECT_TRUE(jacquard_scan_stop(scan) != JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(jacquard_connection_disconnect(connection) != JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(jacquard_subscription_cancel(subscription) != JACQUARD_ERROR_INVALID_HANDLE);
  jacquard_subscription_unref(subscription);
  jacquard_connection_unref(connection);
  jacquard_scan_unref(scan);
  every_noun(connection, JACQUARD_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(destroyed - before == 5);
  destroyed = before;
}

static void numbers_without_a_name(void) {
  static const int numbers[] = {INT_MIN, -1000, -63, -8, 0, 1, 7, 1000, INT_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    EXPECT_TRUE(*jacquard_status_text(numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_status_name(numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_phase_name((jacquard_phase)numbers[i]) != 0);
    EXPECT_TRUE(*jacquard_adapter_state_name((jacquard_adapter_state)numbers[i]) != 0);
  }
  EXPECT_TRUE(jacquard_version() != 0 && *jacquard_version_string() != 0);
}

int main(void) {
  jacquard_manager *manager = NULL;
  numbers_without_a_name();
  handles_that_never_were();
  handles_given_back();
  arguments_of_managers();
  EXPECT(JACQUARD_OK, jacquard_manager_new(NULL, &manager));
  sizes_of_structs(manager);
  arguments_of_registrations(manager);
  handles_of_other_nouns(manager);
  EXPECT(JACQUARD_OK, jacquard_manager_dispatch(manager));
  jacquard_manager_unref(manager);
  handles_of_a_manager_that_ended();
  EXPECT_TRUE(destroyed == 0);
  return wrong != 0;
}
