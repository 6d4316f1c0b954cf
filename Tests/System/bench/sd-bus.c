/* The same as bare.c with sd-bus, which reads the signals on a connection of its own: libdbus only subscribes.
   `sd-bus SECONDS [TAGS]`. */
#include "host.h"

#include <systemd/sd-bus.h>

static int is_receiving;

static int look(sd_bus_message *message, void *user_data, sd_bus_error *error) {
  const char *name;
  const unsigned char *bytes;
  size_t length;
  (void)user_data, (void)error;
  if (!is_receiving)
    return 0;
  sd_bus_message_skip(message, "s");
  sd_bus_message_enter_container(message, 'a', "{sv}");
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    sd_bus_message_read_basic(message, 's', &name);
    if (strcmp(name, "Value") != 0 || sd_bus_message_enter_container(message, 'v', "ay") <= 0) {
      sd_bus_message_skip(message, "v");
    } else {
      unsigned all = 0;
      sd_bus_message_read_array(message, 'y', (const void **)&bytes, &length);
      for (size_t i = 0; i < length; i++)
        all += bytes[i];
      delivered(all);
      sd_bus_message_exit_container(message);
    }
    sd_bus_message_exit_container(message);
  }
  return 0;
}

int main(int count, char **arguments) {
  sd_bus *reader = NULL;
  /* First, because the scenario sends a value soon after the subscription. */
  if (sd_bus_open_system(&reader) < 0 ||
      sd_bus_add_match(reader, NULL, CHANGES_OF("org.bluez.GattCharacteristic1"), look, NULL) < 0)
    return 1;
  subscribe_to_values(count, arguments, NULL);
  /* Like the other programs, it ignores the values that have arrived so far. */
  while (sd_bus_process(reader, NULL) > 0)
    continue;
  is_receiving = 1;
  for (int status; (status = sd_bus_process(reader, NULL)) >= 0;)
    if (status == 0 && sd_bus_wait(reader, UINT64_MAX) < 0)
      return 1;
  return 1;
}
