/* Battery requests with libdbus alone: writes the bytes, and waits for the notification with the response.
   `bare-command SECONDS`. */
#include "host.h"

/* docs/protocol.md describes these requests. The eighth octet is the number of the request, below 128. */
static unsigned char hello[] = {0xc0, 0x06, 0x08, 0x00, 0x10, 0x01, 0x18, 1};
static unsigned char begin[] = {0xc0, 0x0b, 0x08, 0x00, 0x10, 0x02, 0x18, 2, 0xaa, 0x06, 0x02, 0x08, 0x02};
static unsigned char battery[] = {0xc0, 0x0d, 0x08, 0x00, 0x10, 0x17, 0x18, 3, 0xca, 0x07, 0x04, 0x08, 0x01, 0x10,
                                  0x01};

static void request(unsigned char *bytes, int count) {
  const char *key = "type", *type = "request";
  DBusMessage *call = method(tags[0].command, "org.bluez.GattCharacteristic1", "WriteValue");
  DBusMessageIter arguments, array, options, entry, variant;
  dbus_message_iter_init_append(call, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, count);
  dbus_message_iter_close_container(&arguments, &array);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
  dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &type);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(&options, &entry);
  dbus_message_iter_close_container(&arguments, &options);
  dbus_connection_send(bus, call, NULL);
  dbus_message_unref(call);
}

__attribute__((noinline)) static void await_response(void) {
  for (;;) {
    DBusMessage *message = dbus_connection_pop_message(bus);
    if (!message) {
      dbus_connection_read_write(bus, -1);
      continue;
    }
    int found = dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged") &&
                dbus_message_has_path(message, tags[0].response);
    dbus_message_unref(message);
    if (found)
      return;
  }
}

int main(int count, char **arguments) {
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  open_bus(CHANGES_OF("org.bluez.GattCharacteristic1"));
  find_tags();
  connect_tags();
  subscribe();
  skip_other_signals();
  request(hello, sizeof hello);
  await_response();
  request(begin, sizeof begin);
  await_response();
  for (;; battery[7] = battery[7] % 100 + 1) {
    request(battery, sizeof battery);
    await_response();
    delivered(battery[7]);
  }
}
