// The service that has the links of all tags: options, the socket of a supervisor, and signals around
// jacquard_service_run().
#include <errno.h>
#include <getopt.h>
#include <jacquard.h>
#include <jacquard/service.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

// LimitNOFILE of the units.
#define DESCRIPTORS 8192
// SD_LISTEN_FDS_START
#define FIRST_INHERITED 3

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

// The number of sockets that a supervisor has passed to this process: sd_listen_fds(3). Null if there are none.
static const char *inherited_count(void) {
  const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  // A supervisor that does not know the number of this process beforehand omits it.
  bool is_for_this = !process || atol(process) == (long)getpid();
  return is_for_this && count && strcmp(count, "0") ? count : NULL;
}

// Each program needs two descriptors for each of its tags, and the usual limit is 1024. The units set a higher one, and
// do not allow changes.
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Standard error is the journal, which reads the level of each line and adds time and process: systemd.exec(5).
static bool logs_to_journal(void) {
  const char *stream = getenv("JOURNAL_STREAM");
  struct stat status;
  char own[64];
  if (!stream || fstat(STDERR_FILENO, &status)) return false;
  snprintf(own, sizeof own, "%llu:%llu", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
  return strcmp(stream, own) == 0;
}

static void write_log(const jacquard_log *log, void *user_data) {
  const bool *to_journal = user_data;
  const char *level = log->level == JACQUARD_LOG_LEVEL_WARNING ? "<4>" : "<6>";
  fprintf(stderr, "%s%s\n", *to_journal ? level : "", log->message);
}

int main(int argc, char **argv) {
  static const struct option names[] = {{"socket", required_argument, NULL, 's'}, {"bus", required_argument, NULL, 'b'},
                                        {"linger", required_argument, NULL, 'l'},
                                        {"idle", required_argument, NULL, 'i'},
                                        {"version", no_argument, NULL, 'v'},      {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  jacquard_service_options options = JACQUARD_SERVICE_OPTIONS_INIT;
  options.linger_ms = 10000;
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
  const char *inherited = inherited_count();
  if (!options.socket_path && inherited) {
    if (strcmp(inherited, "1")) return refuse("LISTEN_FDS must be 1, for one socket", inherited);
    options.has_socket = 1;
    options.socket = FIRST_INHERITED;
  }

  raise_descriptor_limit();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  options.has_stop = 1;
  options.stop = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  bool to_journal = logs_to_journal();
  if (jacquard_service_run(&options, write_log, &to_journal) == 0) return 0;
  fprintf(stderr, "jacquardd: %s\n", jacquard_last_error()->message);
  return 1;
}
