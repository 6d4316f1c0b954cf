/* A minimal program that uses only libdbus and reads the bytes. `bare SECONDS [TAGS]`. */
#include "host.h"

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
  subscribe_to_values(count, arguments, CHANGES_OF("org.bluez.GattCharacteristic1"));
  while (dbus_connection_read_write(bus, -1))
    for (DBusMessage *message; (message = dbus_connection_pop_message(bus)); dbus_message_unref(message))
      look(message);
  return 0;
}
