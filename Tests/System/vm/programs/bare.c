/*
 * bare ADDRESS SIZE FILE TIMES: downloads the recording "1627344030", of SIZE bytes, TIMES times, with libdbus alone
 * and as fast as bluetoothd allows: it checks nothing and ignores the replies to acknowledgements. Prints the kB/s of
 * each time between the first and the last packet.
 */
#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERVICE(part) "d2f2" part "-d165-445c-b0e1-2d6b642ec57b"
#define FRAGMENT 61

static const char *const uuids[] = {SERVICE("eabb"), SERVICE("b8d0"), SERVICE("b8d1"), SERVICE("b8d2")};
enum { COMMAND, RESPONSE, NOTIFICATION, RAW, ALL };

static DBusConnection *bus;
static char device[64], paths[ALL][128];
static int device_known, services_resolved;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why) {
  printf("%s: %s\n", what, why);
  exit(1);
}

static DBusMessage *call(const char *path, const char *interface, const char *name) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *message = dbus_message_new_method_call("org.bluez", path, interface, name);
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 30000, &error);
  dbus_message_unref(message);
  if (!reply) fail(name, error.message);
  return reply;
}

/* Objects ---------------------------------------------------------------------------------------------------------- */

static void note_property(const char *path, const char *name, DBusMessageIter *value) {
  const char *text = NULL;
  dbus_bool_t flag = 0;
  if (strcmp(name, "UUID") == 0) {
    dbus_message_iter_get_basic(value, &text);
    for (int index = 0; index < ALL; index++)
      if (strcmp(text, uuids[index]) == 0 && strncmp(path, device, strlen(device)) == 0)
        snprintf(paths[index], sizeof paths[index], "%s", path);
  } else if (strcmp(name, "ServicesResolved") == 0 && strcmp(path, device) == 0) {
    dbus_message_iter_get_basic(value, &flag);
    services_resolved = (int)flag;
  }
}

static void note_object(const char *path, DBusMessageIter *interfaces) {
  DBusMessageIter interface, properties, property, value;
  const char *name = NULL;
  for (; dbus_message_iter_get_arg_type(interfaces) != DBUS_TYPE_INVALID; dbus_message_iter_next(interfaces)) {
    dbus_message_iter_recurse(interfaces, &interface);
    dbus_message_iter_next(&interface);
    dbus_message_iter_recurse(&interface, &properties);
    for (; dbus_message_iter_get_arg_type(&properties) != DBUS_TYPE_INVALID; dbus_message_iter_next(&properties)) {
      dbus_message_iter_recurse(&properties, &property);
      dbus_message_iter_get_basic(&property, &name);
      dbus_message_iter_next(&property);
      dbus_message_iter_recurse(&property, &value);
      note_property(path, name, &value);
    }
  }
  if (strcmp(path, device) == 0) device_known = 1;
}

static void read_objects(void) {
  DBusMessageIter all, objects, object, interfaces;
  const char *path = NULL;
  DBusMessage *reply = call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
  dbus_message_iter_init(reply, &all);
  dbus_message_iter_recurse(&all, &objects);
  for (; dbus_message_iter_get_arg_type(&objects) != DBUS_TYPE_INVALID; dbus_message_iter_next(&objects)) {
    dbus_message_iter_recurse(&objects, &object);
    dbus_message_iter_get_basic(&object, &path);
    dbus_message_iter_next(&object);
    dbus_message_iter_recurse(&object, &interfaces);
    note_object(path, &interfaces);
  }
  dbus_message_unref(reply);
}

/* Waits without reading, as a program that does something else. */
static void wait_for(long milliseconds) {
  struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL); /* as long as the caller says */
}

static void await(const int *flag) {
  for (int index = 0; index < 300 && !*flag; index++) {
    read_objects();
    if (!*flag) wait_for(200);
  }
  if (!*flag) fail(device, "not there");
}

