/*
 * dongle PATH: a Bluetooth adapter that is plugged in while this runs. It is connected to the kernel through /dev/vhci.
 * Its controller is provided by `btvirt -s` on a socket, whose address, unlike those of `btvirt -l`, does not depend on
 * hciN; or one outside the guest, connected through a virtio-serial port.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The length of an H4 packet of which `size` bytes have arrived; 0 if it is not known yet. */
static size_t length(const uint8_t *packet, size_t size) {
  switch (size > 0 ? packet[0] : 0) {
    case 1: /* command */
    case 3: /* synchronous data */
      return size < 4 ? 0 : 4 + (size_t)packet[3];
    case 4: /* event */
      return size < 3 ? 0 : 3 + (size_t)packet[2];
    case 2: /* asynchronous data */
    case 5: /* isochronous data */
      return size < 5 ? 0 : 5 + packet[3] + ((size_t)(packet[4] & 0x3f) << 8);
    default: return 0;
  }
}

/* Each write passes one packet to the kernel. */
static int from_controller(int controller, int kernel) {
  static uint8_t bytes[1 << 16];
  static size_t size;
  ssize_t count = read(controller, bytes + size, sizeof bytes - size);
  if (count <= 0) return 0;
  size += (size_t)count;
  for (size_t packet; (packet = length(bytes, size)) > 0 && packet <= size;) {
    /* A powered-off adapter accepts nothing. */
    if (write(kernel, bytes, packet) < 0 && errno != ENXIO) return 0;
    memmove(bytes, bytes + packet, size -= packet);
  }
  return 1;
}

static int from_kernel(int kernel, int controller) {
  uint8_t packet[4096];
  ssize_t size = read(kernel, packet, sizeof packet);
  /* 0xff: the kernel reports that the adapter exists. */
  return size > 0 && (packet[0] == 0xff || write(controller, packet, (size_t)size) == size);
}

static int open_controller(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct stat status;
  if (stat(path, &status) == 0 && S_ISCHR(status.st_mode)) return open(path, O_RDWR);
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0 ? -1 : descriptor;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  int controller = open_controller(arguments[1]), kernel = open("/dev/vhci", O_RDWR);
  const uint8_t create[] = {0xff, 0};
  if (controller < 0 || kernel < 0 || write(kernel, create, sizeof create) < 0) {
    perror("dongle");
    return 1;
  }
  struct pollfd events[] = {{.fd = kernel, .events = POLLIN}, {.fd = controller, .events = POLLIN}};
  while (poll(events, 2, -1) > 0 && (!events[0].revents || from_kernel(kernel, controller)) &&
         (!events[1].revents || from_controller(controller, kernel))) {
  }
  fputs("dongle: the kernel or the controller has hung up\n", stderr);
  return 1;
}
