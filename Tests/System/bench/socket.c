/* Only libdbus, and AcquireNotify's socket in place of signals. `socket SECONDS`. */
#include "host.h"

#include <poll.h>
#include <sys/socket.h>

enum { TOUCH = 7 }; /* the opcode */

static int acquire(const char *path) {
  DBusMessage *call = method(path, "org.bluez.GattCharacteristic1", "AcquireNotify");
  DBusMessageIter arguments, options;
  dbus_message_iter_init_append(call, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&arguments, &options);
  DBusMessage *reply = blocking(call);
  int descriptor = -1;
  dbus_uint16_t mtu;
  dbus_message_get_args(reply, &failure, DBUS_TYPE_UNIX_FD, &descriptor, DBUS_TYPE_UINT16, &mtu, DBUS_TYPE_INVALID);
  check(descriptor >= 0, "AcquireNotify");
  dbus_message_unref(reply);
  return descriptor;
}

int main(int count, char **arguments) {
  unsigned char value[512];
  window_ns = (uint64_t)(atof(count > 1 ? arguments[1] : "5") * 1e9);
  open_bus(NULL);
  find_tags();
  connect_tags();
  acquire(tags[0].response);
  int descriptor = acquire(tags[0].notification);
  acquire(tags[0].raw_data);
  struct pollfd socket = {.fd = descriptor, .events = POLLIN};
  while (poll(&socket, 1, -1) == 1 && !(socket.revents & POLLHUP))
    for (ssize_t length; (length = recv(descriptor, value, sizeof value, MSG_DONTWAIT)) > 0;) {
      /* Battery and gear come first. */
      if (control_path && (length < 6 || value[5] != TOUCH))
        continue;
      unsigned all = 0;
      for (ssize_t i = 0; i < length; i++)
        all += value[i];
      delivered(all);
    }
  return 1;
}
