/* The floor below libdbus: it connects and subscribes, but the bus socket is read here, and only the bytes of values
   are found in it. Unlike a reader for programs, it relies on a little-endian bus that sends what the rule matches,
   and validates nothing else. `direct SECONDS [TAGS]`. */
#include "host.h"

#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

#define CHARACTERISTIC "org.bluez.GattCharacteristic1"

/* The start of a message, before the array of the fields that complete the header. */
struct frame {
  uint8_t order, type, flags, version;
  uint32_t body, serial, fields;
};

/* PropertiesChanged(s, a{sv}, as) up to the bytes of the first value, if it is the characteristic's value. */
struct change {
  uint32_t interface_length;
  char interface[sizeof CHARACTERISTIC];
  uint32_t properties_length;
  uint32_t key_length __attribute__((aligned(8)));
  char key[sizeof "Value"], signature_length, signature[sizeof "ay"];
  uint32_t count;
  unsigned char bytes[];
};

static size_t start_of_body(const struct frame *frame) { return (sizeof *frame + frame->fields + 7) & ~(size_t)7; }

/* The length of the frame; zero while it is incomplete. */
static size_t complete_length(const unsigned char *at, size_t held) {
  const struct frame *frame = (const void *)at;
  if (held < sizeof *frame)
    return 0;
  size_t length = start_of_body(frame) + frame->body;
  return length <= held ? length : 0;
}

__attribute__((noinline)) static void look(const unsigned char *bytes, unsigned count) {
  unsigned all = 0;
  for (unsigned i = 0; i < count; i++)
    all += bytes[i];
  delivered(all);
}

static void find_value(const unsigned char *at) {
  const struct frame *frame = (const void *)at;
  const struct change *change = (const void *)(at + start_of_body(frame));
  if (frame->type == DBUS_MESSAGE_TYPE_SIGNAL && frame->body >= offsetof(struct change, bytes) &&
      memcmp(change->interface, CHARACTERISTIC, sizeof CHARACTERISTIC) == 0 &&
      memcmp(change->key, "Value\0\2ay", sizeof "Value\0\2ay") == 0)
    look(change->bytes, change->count);
}

int main(int count, char **arguments) {
  static unsigned char buffer[1 << 16] __attribute__((aligned(8)));
  size_t held = 0;
  struct pollfd socket = {.events = POLLIN};
  subscribe_to_values(count, arguments, CHANGES_OF(CHARACTERISTIC));
  dbus_connection_get_socket(bus, &socket.fd);
  while (poll(&socket, 1, -1) == 1) {
    ssize_t received = recv(socket.fd, buffer + held, sizeof buffer - held, 0);
    if (received <= 0)
      return 1;
    held += (size_t)received;
    size_t read = 0;
    for (size_t length; (length = complete_length(buffer + read, held - read)) > 0; read += length)
      find_value(buffer + read);
    memmove(buffer, buffer + read, held -= read);
  }
  return 1;
}
