/*
 * gatt ADDRESS notify UUID [ping]   a GATT client that does not use this library: it subscribes to a characteristic
 *                                   and prints each received value with the serial number of its message, until
 *                                   SIGTERM; with `ping` it sends bluetoothd a Ping after each value, and prints the
 *                                   serial number of the reply. SIGINT makes it call StopNotify before it ends
 * gatt ADDRESS read UUID            makes one call, and prints how long the reply took, up to 20 s
 * gatt ADDRESS write UUID HEX       writes these bytes
 */
#include <dbus/dbus.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHARACTERISTIC "org.bluez.GattCharacteristic1"

static DBusConnection *bus;
static char path[256];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static DBusMessage *call(DBusMessage *message, int milliseconds) {
  DBusError error = DBUS_ERROR_INIT;
  double began = now();
  DBusMessage *answer = dbus_connection_send_with_reply_and_block(bus, message, milliseconds, &error);
  printf("%s after %.2f s: %s %s\n", dbus_message_get_member(message), now() - began, answer ? "answered" : error.name,
         answer ? "" : error.message);
  dbus_message_unref(message);
  dbus_error_free(&error);
  return answer;
}

static DBusMessage *method(const char *name) {
  return dbus_message_new_method_call("org.bluez", path, CHARACTERISTIC, name);
}

/* The UUID in the properties of a characteristic, or NULL. */
static const char *uuid_of(DBusMessageIter *interface) {
  DBusMessageIter parts, properties, property, value;
  const char *text = NULL;
  dbus_message_iter_recurse(interface, &parts);
  dbus_message_iter_get_basic(&parts, &text);
  if (strcmp(text, CHARACTERISTIC) != 0) return NULL;
  dbus_message_iter_next(&parts);
  for (dbus_message_iter_recurse(&parts, &properties); dbus_message_iter_get_arg_type(&properties) != DBUS_TYPE_INVALID;
       dbus_message_iter_next(&properties)) {
    dbus_message_iter_recurse(&properties, &property);
    dbus_message_iter_get_basic(&property, &text);
    if (strcmp(text, "UUID") != 0) continue;
    dbus_message_iter_next(&property);
    dbus_message_iter_recurse(&property, &value);
    dbus_message_iter_get_basic(&value, &text);
    return text;
  }
  return NULL;
}

static int find(const char *address, const char *uuid) {
  char device[32] = "/dev_";
  DBusMessageIter all, objects, object, interfaces;
  for (size_t index = 0; index < 17 && address[index]; index++)
    device[5 + index] = address[index] == ':' ? '_' : address[index];
  device[22] = 0;
  DBusMessage *question = dbus_message_new_method_call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager",
                                                       "GetManagedObjects");
  DBusMessage *answer = dbus_connection_send_with_reply_and_block(bus, question, 20000, NULL);
  dbus_message_unref(question);
  if (!answer || !dbus_message_iter_init(answer, &all)) return 0;
  for (dbus_message_iter_recurse(&all, &objects); dbus_message_iter_get_arg_type(&objects) != DBUS_TYPE_INVALID;
       dbus_message_iter_next(&objects)) {
    const char *text = NULL, *found;
    dbus_message_iter_recurse(&objects, &object);
    dbus_message_iter_get_basic(&object, &text);
    if (!strstr(text, device)) continue;
    dbus_message_iter_next(&object);
    for (dbus_message_iter_recurse(&object, &interfaces);
         dbus_message_iter_get_arg_type(&interfaces) != DBUS_TYPE_INVALID;
         dbus_message_iter_next(&interfaces))
      if ((found = uuid_of(&interfaces)) && strcmp(found, uuid) == 0) snprintf(path, sizeof path, "%s", text);
  }
  dbus_message_unref(answer);
  return path[0] != 0;
}

static void append_options(DBusMessageIter *arguments, const char *type) {
  DBusMessageIter options, option, value;
  const char *key = "type";
  dbus_message_iter_open_container(arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  if (type) {
    dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &option);
    dbus_message_iter_append_basic(&option, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&option, DBUS_TYPE_VARIANT, "s", &value);
    dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &type);
    dbus_message_iter_close_container(&option, &value);
    dbus_message_iter_close_container(&options, &option);
  }
  dbus_message_iter_close_container(arguments, &options);
}

static void write_value(const char *hex) {
  DBusMessage *message = method("WriteValue");
  DBusMessageIter arguments, bytes;
  dbus_message_iter_init_append(message, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "y", &bytes);
  for (; hex[0] && hex[1]; hex += 2) {
    char pair[] = {hex[0], hex[1], 0};
    uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
    dbus_message_iter_append_basic(&bytes, DBUS_TYPE_BYTE, &byte);
  }
  dbus_message_iter_close_container(&arguments, &bytes);
  append_options(&arguments, "request");
  call(message, 20000);
}

static void read_value(void) {
  DBusMessage *message = method("ReadValue");
  DBusMessageIter arguments;
  dbus_message_iter_init_append(message, &arguments);
  append_options(&arguments, NULL);
  call(message, 20000);
}

static int pings;
static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

static DBusHandlerResult hear(DBusConnection *connection, DBusMessage *message, void *data) {
  (void)data;
  DBusMessageIter arguments, changed, property, variant, bytes;
  const char *interface = NULL, *name = NULL;
  if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_RETURN)
    printf("ping answered, message %u\n", dbus_message_get_serial(message));
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged") ||
      strcmp(dbus_message_get_path(message), path) != 0)
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  dbus_message_iter_init(message, &arguments);
  dbus_message_iter_get_basic(&arguments, &interface);
  dbus_message_iter_next(&arguments);
  for (dbus_message_iter_recurse(&arguments, &changed); dbus_message_iter_get_arg_type(&changed) != DBUS_TYPE_INVALID;
       dbus_message_iter_next(&changed)) {
    const uint8_t *value = NULL;
    int size = 0;
    dbus_message_iter_recurse(&changed, &property);
    dbus_message_iter_get_basic(&property, &name);
    if (strcmp(name, "Value") != 0) continue;
    dbus_message_iter_next(&property);
    dbus_message_iter_recurse(&property, &variant);
    dbus_message_iter_recurse(&variant, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &value, &size);
    printf("value ");
    for (int index = 0; index < size; index++) printf("%02x", value[index]);
    printf(", message %u\n", dbus_message_get_serial(message));
    if (pings) {
      DBusMessage *ping = dbus_message_new_method_call("org.bluez", "/", "org.freedesktop.DBus.Peer", "Ping");
      dbus_connection_send(connection, ping, NULL);
      dbus_message_unref(ping);
    }
  }
  return DBUS_HANDLER_RESULT_HANDLED;
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  bus = dbus_bus_get(DBUS_BUS_SYSTEM, NULL);
  if (!bus || !find(arguments[1], arguments[3])) {
    printf("no such characteristic\n");
    return 1;
  }
  if (strcmp(arguments[2], "read") == 0) read_value();
  if (strcmp(arguments[2], "write") == 0) write_value(arguments[4]);
  if (strcmp(arguments[2], "notify") != 0) return 0;
  pings = count > 4;
  dbus_bus_add_match(bus, "type='signal',sender='org.bluez',member='PropertiesChanged'", NULL);
  dbus_connection_add_filter(bus, hear, NULL, NULL);
  call(method("StartNotify"), 20000);
  signal(SIGINT, on_signal);
  while (dbus_connection_read_write_dispatch(bus, 200)) {
    if (!interrupted) continue;
    call(method("StopNotify"), 20000);
    return 0;
  }
  return 1;
}
