/* Advertisements with libdbus alone: reads the strength, the name, the services and the manufacturer's data of each.
   `bare-scan SECONDS`. Prints as scan.c does. */
#include "host.h"

static long received;

static void read_value(DBusMessageIter *value) {
  int type = dbus_message_iter_get_arg_type(value);
  if (type == DBUS_TYPE_ARRAY || type == DBUS_TYPE_DICT_ENTRY || type == DBUS_TYPE_VARIANT) {
    DBusMessageIter inner;
    dbus_message_iter_recurse(value, &inner);
    for (; dbus_message_iter_get_arg_type(&inner) != DBUS_TYPE_INVALID; dbus_message_iter_next(&inner))
      read_value(&inner);
  } else if (type == DBUS_TYPE_STRING || type == DBUS_TYPE_OBJECT_PATH) {
    const char *text;
    dbus_message_iter_get_basic(value, &text);
    sum += text[0];
  } else {
    DBusBasicValue number = {0};
    dbus_message_iter_get_basic(value, &number);
    sum += number.byt;
  }
}

static int is_wanted(const char *name) {
  return strcmp(name, "RSSI") == 0 || strcmp(name, "Name") == 0 || strcmp(name, "UUIDs") == 0 ||
         strcmp(name, "ManufacturerData") == 0;
}

__attribute__((noinline)) static void look(DBusMessage *message) {
  DBusMessageIter arguments, entries;
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged") ||
      !dbus_message_has_signature(message, "sa{sv}as"))
    return;
  received++;
  dbus_message_iter_init(message, &arguments);
  dbus_message_iter_next(&arguments);
  dbus_message_iter_recurse(&arguments, &entries);
  for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
    DBusMessageIter entry;
    const char *name;
    dbus_message_iter_recurse(&entries, &entry);
    dbus_message_iter_get_basic(&entry, &name);
    dbus_message_iter_next(&entry);
    if (is_wanted(name))
      read_value(&entry);
  }
}

static void run(double seconds) {
  uint64_t end = nanoseconds(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
  for (uint64_t now; (now = nanoseconds(CLOCK_MONOTONIC)) < end;) {
    dbus_connection_read_write(bus, (int)((end - now) / 1000000) + 1);
    for (DBusMessage *message; (message = dbus_connection_pop_message(bus)); dbus_message_unref(message))
      look(message);
  }
}

int main(int count, char **arguments) {
  double seconds = atof(count > 1 ? arguments[1] : "5");
  open_bus(CHANGES_OF("org.bluez.Device1"));
  objects("org.bluez.Device1", take_device);
  long before = resident_kib();
  simply("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery");
  run(2);
  long first = received;
  uint64_t spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  run(seconds);
  spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - spent;
  printf("%ld %.6f %.6f %ld %ld\n", received - first, seconds, (double)spent / 1e9, before, resident_kib());
  return 0;
}