/* Values ----------------------------------------------------------------------------------------------------------- */

static void write_value(int to, const uint8_t *bytes, size_t size) {
  DBusMessage *message = dbus_message_new_method_call("org.bluez", paths[to], "org.bluez.GattCharacteristic1",
                                                      "WriteValue");
  DBusMessageIter arguments, array, options, option, value;
  const char *key = "type", *type = to == RAW ? "command" : "request";
  dbus_message_iter_init_append(message, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, (int)size);
  dbus_message_iter_close_container(&arguments, &array);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &option);
  dbus_message_iter_append_basic(&option, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&option, DBUS_TYPE_VARIANT, "s", &value);
  dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &type);
  dbus_message_iter_close_container(&option, &value);
  dbus_message_iter_close_container(&options, &option);
  dbus_message_iter_close_container(&arguments, &options);
  if (to == RAW) {
    dbus_connection_send(bus, message, NULL);
  } else {
    /* bluetoothd accepts one write with response at a time. */
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 30000, NULL);
    if (!reply) fail("WriteValue", "failed");
    dbus_message_unref(reply);
  }
  dbus_message_unref(message);
}

/* In fragments: bit 7 of the first byte marks the first, bit 6 the last; the first also has the size. */
static void write_packet(const uint8_t *packet, size_t size) {
  for (size_t place = 0, index = 0; place < size; index++) {
    uint8_t fragment[FRAGMENT];
    size_t head = index == 0 ? 2 : 1, left = size - place;
    size_t count = left < FRAGMENT - head ? left : FRAGMENT - head;
    fragment[0] = (uint8_t)((index == 0 ? 0x80 : 0) | (count == left ? 0x40 : 0) | index);
    fragment[1] = (uint8_t)size;
    memcpy(fragment + head, packet + place, count);
    write_value(COMMAND, fragment, head + count);
    place += count;
  }
}

static int responses;
static long expected, received, of_first;
static uint8_t packet[1024];
static size_t packet_size;
static double first, last;
static FILE *file;

static void take_packet(void) {
  uint8_t acknowledgement[] = {0xc0, 2, packet[0], 'A'};
  write_value(RAW, acknowledgement, sizeof acknowledgement);
  fwrite(packet + 1, 1, packet_size - 1, file);
  last = now();
  if (received == 0) {
    first = last;
    of_first = (long)packet_size - 1;
  }
  received += (long)packet_size - 1;
}


static void take_fragment(const uint8_t *bytes, size_t size) {
  size_t head = 1;
  if (bytes[0] & 0x80) {
    packet_size = 0;
    head = bytes[1] & 0x80 ? 3 : 2;
  }
  if (packet_size + size - head > sizeof packet) fail("fragment", "too long");
  memcpy(packet + packet_size, bytes + head, size - head);
  packet_size += size - head;
  if (!(bytes[0] & 0x40)) return;
  take_packet();
}

static DBusHandlerResult take_signal(DBusConnection *from, DBusMessage *message, void *data) {
  (void)from, (void)data;
  DBusMessageIter arguments, changed, property, variant, bytes;
  const char *path = dbus_message_get_path(message), *name = NULL;
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged"))
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  dbus_message_iter_init(message, &arguments);
  dbus_message_iter_next(&arguments);
  dbus_message_iter_recurse(&arguments, &changed);
  for (; dbus_message_iter_get_arg_type(&changed) != DBUS_TYPE_INVALID; dbus_message_iter_next(&changed)) {
    const uint8_t *value = NULL;
    int size = 0;
    dbus_message_iter_recurse(&changed, &property);
    dbus_message_iter_get_basic(&property, &name);
    if (strcmp(name, "Value") != 0) continue;
    dbus_message_iter_next(&property);
    dbus_message_iter_recurse(&property, &variant);
    dbus_message_iter_recurse(&variant, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &value, &size);
    /* The last fragment of a response. */
    if (strcmp(path, paths[RESPONSE]) == 0 && size > 0 && value[0] & 0x40) responses++;
    if (strcmp(path, paths[RAW]) == 0 && size > 1) take_fragment(value, (size_t)size);
  }
  return DBUS_HANDLER_RESULT_HANDLED;
}

