// The service that has the links of all tags: options, the socket of a supervisor, and signals around
// jacquard_service_run().
#include <errno.h>
#include <getopt.h>
#include <jacquard.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

// LimitNOFILE of the units.
#define DESCRIPTORS 8192

static const char usage[] =
    "Usage: jacquardd [--socket PATH] [--bus ADDRESS] [--linger SECONDS] [--idle SECONDS]\n"
    "\n"
    "Has the links of Jacquard tags for all programs, so that they can share them.\n"
    "\n"
    "  --socket PATH     where programs connect; default: the socket of the supervisor that has\n"
    "                    started this program (LISTEN_FDS), else $XDG_RUNTIME_DIR/jacquard/socket\n"
    "  --bus ADDRESS     D-Bus address; default: $DBUS_SYSTEM_BUS_ADDRESS, else the system bus\n"
    "  --linger SECONDS  how long the link to a tag stays after its last program; default: 10\n"
    "  --idle SECONDS    ends when it has had no program for this time; default: never\n"
    "  --version, --help\n";

static int refuse(const char *what, const char *value) {
  fprintf(stderr, "jacquardd: %s: %s\nTry: jacquardd --help\n", what, value);
  return 2;
}

// Seconds as milliseconds; -1 if the text is not a number from 0 to a day.
static long milliseconds(const char *text) {
  char *end;
  errno = 0;
  double seconds = strtod(text, &end);
  return end == text || *end || errno || !(seconds >= 0 && seconds <= 86400) ? -1 : (long)(seconds * 1000);
}

// The socket that a supervisor has passed: sd_listen_fds(3). -1 if there is none.
static int inherited_socket(void) {
  const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  // A supervisor that does not know the number of this process beforehand omits it.
  bool is_for_this = !process || atol(process) == (long)getpid();
  return is_for_this && count && atoi(count) == 1 ? 3 : -1;
}

// Each program needs two descriptors for each of its tags, and the usual limit is 1024. The units set a higher one, and
// forbid to change it.
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The journal adds time and process.
static void write_log(const jacquard_log *log, void *user_data) {
  (void)user_data;
  fprintf(stderr, "%s%s\n", log->level == JACQUARD_LOG_WARNING ? "<4>" : "<6>", log->message);
}

int main(int argc, char **argv) {
  static const struct option names[] = {{"socket", required_argument, NULL, 's'}, {"bus", required_argument, NULL, 'b'},
                                        {"linger", required_argument, NULL, 'l'},
                                        {"idle", required_argument, NULL, 'i'},
                                        {"version", no_argument, NULL, 'v'},      {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  jacquard_service_options options = JACQUARD_SERVICE_OPTIONS_INIT;
  long time;
  for (int name; (name = getopt_long(argc, argv, "", names, NULL)) != -1;) switch (name) {
      case 's': options.socket_path = optarg; break;
      case 'b': options.bus_address = optarg; break;
      case 'l':
      case 'i':
        if ((time = milliseconds(optarg)) < 0) return refuse("not a number of seconds", optarg);
        *(name == 'l' ? &options.linger_ms : &options.idle_ms) = (uint32_t)time;
        break;
      case 'v': printf("jacquardd %s\n", jacquard_version_string()); return 0;
      case 'h': fputs(usage, stdout); return 0;
      default: return 2;
    }
  if (optind < argc) return refuse("unexpected argument", argv[optind]);
  if (!options.socket_path) options.socket_fd = inherited_socket();

  raise_descriptor_limit();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  options.stop_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (jacquard_service_run(&options, write_log, NULL) == 0) return 0;
  fprintf(stderr, "jacquardd: %s\n", jacquard_last_error()->message);
  return 1;
}
