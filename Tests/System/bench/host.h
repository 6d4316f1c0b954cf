/* The least that a program on libdbus alone needs to receive notifications of the first tags found: blocking, no errors
   other than an exit, no recovery. */
#ifndef HOST_H
#define HOST_H

#include "measure.h"

#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE_UUID "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"
#define COMMAND_UUID "d2f2eabb-d165-445c-b0e1-2d6b642ec57b"
#define RESPONSE_UUID "d2f2b8d0-d165-445c-b0e1-2d6b642ec57b"
#define NOTIFICATION_UUID "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
#define RAW_DATA_UUID "d2f2b8d2-d165-445c-b0e1-2d6b642ec57b"
#define CHANGES_OF(interface)                                                                                          \
  "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"           \
  "arg0='" interface "'"

static DBusConnection *bus;
static DBusError failure = DBUS_ERROR_INIT;

static void check(int holds, const char *what) {
  if (holds && !dbus_error_is_set(&failure))
    return;
  fprintf(stderr, "%s: %s\n", what, failure.message ? failure.message : "failed");
  exit(1);
}

static DBusMessage *method(const char *path, const char *interface, const char *member) {
  return dbus_message_new_method_call("org.bluez", path, interface, member);
}

/* The reply; the call is freed. */
static DBusMessage *blocking(DBusMessage *call) {
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 60000, &failure);
  check(reply != NULL, dbus_message_get_member(call));
  dbus_message_unref(call);
  return reply;
}

static void simply(const char *path, const char *interface, const char *member) {
  dbus_message_unref(blocking(method(path, interface, member)));
}

/* The string value of a property, or "". */
static const char *text_of(DBusMessageIter *properties, const char *name) {
  for (DBusMessageIter each = *properties; dbus_message_iter_get_arg_type(&each) == DBUS_TYPE_DICT_ENTRY;
       dbus_message_iter_next(&each)) {
    DBusMessageIter entry, value;
    const char *key, *text;
    dbus_message_iter_recurse(&each, &entry);
    dbus_message_iter_get_basic(&entry, &key);
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    int type = dbus_message_iter_get_arg_type(&value);
    if (strcmp(key, name) != 0 || (type != DBUS_TYPE_STRING && type != DBUS_TYPE_OBJECT_PATH))
      continue;
    dbus_message_iter_get_basic(&value, &text);
    return text;
  }
  return "";
}

/* Calls `visit` with the path and properties of each object that has the interface. */
static void objects(const char *interface, void (*visit)(const char *path, DBusMessageIter *properties)) {
  DBusMessage *reply = blocking(method("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  DBusMessageIter arguments, paths;
  dbus_message_iter_init(reply, &arguments);
  dbus_message_iter_recurse(&arguments, &paths);
  for (; dbus_message_iter_get_arg_type(&paths) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&paths)) {
    DBusMessageIter object, interfaces;
    const char *path;
    dbus_message_iter_recurse(&paths, &object);
    dbus_message_iter_get_basic(&object, &path);
    dbus_message_iter_next(&object);
    dbus_message_iter_recurse(&object, &interfaces);
    for (; dbus_message_iter_get_arg_type(&interfaces) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&interfaces)) {
      DBusMessageIter entry, properties;
      const char *name;
      dbus_message_iter_recurse(&interfaces, &entry);
      dbus_message_iter_get_basic(&entry, &name);
      dbus_message_iter_next(&entry);
      dbus_message_iter_recurse(&entry, &properties);
      if (strcmp(name, interface) == 0)
        visit(path, &properties);
    }
  }
  dbus_message_unref(reply);
}

enum { MOST_TAGS = 500, LONGEST_PATH = 256 };

struct characteristics {
  char command[LONGEST_PATH], response[LONGEST_PATH], notification[LONGEST_PATH], raw_data[LONGEST_PATH];
};

static struct characteristics tags[MOST_TAGS];
static char devices[MOST_TAGS][LONGEST_PATH];
static int wanted = 1, known;

static void take_device(const char *path, DBusMessageIter *properties) {
  (void)properties;
  if (known < wanted)
    snprintf(devices[known++], LONGEST_PATH, "%s", path);
}

static void take_characteristic(const char *path, DBusMessageIter *properties) {
  const char *uuid = text_of(properties, "UUID");
  for (int i = 0; i < known; i++) {
    struct characteristics *tag = &tags[i];
    char *place = strcmp(uuid, COMMAND_UUID) == 0        ? tag->command
                  : strcmp(uuid, RESPONSE_UUID) == 0     ? tag->response
                  : strcmp(uuid, NOTIFICATION_UUID) == 0 ? tag->notification
                  : strcmp(uuid, RAW_DATA_UUID) == 0     ? tag->raw_data
                                                         : NULL;
    size_t length = strlen(devices[i]);
    if (place && strncmp(path, devices[i], length) == 0 && path[length] == '/')
      snprintf(place, LONGEST_PATH, "%s", path);
  }
}

static int are_resolved(void) {
  for (int i = 0; i < wanted; i++)
    if (!tags[i].raw_data[0])
      return 0;
  return 1;
}

/* Handles whatever has arrived, for this time at most. */
static void pass(int milliseconds) {
  dbus_connection_read_write(bus, milliseconds);
  for (DBusMessage *message; (message = dbus_connection_pop_message(bus));)
    dbus_message_unref(message);
}

static void open_bus(const char *rule) {
  bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &failure);
  check(bus != NULL, "bus");
  if (rule)
    dbus_bus_add_match(bus, rule, &failure);
  check(1, "rule");
}

static inline void find_tags(void) {
  simply("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery");
  for (; known < wanted; pass(100)) {
    known = 0;
    objects("org.bluez.Device1", take_device);
  }
  simply("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery");
}

/* Connects to the tags, and finds their characteristics. */
static inline void connect_tags(void) {
  for (int i = 0; i < wanted; i++)
    simply(devices[i], "org.bluez.Device1", "Connect");
  for (; !are_resolved(); pass(10))
    objects("org.bluez.GattCharacteristic1", take_characteristic);
}

static inline void subscribe(void) {
  for (int i = 0; i < wanted; i++) {
    simply(tags[i].response, "org.bluez.GattCharacteristic1", "StartNotify");
    simply(tags[i].notification, "org.bluez.GattCharacteristic1", "StartNotify");
    simply(tags[i].raw_data, "org.bluez.GattCharacteristic1", "StartNotify");
  }
}

/* Skips the signals that are not values. */
static inline void skip_other_signals(void) {
  for (int i = 0; i < 10; i++)
    pass(10);
}

/* The first steps of a program that receives values: `PROGRAM SECONDS [TAGS]`. With 0 seconds it ends when the tags are
   connected. Prints "connected seconds KiB processor-seconds". */
static inline void subscribe_to_values(int count, char **arguments, const char *rule) {
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  wanted = count > 2 ? atoi(arguments[2]) : 1;
  check(wanted >= 1 && wanted <= MOST_TAGS, "number of tags");
  open_bus(rule);
  find_tags();
  uint64_t started = nanoseconds(CLOCK_MONOTONIC), spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  connect_tags();
  subscribe();
  printf("connected %.6f %ld %.6f\n", (double)(nanoseconds(CLOCK_MONOTONIC) - started) / 1e9, resident_kib(),
         (double)(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - spent) / 1e9);
  if (window_ns == 0)
    exit(fflush(stdout));
  skip_other_signals();
  if (wanted > 1)
    several_connected(wanted);
}

#endif