static void dispatch_until_response(void) {
  while (responses == 0)
    if (!dbus_connection_read_write_dispatch(bus, 30000)) fail("bus", "closed");
  responses = 0;
}

#define ASK(...) \
  do { \
    static const uint8_t request[] = {__VA_ARGS__}; \
    write_packet(request, sizeof request); \
    dispatch_until_response(); \
  } while (0)

static void set_up(void) {
  ASK(0x08, 0x00, 0x10, 0x01, 0x18, 0x01);                                           /* hello */
  ASK(0x08, 0x00, 0x10, 0x02, 0x18, 0x02, 0xaa, 0x06, 0x02, 0x08, 0x02);             /* begin, protocol 2 */
  ASK(0x08, 0x00, 0x10, 0x04, 0x18, 0x03, 0x20, 0x00, 0xba, 0x06, 0x02, 0x08, 0x00); /* device information */
  /* The depth of the queue of notifications. */
  ASK(0x08, 0x00, 0x10, 0x0b, 0x18, 0x04, 0xea, 0x44, 0x04, 0x12, 0x02, 0x50, 0x0e);
  /* Load the motion module. */
  ASK(0x08, 0x00, 0x10, 0x12, 0x18, 0x05, 0x82, 0x4b, 0x14, 0x0a, 0x12, 0x10, 0xc8, 0xe1, 0xe0, 0x8b, 0x01, 0x18, 0x88,
      0xb7, 0xf9, 0xf9, 0x0e, 0x20, 0xd3, 0xce, 0xaf, 0xe8, 0x03);
  wait_for(2000);
}

static void download(uint8_t id) {
  static uint8_t request[] =
      "\x08\x09\x10\x05\x18\x00\xea\x3e\x3d\x0a\x0ajqCampaign\x12\x09jqSession\x1a\x0a" "1627344030\x22\x09jqSession"
      "\x28\x00\x30\x00\x3a\x09jqProduct";
  request[5] = id;
  received = 0;
  write_packet(request, sizeof request - 1);
  while (received < expected)
    if (!dbus_connection_read_write_dispatch(bus, 30000)) fail("bus", "closed");
  dbus_connection_flush(bus);
  printf("downloaded %ld bytes, %.2f kB/s\n", received, (double)(received - of_first) / (last - first) / 1000);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  expected = strtol(arguments[2], NULL, 10);
  bus = dbus_bus_get(DBUS_BUS_SYSTEM, NULL);
  file = fopen(arguments[3], "w");
  if (!bus || !file) return 2;
  snprintf(device, sizeof device, "/org/bluez/hci0/dev_%s", arguments[1]);
  for (char *each = device; *each; each++)
    if (*each == ':') *each = '_';
  dbus_message_unref(call("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery"));
  await(&device_known);
  dbus_message_unref(call("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery"));
  dbus_message_unref(call(device, "org.bluez.Device1", "Connect"));
  await(&services_resolved);
  dbus_bus_add_match(bus, "type='signal',sender='org.bluez',member='PropertiesChanged'", NULL);
  dbus_connection_add_filter(bus, take_signal, NULL, NULL);
  for (int index = RESPONSE; index < ALL; index++)
    dbus_message_unref(call(paths[index], "org.bluez.GattCharacteristic1", "StartNotify"));
  set_up();
  for (long time = 0; time < strtol(arguments[4], NULL, 10); time++) {
    rewind(file);
    download((uint8_t)(6 + time));
    wait_for(500);
    responses = 0;
  }
  fclose(file);
  dbus_message_unref(call(device, "org.bluez.Device1", "Disconnect"));
  return 0;
}
