/* A minimal program that uses only libdbus and reads the bytes. `bare SECONDS [connect [TAGS]]`: without `connect`,
   another program of this world has the link; with 0 seconds only until the tags are connected. */
#include "host.h"
#include "measure.h"
#include "readings.h"

/* The bytes of a's "Value" in PropertiesChanged(s, a{sv}, as). */
__attribute__((noinline)) static void look(DBusMessage *message) {
  DBusMessageIter arguments, entries;
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged") ||
      !dbus_message_has_signature(message, "sa{sv}as"))
    return;
  dbus_message_iter_init(message, &arguments);
  dbus_message_iter_next(&arguments);
  dbus_message_iter_recurse(&arguments, &entries);
  for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
    DBusMessageIter entry, value, array;
    const char *name;
    const unsigned char *start;
    int count;
    dbus_message_iter_recurse(&entries, &entry);
    dbus_message_iter_get_basic(&entry, &name);
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    if (strcmp(name, "Value") != 0 || dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_ARRAY)
      continue;
    dbus_message_iter_recurse(&value, &array);
    dbus_message_iter_get_fixed_array(&array, &start, &count);
    unsigned all = 0;
    for (int i = 0; i < count; i++)
      all += start[i];
    delivered(all);
  }
}

int main(int count, char **arguments) {
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  open_bus("type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',"
           "member='PropertiesChanged',arg0='org.bluez.GattCharacteristic1'");
  wanted = count > 3 ? atoi(arguments[3]) : 1;
  if (wanted < 1 || wanted > MOST_TAGS)
    return 1;
  if (count > 2) {
    find_tags();
    uint64_t started = nanoseconds(CLOCK_MONOTONIC), spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    connect_tags();
    subscribe();
    printf("connected %.6f %ld %.6f\n", (double)(nanoseconds(CLOCK_MONOTONIC) - started) / 1e9, resident_kib(),
           (double)(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - spent) / 1e9);
    skip_other_signals();
  }
  if (wanted > 1)
    several_connected(wanted);
  if (window_ns == 0)
    return fflush(stdout);
  while (dbus_connection_read_write(bus, -1))
    for (DBusMessage *message; (message = dbus_connection_pop_message(bus)); dbus_message_unref(message))
      look(message);
  return 0;
}
