/**
 * libjacquard: find, connect to and use Jacquard tags on Linux.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This header is a contract. What is here keeps its name, meaning and layout; new versions only add. It is plain C99
 * and C++11, and what a foreign-function tool can read: no variadic or inline functions, no bit-fields, no structs
 * passed by value, no macros that a caller would need.
 *
 * Conventions
 * -----------
 *
 * Results. A function that can fail returns an int: 0 or a useful value of 0 and more on success, a negative
 *   jacquard_status on failure. After a failure nothing was kept, outputs are untouched and `destroy` is not called;
 *   jacquard_last_error() says more than the number.
 *
 * Handles. jacquard_manager, _scan, _connection, _tag, _component, _subscription and _request are opaque and counted.
 *   What a function hands out through a `**` parameter carries one reference of the caller's; give it back with the
 *   noun's `_unref`, which returns NULL. A handle inside a callback's arguments is borrowed for that call: `_ref` it to
 *   keep it. A handle is a ticket and not an address: one that was given back, was never handed out, or is of another
 *   noun gives JACQUARD_ERROR_INVALID_HANDLE, it does not crash. NULL gives JACQUARD_ERROR_INVALID_ARGUMENT; `_ref` and
 *   `_unref` of such a handle do nothing and return NULL.
 *
 * Strings are UTF-8 and end with NUL. Those passed in are copied before the function returns. Those handed out live as
 *   long as the struct that holds them.
 *
 * Structs that the caller fills begin with struct_size; begin from the noun's `_INIT`, or zero all and set struct_size
 *   to the struct's size. NULL stands for all defaults, and zero is the default of every field. Structs that the
 *   library fills are valid for the callback that delivers them unless their description says otherwise, and may grow
 *   at the end in later versions: never copy them by your own sizeof into a shared format.
 *
 * Callbacks are registered as (callback, user_data, destroy). They run one at a time, and only where the manager's loop
 *   runs: inside jacquard_manager_dispatch() of the thread that calls it, or on the library's own thread after
 *   jacquard_manager_start(). They never run inside the function that registers them. No C++ exception and no longjmp
 *   may leave a callback: its manager would be of no further use. `destroy`, which may be NULL, is called exactly once
 *   with user_data when the library lets go of it: after the last callback, and before any function that ends the
 *   registration returns, or, when that function is called inside the very callback, right after this callback returns.
 *   It runs on the thread that ended the registration first.
 *
 * Ending. After the last `_unref` of a handle, or its `_cancel`, returns, its callbacks do not run any more. If one of
 *   them, or its `destroy`, is running on another thread just then, the function waits for it to return: do not hold a
 *   lock that your callback or `destroy` takes. jacquard_scan_stop() and jacquard_connection_disconnect() ask for an
 *   end that is still told. Where a `**` output may be NULL and is, the library keeps the registration until its owner
 *   ends.
 *
 * Commands complete exactly once, in the order they were given, unless they are cancelled or the manager ends. One
 *   is in flight per tag, from its first request until the tag has answered, or 8 s later; packets of the raw data
 *   channel take their turn as well. A lost link completes all of them at once. Those that only read are sent up to
 *   three times when the tag does not answer, all others once. One that is longer than 1024 bytes is not sent and
 *   completes with JACQUARD_ERROR_INVALID_ARGUMENT. Text from a tag that is not UTF-8 is repaired with U+FFFD. The
 *   error of their callbacks may be JACQUARD_ERROR_STALE_TAG, _STALE_GEAR, _CLOSED, _TIMEOUT, _CONNECTION_LOST,
 *   _DEVICE_GONE, _GATT, _TAG_STATUS or _MALFORMED_RESPONSE; what else a command can say is told with it. All of
 *   them return 0, or JACQUARD_ERROR_INVALID_ARGUMENT, _INVALID_HANDLE or _CLOSED when they were not accepted.
 *
 * Threads. Every function may be called from every thread, also inside callbacks, and none of them blocks, but for the
 *   wait just described. Work starts the next time the loop runs.
 *
 * Processes. Nothing happens at load time. The library installs no signal or exit handlers, writes nothing to stdout or
 *   stderr, and marks its descriptors close-on-exec. After fork() a handle works in the process that made it alone: in
 *   the child every function refuses it with JACQUARD_ERROR_FORKED, and `_ref` and `_unref` do nothing and return NULL.
 *   The child may end in any way, and create managers of its own. The parent's descriptors stay open in it until it
 *   ends or executes another program. A child that is forked inside a callback must not return from the callback.
 *
 * Time is in milliseconds of CLOCK_MONOTONIC, which stands still while the machine sleeps, unless a name says
 *   otherwise.
 */
#ifndef JACQUARD_H
#define JACQUARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
/* Version                                                                                                            */
/* ------------------------------------------------------------------------------------------------------------------ */

/** The version that this header belongs to. */
#define JACQUARD_VERSION_MAJOR 0
#define JACQUARD_VERSION_MINOR 1
#define JACQUARD_VERSION_PATCH 0

/**
 * The version of the library in use, as 0x00MMmmpp: major, minor, patch.
 *
 * @since 0.1
 */
uint32_t jacquard_version(void);

/**
 * The version of the library in use as text, "0.1.0". Static.
 *
 * @since 0.1
 */
const char *jacquard_version_string(void);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Results and errors                                                                                                 */
/* ------------------------------------------------------------------------------------------------------------------ */

/** What a function returns when it fails, and the code of a jacquard_error. Numbers are stable. @since 0.1 */
typedef enum jacquard_status {
  JACQUARD_OK = 0, /**< no failure */

  /* The call itself */
  JACQUARD_ERROR_INVALID_ARGUMENT = -1, /**< an argument is NULL, malformed, of unknown size or out of range */
  JACQUARD_ERROR_INVALID_HANDLE = -2,   /**< given back already, never handed out, or of another noun */
  JACQUARD_ERROR_BUSY = -3,             /**< dispatch is running already, or the loop has a thread of its own */
  JACQUARD_ERROR_CLOSED = -4,           /**< the manager, connection or scan that this belongs to has ended */
  JACQUARD_ERROR_SYSTEM = -5,           /**< the kernel refused a resource; see system_errno */
  JACQUARD_ERROR_TIMEOUT = -6,          /**< no answer within the deadline */
  JACQUARD_ERROR_INTERNAL = -7,         /**< a mistake of this library; please report it */
  JACQUARD_ERROR_FORKED = -8,           /**< the handle belongs to the process before fork() */

  /* The machine */
  JACQUARD_ERROR_BUS_ADDRESS = -20,       /**< the D-Bus address is malformed or not of a unix: transport */
  JACQUARD_ERROR_BUS_UNAVAILABLE = -21,   /**< no D-Bus daemon answers at the address */
  JACQUARD_ERROR_BLUEZ_UNAVAILABLE = -22, /**< nobody owns org.bluez: bluetoothd does not run */
  JACQUARD_ERROR_PERMISSION_DENIED = -23, /**< the bus policy or bluetoothd refuses this user */
  JACQUARD_ERROR_NO_ADAPTER = -24,        /**< no Bluetooth adapter, or not the one asked for */
  JACQUARD_ERROR_POWERED_OFF = -25,       /**< the adapter is switched off */
  JACQUARD_ERROR_ADAPTER_REFUSED = -26,   /**< the controller refuses to scan or connect for now */
  JACQUARD_ERROR_STATE_FILE = -27,        /**< the known tags cannot be read or written; see message and system_errno */

  /* The link */
  JACQUARD_ERROR_NOT_FOUND = -40,       /**< the tag was not seen in time */
  JACQUARD_ERROR_CONNECT_FAILED = -41,  /**< the link could not be made */
  JACQUARD_ERROR_CONNECTION_LOST = -42, /**< the link was there and is gone */
  JACQUARD_ERROR_DEVICE_GONE = -43,     /**< BlueZ forgot the device in between */
  JACQUARD_ERROR_INCOMPLETE_GATT = -44, /**< the Jacquard service or one of its characteristics is missing */
  JACQUARD_ERROR_BOND_LOST = -45,       /**< the tag no longer knows the bond that this machine has */
  JACQUARD_ERROR_GATT = -46,            /**< a GATT operation failed; see att_code */
  JACQUARD_ERROR_STALE_TAG = -47,       /**< this tag handle belongs to a link that has ended */
  JACQUARD_ERROR_STALE_GEAR = -48,      /**< this gear was taken off the tag */
  JACQUARD_ERROR_WRONG_CODE = -49,      /**< the code is not that of the tag's serial number */
  JACQUARD_ERROR_PAIRING_REFUSED = -50, /**< the tag or bluetoothd refused to pair */
  JACQUARD_ERROR_OTHER_OWNER = -51,     /**< the tag is bound to another owner on this machine */
  JACQUARD_ERROR_NOT_BOUND = -52,       /**< the tag demands a bond, or is bound here, and BlueZ has no bond with it */
  JACQUARD_ERROR_IN_USE = -53,          /**< another manager or process has a connection to this tag by this library */

  /* The tag */
  JACQUARD_ERROR_MALFORMED_RESPONSE = -60, /**< the answer lacks what it must hold */
  JACQUARD_ERROR_PROTOCOL_VERSION = -61,   /**< the tag does not speak protocol 2 */
  JACQUARD_ERROR_TAG_STATUS = -62,         /**< the tag answered with an error; see tag_status */
  JACQUARD_ERROR_UNSUPPORTED = -63,        /**< the component has no such ability; nothing was sent */
  JACQUARD_ERROR_UNCHANGED = -64           /**< the tag has this name already; nothing was sent */
} jacquard_status;

/**
 * A status as a short English sentence, for a message to a person. Static; never NULL, also for unknown numbers.
 *
 * @since 0.1
 */
const char *jacquard_status_text(int status);

/**
 * A status as its constant's name, "JACQUARD_ERROR_TIMEOUT", for logs. Static; never NULL.
 *
 * @since 0.1
 */
const char *jacquard_status_name(int status);

/** What went wrong, as far as it is known. @since 0.1 */
typedef struct jacquard_error {
  int32_t code;                /**< a jacquard_status, never JACQUARD_OK */
  int32_t system_errno;        /**< errno of the failed system call, else 0 */
  int32_t att_code;            /**< ATT error code 0x01 to 0xff (Core Specification, volume 3, part F), else 0 */
  int32_t tag_status;          /**< the status number in the tag's answer, else 0 */
  const char *tag_status_name; /**< its name, "BAD_PARAMETER"; NULL when tag_status is 0 */
  const char *dbus_name;       /**< name of the D-Bus error, "org.bluez.Error.Failed"; NULL when there was none */
  const char *message;         /**< what happened, one sentence; never NULL */
  const char *advice;          /**< what can be done about it, one sentence; never NULL */
} jacquard_error;

/**
 * Why a function failed: of the last one on this thread that returned a negative status. To be asked for right after
 * that, for a function that succeeds leaves it as it is.
 *
 * @return valid until another function fails on this thread; NULL when none has
 * @since 0.1
 */
const jacquard_error *jacquard_last_error(void);

/** Called when the library lets go of user_data: see "Callbacks" above. @since 0.1 */
typedef void (*jacquard_destroy_callback)(void *user_data);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Manager: one connection to the bus and one loop                                                                    */
/* ------------------------------------------------------------------------------------------------------------------ */

/** One D-Bus connection, one loop, and everything found through them. @since 0.1 */
typedef struct jacquard_manager jacquard_manager;
/** A running search for tags. @since 0.1 */
typedef struct jacquard_scan jacquard_scan;
/** The wish to stay connected to one tag. @since 0.1 */
typedef struct jacquard_connection jacquard_connection;
/** A tag during one life of its link. @since 0.1 */
typedef struct jacquard_tag jacquard_tag;
/** A registered callback for events that may come many times. @since 0.1 */
typedef struct jacquard_subscription jacquard_subscription;
/** A command on its way to a tag. @since 0.1 */
typedef struct jacquard_request jacquard_request;
/** The tag itself, or a piece of gear that it is attached to. @since 0.1 */
typedef struct jacquard_component jacquard_component;

/** How a manager is made. @since 0.1 */
typedef struct jacquard_manager_options {
  uint32_t struct_size;    /**< sizeof(jacquard_manager_options) */
  const char *bus_address; /**< D-Bus address, unix: only; NULL: $DBUS_SYSTEM_BUS_ADDRESS, else the system bus */
  const char *adapter;     /**< address "00:11:22:33:44:55" of the adapter to use; NULL: the first powered one */
  const char *state_directory; /**< absolute path of where the known tags are kept; NULL: $XDG_STATE_HOME/jacquard, else
                                    ~/.local/state/jacquard. It is made when there is something to keep. */
  const char *restore_id;  /**< 1 to 255 bytes, chosen by the program: see jacquard_manager_on_restore(); NULL: nothing
                                is remembered of what is wanted */
  uint32_t auto_connect;   /**< 1: connects by itself to the tags that were wanted; needs a restore_id */
} jacquard_manager_options;

#define JACQUARD_MANAGER_OPTIONS_INIT { (uint32_t)sizeof(jacquard_manager_options), NULL, NULL, NULL, NULL, 0 }

/**
 * Makes a manager. It connects to the bus when its loop first runs, and again whenever the bus or bluetoothd comes
 * back: a machine without Bluetooth is a state of jacquard_manager_on_adapter(), not an error here.
 *
 * @param options NULL for the defaults
 * @param manager receives the manager, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_BUS_ADDRESS, JACQUARD_ERROR_SYSTEM (no descriptors left)
 * @since 0.1
 */
int jacquard_manager_new(const jacquard_manager_options *options, jacquard_manager **manager);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_manager *jacquard_manager_ref(jacquard_manager *manager);

/**
 * Gives a reference back. The last one ends everything under the manager: links are dropped, threads and descriptors
 * are gone and no callback runs any more when it returns. Requests still under way end with their `destroy` only.
 * Handles of its scans, connections and tags stay valid until they are given back, and answer JACQUARD_ERROR_CLOSED.
 *
 * @return NULL
 * @since 0.1
 */
jacquard_manager *jacquard_manager_unref(jacquard_manager *manager);

/**
 * The one descriptor to poll for reading in the caller's own loop; call jacquard_manager_dispatch() when it is
 * readable. It stands for timers too: no time-out needs to be asked for. It belongs to the manager; do not close or
 * read it.
 *
 * @return a descriptor, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_get_fd(jacquard_manager *manager);

/**
 * Runs what is ready, callbacks among it, and returns without waiting. A bounded amount of work is done per call; the
 * descriptor stays readable while there is more.
 *
 * @return 0, JACQUARD_ERROR_BUSY (called inside a callback, while another thread dispatches, or after
 *   jacquard_manager_start()), JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_manager_dispatch(jacquard_manager *manager);

/**
 * Starts one thread that runs the loop until the manager's last reference is given back. The thread blocks all signals.
 *
 * @return 0, JACQUARD_ERROR_BUSY (started before, or a dispatch is running), JACQUARD_ERROR_INVALID_ARGUMENT,
 *   JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_manager_start(jacquard_manager *manager);

/** Importance of a log message, most important first. @since 0.1 */
typedef enum jacquard_log_level {
  JACQUARD_LOG_WARNING = 1, /**< something was dropped or refused; the library goes on */
  JACQUARD_LOG_INFO = 2,    /**< state changes worth a line in a log file */
  JACQUARD_LOG_DEBUG = 3    /**< every step */
} jacquard_log_level;

/** One log message. @since 0.1 */
typedef struct jacquard_log {
  jacquard_log_level level; /**< importance */
  const char *part;         /**< part of the library: "bus", "bluez", "scan", "link", "wire", "state" */
  const char *message;      /**< one line without its end */
} jacquard_log;

/** Receives log messages. @since 0.1 */
typedef void (*jacquard_log_callback)(const jacquard_log *log, void *user_data);

/**
 * Sends log messages up to `level` to a callback; the only way to see them. Several may be registered.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the manager lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_log(jacquard_manager *manager, jacquard_log_level level, jacquard_log_callback callback,
                            void *user_data, jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Adapter                                                                                                            */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Whether Bluetooth can be used. Names and meanings follow CBManagerState of Core Bluetooth. @since 0.1 */
typedef enum jacquard_adapter_state {
  JACQUARD_ADAPTER_UNKNOWN = 0,      /**< not known yet */
  JACQUARD_ADAPTER_RESETTING = 1,    /**< bluetoothd or the bus has gone, or does not answer, and is waited for */
  JACQUARD_ADAPTER_UNSUPPORTED = 2,  /**< no bus, no bluetoothd or no adapter: see error */
  JACQUARD_ADAPTER_UNAUTHORIZED = 3, /**< this user may not use Bluetooth: see error */
  JACQUARD_ADAPTER_POWERED_OFF = 4,  /**< switched off, perhaps by rfkill */
  JACQUARD_ADAPTER_POWERED_ON = 5    /**< ready */
} jacquard_adapter_state;

/** The adapter in use, or why there is none. @since 0.1 */
typedef struct jacquard_adapter {
  jacquard_manager *manager;    /**< borrowed */
  jacquard_adapter_state state; /**< whether it can be used */
  const char *address;          /**< "00:11:22:33:44:55", "" while there is none */
  const char *name;             /**< the adapter's alias, "" while there is none */
  const jacquard_error *error;  /**< why it cannot be used; NULL when POWERED_ON or UNKNOWN */
} jacquard_adapter;

/** Receives the adapter's state. @since 0.1 */
typedef void (*jacquard_adapter_callback)(const jacquard_adapter *adapter, void *user_data);

/**
 * Delivers the adapter's state: the current one soon after the call, then each change.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the manager lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_adapter(jacquard_manager *manager, jacquard_adapter_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/** A state as a word, "powered on". Static; never NULL. @since 0.1 */
const char *jacquard_adapter_state_name(jacquard_adapter_state state);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Scanning                                                                                                           */
/* ------------------------------------------------------------------------------------------------------------------ */

/** The rssi of a tag whose signal strength is not known, as in HCI (Core Specification, volume 4, part E). */
#define JACQUARD_RSSI_UNKNOWN 127

/** What to look for, and for how long. @since 0.1 */
typedef struct jacquard_scan_options {
  uint32_t struct_size;      /**< sizeof(jacquard_scan_options) */
  uint32_t timeout_ms;       /**< the scan ends after this time; 0: never */
  const char *serial;        /**< the serial number a tag advertises, or a longer one that ends with it, in letters of
                                  either case; NULL: any */
  int32_t minimum_rssi;      /**< in dBm, -127 to 20; weaker ones and unknown strengths are left out; 0: any */
  uint32_t every_report;     /**< 0: each tag once, and again when 1024 others were seen since; 1: each report that
                                  BlueZ makes of it */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
} jacquard_scan_options;

#define JACQUARD_SCAN_OPTIONS_INIT { (uint32_t)sizeof(jacquard_scan_options), 0, NULL, 0, 0, 0 }

/** A tag that was seen. @since 0.1 */
typedef struct jacquard_advertisement {
  jacquard_manager *manager; /**< borrowed */
  const char *identifier;    /**< what to connect to and to store: a UUID, the same on every adapter and machine */
  const char *serial;        /**< the end of the number printed on the tag, "01ZK"; "" when it does not advertise it */
  const char *name;          /**< advertised name, "Jacquard-01ZK"; "" when there is none */
  const char *address;       /**< Bluetooth address "C0:FF:EE:00:00:01" */
  int32_t rssi;              /**< signal strength of this report in dBm, or JACQUARD_RSSI_UNKNOWN */
  uint32_t bonded;           /**< 1: this machine has a bond with it */
  uint32_t connected;        /**< 1: it is connected to this machine already, perhaps by another program */
} jacquard_advertisement;

/** Receives tags as they are seen. `scan` is borrowed. @since 0.1 */
typedef void (*jacquard_advertisement_callback)(jacquard_scan *scan, const jacquard_advertisement *advertisement,
                                                void *user_data);

/** Why a scan ended. @since 0.1 */
typedef enum jacquard_scan_end {
  JACQUARD_SCAN_TIMED_OUT = 1,         /**< its time is over */
  JACQUARD_SCAN_POWERED_OFF = 2,       /**< the adapter is off: see error */
  JACQUARD_SCAN_ADAPTER_GONE = 3,      /**< no adapter, no bluetoothd or no bus: see error */
  JACQUARD_SCAN_PERMISSION_DENIED = 4, /**< this user may not use Bluetooth: see error */
  JACQUARD_SCAN_ERROR = 5,             /**< see error */
  JACQUARD_SCAN_STOPPED = 6            /**< by jacquard_scan_stop() */
} jacquard_scan_end;

/** Called once when a scan ends. `error` is NULL for TIMED_OUT and STOPPED. `scan` is borrowed. @since 0.1 */
typedef void (*jacquard_scan_end_callback)(jacquard_scan *scan, jacquard_scan_end reason, const jacquard_error *error,
                                           void *user_data);

/**
 * Looks for tags: advertisements that carry the Jacquard service, filtered here once more because BlueZ merges the
 * filters of all programs. Tags that are connected to this machine already, and so silent, are reported first.
 * A scan goes on through a restart of bluetoothd or of the bus.
 *
 * @param options NULL for the defaults
 * @param on_advertisement called for each tag found
 * @param on_end called once when the scan ends, may be NULL; not called when it ends with the last reference to it, or
 *   with the manager
 * @param user_data handed to both
 * @param destroy called when the scan has ended, or NULL
 * @param scan receives a handle, or NULL: it runs until it ends by itself or the manager does
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_scan(jacquard_manager *manager, const jacquard_scan_options *options,
                          jacquard_advertisement_callback on_advertisement, jacquard_scan_end_callback on_end,
                          void *user_data, jacquard_destroy_callback destroy, jacquard_scan **scan);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_scan *jacquard_scan_ref(jacquard_scan *scan);

/** Gives a reference back; the last one ends the scan without on_end. @return NULL @since 0.1 */
jacquard_scan *jacquard_scan_unref(jacquard_scan *scan);

/**
 * Stops a scan: no advertisement comes after it returns. on_end follows once, with JACQUARD_SCAN_STOPPED, when the loop
 * runs, and then `destroy`. Stopping one that has ended is not an error.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_scan_stop(jacquard_scan *scan);

/**
 * Whether a scan goes on. It does from the moment it was asked for, also while it waits for an adapter, until it is
 * stopped or has ended; when on_end runs it is over.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_scan_is_running(jacquard_scan *scan);

/**
 * Whether any scan of a manager goes on. What its connections do to find their tags is no scan.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_is_scanning(jacquard_manager *manager);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Connection                                                                                                         */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Where a connection is on its way. @since 0.1 */
typedef enum jacquard_phase {
  JACQUARD_PHASE_DISCONNECTED = 0,   /**< ended; nobody will retry */
  JACQUARD_PHASE_PREPARING = 1,      /**< no link; waiting for the adapter, the tag, or the next attempt */
  JACQUARD_PHASE_CONNECTING = 2,     /**< the link is being made and its services found */
  JACQUARD_PHASE_AUTHENTICATING = 3, /**< pairing */
  JACQUARD_PHASE_INITIALIZING = 4,   /**< agreeing on the protocol with the tag */
  JACQUARD_PHASE_CONFIGURING = 5,    /**< setting the tag up */
  JACQUARD_PHASE_CONNECTED = 6       /**< ready; the state holds a tag */
} jacquard_phase;

/** A phase as a word, "connecting". Static; never NULL. @since 0.1 */
const char *jacquard_phase_name(jacquard_phase phase);

/** How to connect. @since 0.1 */
typedef struct jacquard_connect_options {
  uint32_t struct_size;      /**< sizeof(jacquard_connect_options) */
  uint32_t timeout_ms;       /**< the first connection must be made in this time; 0: 60 s, or no limit for a tag that is
                                  bound here; UINT32_MAX: no limit */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  const char *owner;         /**< whose tag it must be if it is bound here to anybody; NULL: any */
} jacquard_connect_options;

#define JACQUARD_CONNECT_OPTIONS_INIT { (uint32_t)sizeof(jacquard_connect_options), 0, 0, NULL }

/**
 * Why a link ended. BlueZ 5.83 and later tells the first six; before that, the library tells LOCAL of links that it
 * has ended itself and SUSPEND when the machine has slept. The last two are what it sees happen.
 *
 * @since 0.1
 */
typedef enum jacquard_disconnect_reason {
  JACQUARD_DISCONNECT_NONE = 0,           /**< no link has ended, or there is one again */
  JACQUARD_DISCONNECT_UNKNOWN = 1,        /**< nobody said why */
  JACQUARD_DISCONNECT_TIMEOUT = 2,        /**< the tag was not heard any more: out of range or out of power */
  JACQUARD_DISCONNECT_LOCAL = 3,          /**< this machine ended it: this program, another one, or BlueZ */
  JACQUARD_DISCONNECT_REMOTE = 4,         /**< the tag ended it */
  JACQUARD_DISCONNECT_AUTHENTICATION = 5, /**< tag and machine could not authenticate each other */
  JACQUARD_DISCONNECT_SUSPEND = 6,        /**< the machine went to sleep */
  JACQUARD_DISCONNECT_POWERED_OFF = 7,    /**< the adapter was switched off */
  JACQUARD_DISCONNECT_SERVICE_GONE = 8    /**< bluetoothd, the bus or the adapter has gone */
} jacquard_disconnect_reason;

/**
 * The state of a connection.
 *
 * The steps, each an event that was seen: 1 adapter ready, 2 tag known to BlueZ, 3 link up, 4 services resolved, 5 the
 * four characteristics found, 6 to 8 notifications enabled on each of three, 9 hello written, 10 hello, 11 begin and
 * 12 device information answered, 13 configuration accepted, 14 connected.
 *
 * @since 0.1
 */
typedef struct jacquard_connection_state {
  jacquard_manager *manager;       /**< borrowed */
  jacquard_connection *connection; /**< borrowed */
  jacquard_tag *tag;               /**< borrowed; only when CONNECTED, else NULL; another one after each reconnection */
  jacquard_phase phase;            /**< where it is */
  uint32_t step;                   /**< the last step done, 0 to total_steps */
  uint32_t total_steps;            /**< 14 */
  uint32_t attempt;                /**< which try this is, from 1; 1 again after a link was lost */
  const jacquard_error *reason;    /**< why the last try or link ended; NULL at first, when CONNECTED, and after
                                        jacquard_connection_disconnect() */
  jacquard_disconnect_reason disconnect_reason; /**< why the last link ended, through failed tries as well; the cause
                                        may become known a moment later: then the state is delivered once more */
  const char *identifier;          /**< of the tag, as in jacquard_advertisement */
} jacquard_connection_state;

/** Receives the state of a connection. @since 0.1 */
typedef void (*jacquard_connection_callback)(const jacquard_connection_state *state, void *user_data);

/**
 * Connects to a tag and keeps it connected: after a lost link, a restart of bluetoothd or of the bus it goes back to
 * PREPARING and tries again until the caller ends it. The first connection must be made within timeout_ms.
 * It ends in DISCONNECTED by jacquard_connection_disconnect(), when the first connection is not made in time, when the
 * adapter is off or missing (unless wait_for_adapter), or when trying again cannot help: JACQUARD_ERROR_BOND_LOST,
 * _NOT_BOUND, _OTHER_OWNER, _PROTOCOL_VERSION or _IN_USE.
 *
 * @param identifier from a jacquard_advertisement, of this or an earlier run
 * @param options NULL for the defaults
 * @param on_state called with the current state soon after the call and then at each change; may be NULL
 * @param connection receives the connection, with one reference: it lives as long as that
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: not a UUID), JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_BUSY (this manager has a connection to this tag that has not ended)
 * @since 0.1
 */
int jacquard_manager_connect(jacquard_manager *manager, const char *identifier, const jacquard_connect_options *options,
                             jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_connection **connection);

/** Something that an application keeps with a tag. It stays as it is, so that arrays can be made of it. @since 0.1 */
typedef struct jacquard_profile_entry {
  const char *key;   /**< 1 to 256 bytes, each key once */
  const char *value; /**< up to 4096 bytes */
} jacquard_profile_entry;

/** How to bind. @since 0.1 */
typedef struct jacquard_bind_options {
  uint32_t struct_size;      /**< sizeof(jacquard_bind_options) */
  uint32_t timeout_ms;       /**< the tag must be bound and connected in this time; 0: 60 s; UINT32_MAX: no limit */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  const char *code;          /**< the number printed on the tag, or at least the last 4 characters of it, in letters of
                                  either case; never NULL */
  const char *owner;         /**< 1 to 256 bytes; NULL: whoever it is bound to already, or nobody in particular */
  const jacquard_profile_entry *profile; /**< kept with the tag; NULL: what is kept already */
  size_t profile_count;      /**< up to 64 */
} jacquard_bind_options;

#define JACQUARD_BIND_OPTIONS_INIT { (uint32_t)sizeof(jacquard_bind_options), 0, 0, NULL, NULL, NULL, 0 }

/**
 * Connects to a tag for the first time, as jacquard_manager_connect() does, and binds it on the way: checks the code
 * against the serial number, first the end that the tag advertises, later the whole that it tells; bonds with it, with
 * a pairing agent of the library's own; and remembers it. The phase is AUTHENTICATING while BlueZ pairs. From then on
 * jacquard_manager_connect() is enough, with the same identifier and without the code. What is begun and does not come
 * to its end is taken back. A tag that is bound already keeps its bond; owner and profile are changed as asked for.
 *
 * The connection ends also with JACQUARD_ERROR_WRONG_CODE, _PAIRING_REFUSED, _OTHER_OWNER and _STATE_FILE. The owner is
 * known to this machine alone: the tag does not know it.
 *
 * @param options with the code
 * @return as jacquard_manager_connect(); JACQUARD_ERROR_INVALID_ARGUMENT also when there is no code or it has fewer
 *   than 4 characters
 * @since 0.1
 */
int jacquard_manager_bind(jacquard_manager *manager, const char *identifier, const jacquard_bind_options *options,
                          jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                          jacquard_connection **connection);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_connection *jacquard_connection_ref(jacquard_connection *connection);

/** Gives a reference back; the last one drops the link and ends its subscriptions. @return NULL @since 0.1 */
jacquard_connection *jacquard_connection_unref(jacquard_connection *connection);

/**
 * Ends the wish: drops the link. DISCONNECTED is delivered when the link is down. A tag that is bound stays bound; it
 * is not wanted any more at the next start (see jacquard_manager_on_restore()).
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_disconnect(jacquard_connection *connection);

/**
 * Delivers the connection's state to one more callback: the current one soon after the call, then each change.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_state(jacquard_connection *connection, jacquard_connection_callback callback,
                                 void *user_data, jacquard_destroy_callback destroy,
                                 jacquard_subscription **subscription);

/**
 * Delivers the states of all connections of a manager, those to come as well: soon after the call the current state of
 * each that has not ended, then every change. The last one of a connection is DISCONNECTED; where its last reference
 * has been given back, `connection` and `tag` are NULL.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the manager lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_on_connection(jacquard_manager *manager, jacquard_connection_callback callback, void *user_data,
                                   jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * The phase that a connection is in, as of the last state it delivered.
 *
 * @return a jacquard_phase, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_get_phase(jacquard_connection *connection);

/**
 * Whether a connection is CONNECTED.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_is_connected(jacquard_connection *connection);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_subscription *jacquard_subscription_ref(jacquard_subscription *subscription);

/** Gives a reference back; the last one cancels it. @return NULL @since 0.1 */
jacquard_subscription *jacquard_subscription_unref(jacquard_subscription *subscription);

/**
 * Ends a subscription. Cancelling it again, or after its owner ended, is not an error.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_subscription_cancel(jacquard_subscription *subscription);

/* Known tags ------------------------------------------------------------------------------------------------------- */

/** A tag that is bound to this machine. @since 0.1 */
typedef struct jacquard_known_tag {
  jacquard_manager *manager;             /**< borrowed */
  const char *identifier;                /**< as in jacquard_advertisement */
  const char *address;                   /**< Bluetooth address */
  const char *serial;                    /**< whole serial number; "" when the tag does not tell it */
  const char *name;                      /**< as of the last connection */
  const char *owner;                     /**< "" for nobody in particular */
  const jacquard_profile_entry *profile; /**< as given; NULL when there is none */
  size_t profile_count;                  /**< how many entries */
  int64_t bound_at;                      /**< seconds since 1970 */
  int64_t last_connected;                /**< seconds since 1970 */
  uint32_t wanted;                       /**< 1: wanted by the programs of this manager's restore_id */
} jacquard_known_tag;

/** Receives the known tags, or an error: an array of `count` pointers, valid during the callback. @since 0.1 */
typedef void (*jacquard_known_tags_callback)(const jacquard_known_tag *const *tags, size_t count,
                                             const jacquard_error *error, void *user_data);

/** Completes a command that answers with success or failure only: `error` is NULL on success. @since 0.1 */
typedef void (*jacquard_done_callback)(const jacquard_error *error, void *user_data);

/**
 * Lists the tags that are bound to this machine by this user, in the order in which they were bound. No Bluetooth is
 * needed for it.
 *
 * @param callback called once, with an error of code JACQUARD_ERROR_STATE_FILE when they cannot be read
 * @param request receives a handle to cancel it with, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_list_known(jacquard_manager *manager, jacquard_known_tags_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Replaces the profile of a known tag. No Bluetooth is needed for it.
 *
 * @param profile copied; NULL when profile_count is 0
 * @param callback called once; codes: JACQUARD_ERROR_NOT_FOUND (no such tag is known), JACQUARD_ERROR_STATE_FILE
 * @param request receives a handle to cancel it with, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_update_known(jacquard_manager *manager, const char *identifier,
                                  const jacquard_profile_entry *profile, size_t profile_count,
                                  jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                  jacquard_request **request);

/**
 * Forgets a tag: ends the connection that this manager has to it, removes it from BlueZ with its bond on every adapter,
 * and then from the known tags. A tag that is bonded without being known here is removed from BlueZ likewise. The tag
 * itself keeps its half of the bond.
 *
 * @param callback called once; codes: JACQUARD_ERROR_NOT_FOUND (no such tag is known here or bonded),
 *   JACQUARD_ERROR_BLUEZ_UNAVAILABLE, _BUS_UNAVAILABLE or _PERMISSION_DENIED (nothing was changed),
 *   JACQUARD_ERROR_POWERED_OFF, JACQUARD_ERROR_STATE_FILE
 * @param request receives a handle to cancel it with, or NULL; what has begun then still takes place
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_unbind(jacquard_manager *manager, const char *identifier, jacquard_done_callback callback,
                            void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** A tag that was wanted when the last manager of this restore id ended. @since 0.1 */
typedef struct jacquard_restoration {
  jacquard_manager *manager;       /**< borrowed */
  const char *identifier;          /**< as in jacquard_advertisement; NULL with an error */
  const jacquard_known_tag *known; /**< NULL when it is not bound to this machine */
  jacquard_connection *connection; /**< with auto_connect, borrowed; else NULL */
  const jacquard_error *error;     /**< JACQUARD_ERROR_STATE_FILE: what was wanted cannot be read; else NULL */
} jacquard_restoration;

/** Receives what was wanted. @since 0.1 */
typedef void (*jacquard_restoration_callback)(const jacquard_restoration *restoration, void *user_data);

/**
 * Tells which tags were wanted when the last manager with this restore_id ended, by jacquard_manager_unref(), by the
 * end of its process or by the end of the machine: one call for each, soon after the loop first runs, or soon after
 * this call when that was before. A tag is wanted from jacquard_manager_connect() or jacquard_manager_bind() on until
 * jacquard_connection_disconnect(), jacquard_manager_unbind(), or an error that only a person can mend: those named
 * with the two functions, but for _IN_USE, _PROTOCOL_VERSION and _STATE_FILE. Giving the connection's handle back does not count.
 *
 * With auto_connect in the manager's options the library connects to each of them by itself, without a limit in time
 * and waiting for the adapter. It keeps a reference to such a connection until the manager ends, so taking one and
 * giving it back ends nothing; jacquard_connection_disconnect() does.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the manager lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: the manager has no restore_id), JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_on_restore(jacquard_manager *manager, jacquard_restoration_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Tag                                                                                                                */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_tag *jacquard_tag_ref(jacquard_tag *tag);

/** Gives a reference back. Commands under way go on. @return NULL @since 0.1 */
jacquard_tag *jacquard_tag_unref(jacquard_tag *tag);

/** What the tag said of itself while connecting. Lives as long as the tag handle. @since 0.1 */
typedef struct jacquard_tag_info {
  const char *identifier;   /**< as in jacquard_advertisement */
  const char *address;      /**< Bluetooth address */
  const char *name;         /**< name of the link, "Jacquard-01ZK" */
  const char *serial;       /**< the tag's whole serial number: the third dash-separated part of uuid; "" if none */
  const char *uuid;         /**< manufacturing id */
  const char *vendor;       /**< "Google Inc." */
  const char *model;        /**< "UJT" */
  uint32_t vendor_id;       /**< 0x117830C8 for Google */
  uint32_t product_id;      /**< 0x283BE7A0 for the tag */
  uint32_t revision;        /**< of the hardware */
  uint32_t firmware[3];     /**< major, minor, point */
  uint32_t bootloader[3];   /**< major, minor, point */
} jacquard_tag_info;

/**
 * What the tag said of itself while connecting.
 *
 * @param info receives a pointer that lives as long as the tag handle; a stale tag still has it
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_tag_get_info(jacquard_tag *tag, const jacquard_tag_info **info);

/** How to send a command. @since 0.1 */
typedef struct jacquard_request_options {
  uint32_t struct_size; /**< sizeof(jacquard_request_options) */
  uint32_t timeout_ms;  /**< how long the command may take from the moment when its first request has been written,
                             repetitions and further requests included; the wait for its turn does not count. After that
                             it completes with JACQUARD_ERROR_TIMEOUT. The tag may still carry it out; the next command
                             is sent when the tag has answered, at the latest 8 s after the request was written. 0: 8 s
                             for each attempt of each request */
} jacquard_request_options;

#define JACQUARD_REQUEST_OPTIONS_INIT { (uint32_t)sizeof(jacquard_request_options), 0 }

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_request *jacquard_request_ref(jacquard_request *request);

/** Gives a reference back; the last one cancels it. @return NULL @since 0.1 */
jacquard_request *jacquard_request_unref(jacquard_request *request);

/**
 * Withdraws a command: its callback does not run any more. A command that the tag has received already still takes
 * effect there. Cancelling a completed one is not an error.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_request_cancel(jacquard_request *request);

/* Battery ---------------------------------------------------------------------------------------------------------- */

/** The tag's battery. @since 0.1 */
typedef struct jacquard_battery {
  uint32_t percent;  /**< 0 to 100 */
  uint32_t charging; /**< 1: on USB power */
} jacquard_battery;

/** Completes a battery command: exactly one of the two is not NULL. @since 0.1 */
typedef void (*jacquard_battery_callback)(const jacquard_battery *battery, const jacquard_error *error,
                                          void *user_data);

/**
 * Asks the tag for its battery. See "Commands" above.
 *
 * @param options NULL for the defaults
 * @param callback called once, unless the command is cancelled or the manager ends
 * @param request receives a handle to cancel it with, or NULL
 * @since 0.1
 */
int jacquard_tag_read_battery(jacquard_tag *tag, const jacquard_request_options *options,
                              jacquard_battery_callback callback, void *user_data, jacquard_destroy_callback destroy,
                              jacquard_request **request);

/** Receives battery notifications. @since 0.1 */
typedef void (*jacquard_battery_event_callback)(const jacquard_battery *battery, void *user_data);

/**
 * Delivers the tag's battery notifications: one comes right after connecting, then they come as the tag sees fit. A
 * new subscriber gets the last one of the running link at once. The subscription outlives the link.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_battery(jacquard_connection *connection, jacquard_battery_event_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy,
                                   jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Components: the tag and its gear                                                                                   */
/* ------------------------------------------------------------------------------------------------------------------ */

/** What a component can do; a set is the sum of these. @since 0.1 */
typedef enum jacquard_capability {
  JACQUARD_CAPABILITY_LED = 1,     /**< plays LED patterns */
  JACQUARD_CAPABILITY_GESTURE = 2, /**< reports gestures */
  JACQUARD_CAPABILITY_TOUCH = 4,   /**< streams touch data */
  JACQUARD_CAPABILITY_HAPTIC = 8   /**< vibrates */
} jacquard_capability;

/** What is known of a component. Lives as long as its handle. @since 0.1 */
typedef struct jacquard_component_info {
  uint32_t id;                /**< 0: the tag; else a number that holds for this attachment only */
  uint32_t vendor_id;         /**< 0x74A8CE54 for Levi's */
  uint32_t product_id;        /**< 0x8A6650F4 for the Trucker Jacket */
  const char *vendor;         /**< "Levi's"; "" for one that this version does not know */
  const char *product;        /**< "Trucker Jacket"; "" for one that this version does not know */
  const char *vendor_text;    /**< the vendor id as Jacquard writes it, "74-a8-ce-54" */
  const char *product_text;   /**< the product id likewise */
  uint32_t capabilities;      /**< sum of jacquard_capability; 0 for one that this version does not know */
  const char *uuid;           /**< manufacturing id; "" when the gear did not tell it */
  uint32_t firmware[3];       /**< major, minor, point; zeros when the gear did not tell it */
} jacquard_component_info;

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_component *jacquard_component_ref(jacquard_component *component);

/** Gives a reference back. Commands under way go on. @return NULL @since 0.1 */
jacquard_component *jacquard_component_unref(jacquard_component *component);

/**
 * The tag itself as a component.
 *
 * @param component receives the component, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_tag_get_component(jacquard_tag *tag, jacquard_component **component);

/**
 * What is known of a component, without asking it.
 *
 * @param info receives a pointer that lives as long as the component handle
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_component_get_info(jacquard_component *component, const jacquard_component_info **info);

/**
 * Whether a component has an ability. A command that needs one it lacks completes with JACQUARD_ERROR_UNSUPPORTED, and
 * nothing is sent.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: not one capability), JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_component_supports(jacquard_component *component, jacquard_capability capability);

/** Receives what a component says of itself: exactly one of the two is not NULL. @since 0.1 */
typedef void (*jacquard_component_info_callback)(const jacquard_component_info *info, const jacquard_error *error,
                                                 void *user_data);

/** Asks a component for its version and manufacturing id anew. See "Commands" above. @since 0.1 */
int jacquard_component_read_info(jacquard_component *component, const jacquard_request_options *options,
                                 jacquard_component_info_callback callback, void *user_data,
                                 jacquard_destroy_callback destroy, jacquard_request **request);

/** The gear that a tag sits in. @since 0.1 */
typedef struct jacquard_gear {
  jacquard_connection *connection; /**< borrowed */
  jacquard_component *component;   /**< borrowed; NULL: the tag sits in no gear, or the link is lost */
} jacquard_gear;

/** Receives the gear. @since 0.1 */
typedef void (*jacquard_gear_callback)(const jacquard_gear *gear, void *user_data);

/**
 * Delivers the gear that the tag is attached to, or NULL for none, whenever it changes. A new subscriber gets the
 * latest of the running link at once, unless the tag has not said yet. Gear is set to gesture mode when it is attached
 * before it is delivered here, or after a lost link to the mode it had (jacquard_component_set_touch_mode()).
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_gear(jacquard_connection *connection, jacquard_gear_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* LED -------------------------------------------------------------------------------------------------------------- */

/** How a pattern moves. Numbers are the tag's own. @since 0.1 */
typedef enum jacquard_led_type {
  JACQUARD_LED_SOLID = 1,        /**< stays as it is */
  JACQUARD_LED_BREATHING = 2,    /**< swells and fades slowly */
  JACQUARD_LED_PULSING = 3,      /**< swells and fades quickly */
  JACQUARD_LED_SINGLE_BLINK = 4, /**< flashes once */
  JACQUARD_LED_DOUBLE_BLINK = 5, /**< flashes twice */
  JACQUARD_LED_TRIPLE_BLINK = 6, /**< flashes three times */
  JACQUARD_LED_CUSTOM = 7        /**< the frames, one after the other */
} jacquard_led_type;

/** One colour for a while. @since 0.1 */
typedef struct jacquard_led_frame {
  uint8_t red;        /**< 0 to 255 */
  uint8_t green;      /**< 0 to 255 */
  uint8_t blue;       /**< 0 to 255 */
  uint8_t reserved;   /**< 0 */
  uint32_t length_ms; /**< how long it shows */
} jacquard_led_frame;

/** An LED pattern. @since 0.1 */
typedef struct jacquard_led_pattern {
  uint32_t struct_size;             /**< sizeof(jacquard_led_pattern) */
  jacquard_led_type type;           /**< how it moves; 0: CUSTOM */
  const jacquard_led_frame *frames; /**< copied; NULL only with halt_all */
  uint32_t frame_count;             /**< about 60 fit: a command is at most 1024 bytes */
  uint32_t duration_ms;             /**< of the whole; frames repeat until it is over; 0: the frames once */
  uint32_t intensity;               /**< percent, 1 to 100; 0: 100 */
  uint32_t toggle;                  /**< 1: the same pattern sent again stops it */
  uint32_t resumable;               /**< 1: goes on when another pattern has interrupted it */
  uint32_t halt_all;                /**< 1: stops whatever plays */
} jacquard_led_pattern;

#define JACQUARD_LED_PATTERN_INIT \
  { (uint32_t)sizeof(jacquard_led_pattern), JACQUARD_LED_CUSTOM, NULL, 0, 0, 0, 0, 0, 0 }

/**
 * Plays an LED pattern on the tag or on gear. See "Commands" above; needs JACQUARD_CAPABILITY_LED.
 *
 * @param pattern copied; JACQUARD_ERROR_INVALID_ARGUMENT when a field is out of range or the command would exceed 1024
 *   bytes
 * @since 0.1
 */
int jacquard_component_play_led(jacquard_component *component, const jacquard_led_pattern *pattern,
                                const jacquard_request_options *options, jacquard_done_callback callback,
                                void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* Haptic ----------------------------------------------------------------------------------------------------------- */

/** How a vibration rises or falls. Numbers are the tag's own. @since 0.1 */
typedef enum jacquard_haptic_type {
  JACQUARD_HAPTIC_HALT = 0,               /**< stops whatever vibrates */
  JACQUARD_HAPTIC_SINE_INCREASE = 1,      /**< rises along a sine */
  JACQUARD_HAPTIC_SINE_DECREASE = 2,      /**< falls along a sine */
  JACQUARD_HAPTIC_LINEAR_INCREASE = 3,    /**< rises evenly */
  JACQUARD_HAPTIC_LINEAR_DECREASE = 4,    /**< falls evenly */
  JACQUARD_HAPTIC_PARABOLIC_INCREASE = 5, /**< rises along a parabola */
  JACQUARD_HAPTIC_PARABOLIC_DECREASE = 6, /**< falls along a parabola */
  JACQUARD_HAPTIC_CONSTANT = 7            /**< stays as it is */
} jacquard_haptic_type;

/** A vibration. @since 0.1 */
typedef struct jacquard_haptic {
  uint32_t struct_size;      /**< sizeof(jacquard_haptic) */
  jacquard_haptic_type type; /**< how it rises or falls */
  uint32_t on_ms;            /**< 0 to 65535 */
  uint32_t off_ms;           /**< 0 to 65535 */
  uint32_t amplitude;        /**< percent, 0 to 100 */
  uint32_t repeats;          /**< 0 to 255 times more */
} jacquard_haptic;

#define JACQUARD_HAPTIC_INIT { (uint32_t)sizeof(jacquard_haptic), JACQUARD_HAPTIC_HALT, 0, 0, 0, 0 }

/**
 * Vibrates gear. See "Commands" above; needs JACQUARD_CAPABILITY_HAPTIC.
 *
 * @param haptic copied; JACQUARD_ERROR_INVALID_ARGUMENT when a field is out of range
 * @since 0.1
 */
int jacquard_component_play_haptic(jacquard_component *component, const jacquard_haptic *haptic,
                                   const jacquard_request_options *options, jacquard_done_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* Touch and gestures ----------------------------------------------------------------------------------------------- */

/** What gear reports. @since 0.1 */
typedef enum jacquard_touch_mode {
  JACQUARD_TOUCH_MODE_GESTURE = 1,   /**< gestures; the tag queues 14 notifications and loses none */
  JACQUARD_TOUCH_MODE_CONTINUOUS = 2 /**< touch data; the tag queues 2 and drops stale ones */
} jacquard_touch_mode;

/**
 * Chooses what gear reports. The mode belongs to the gear as it is attached now; attaching starts with gestures. It
 * outlives the link: when a lost link has been made again, and the first gear that the tag tells of is the same, it is
 * in continuous mode again before jacquard_connection_on_gear() delivers it. See "Commands" above; needs
 * JACQUARD_CAPABILITY_GESTURE or JACQUARD_CAPABILITY_TOUCH.
 *
 * @since 0.1
 */
int jacquard_component_set_touch_mode(jacquard_component *component, jacquard_touch_mode mode,
                                      const jacquard_request_options *options, jacquard_done_callback callback,
                                      void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** The gestures that have names. Gear may report other numbers: handle them. @since 0.1 */
typedef enum jacquard_gesture_number {
  JACQUARD_GESTURE_NONE = 0,        /**< "none": a touch that is not a gesture */
  JACQUARD_GESTURE_DOUBLE_TAP = 1,  /**< "double-tap" */
  JACQUARD_GESTURE_BRUSH_IN = 2,    /**< "brush-in" */
  JACQUARD_GESTURE_BRUSH_OUT = 3,   /**< "brush-out" */
  JACQUARD_GESTURE_PULSE_CHECK = 4, /**< "pulse-check"; not reported by the gear that is known */
  JACQUARD_GESTURE_PULSE_TAP = 5,   /**< "pulse-tap"; likewise */
  JACQUARD_GESTURE_LONG_COVER = 6,  /**< "long-cover"; likewise */
  JACQUARD_GESTURE_COVER = 7,       /**< "cover" */
  JACQUARD_GESTURE_GENIE = 8,       /**< "genie"; likewise */
  JACQUARD_GESTURE_PINCH_IN = 9,    /**< "pinch-in"; likewise */
  JACQUARD_GESTURE_PINCH_OUT = 10,  /**< "pinch-out"; likewise */
  JACQUARD_GESTURE_TRIPLE_TAP = 12, /**< "triple-tap"; likewise */
  JACQUARD_GESTURE_BRUSH_UP = 13,   /**< "brush-up" */
  JACQUARD_GESTURE_BRUSH_DOWN = 14  /**< "brush-down" */
} jacquard_gesture_number;

/** A gesture's name, "brush-in"; "" for a number without a name. Static; never NULL. @since 0.1 */
const char *jacquard_gesture_name(jacquard_gesture_number number);

/** A gesture that the gear recognised. @since 0.1 */
typedef struct jacquard_gesture {
  jacquard_connection *connection; /**< borrowed */
  uint32_t number;                 /**< a jacquard_gesture_number, or another number that the tag sent */
  const char *name;                /**< as jacquard_gesture_name(). Static */
} jacquard_gesture;

/** Receives gestures. @since 0.1 */
typedef void (*jacquard_gesture_callback)(const jacquard_gesture *gesture, void *user_data);

/**
 * Delivers gestures, each once. The subscription outlives the link.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_gesture(jacquard_connection *connection, jacquard_gesture_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy,
                                   jacquard_subscription **subscription);

/** One sample of a touch. @since 0.1 */
typedef struct jacquard_touch {
  jacquard_connection *connection; /**< borrowed */
  uint32_t sequence;               /**< grows during one touch, with gaps; a smaller one begins another touch */
  uint8_t proximity;               /**< of the hand */
  uint8_t lines[12];               /**< of the twelve lines in order; 0: not touched, 128: strongest */
} jacquard_touch;

/** Receives touch samples. @since 0.1 */
typedef void (*jacquard_touch_callback)(const jacquard_touch *touch, void *user_data);

/**
 * Delivers touch samples while gear is in continuous mode. The subscription outlives the link.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_touch(jacquard_connection *connection, jacquard_touch_callback callback, void *user_data,
                                 jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Name, link and configuration of a tag                                                                              */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * Renames a tag. It then drops the link and comes back under the new name by itself, which ends this tag handle. See
 * "Commands" above.
 *
 * @param name 1 to 21 bytes of UTF-8
 * @param callback its error may also be JACQUARD_ERROR_UNCHANGED: the tag says that this is its name already
 * @since 0.1
 */
int jacquard_tag_rename(jacquard_tag *tag, const char *name, const jacquard_request_options *options,
                        jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                        jacquard_request **request);

/** The name of a tag. @since 0.1 */
typedef struct jacquard_name {
  jacquard_connection *connection; /**< borrowed */
  const char *name;                /**< "Jacquard-01ZK" */
} jacquard_name;

/** Receives the name of a tag. @since 0.1 */
typedef void (*jacquard_name_callback)(const jacquard_name *name, void *user_data);

/**
 * Delivers the tag's name when it is known and whenever it changes; a new subscriber gets the last one at once.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_name(jacquard_connection *connection, jacquard_name_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * Asks a tag to drop the link. The connection then reconnects as after any lost link; to end it, use
 * jacquard_connection_disconnect(). See "Commands" above.
 *
 * @param delay_s seconds that the tag waits
 * @param only_on_motion 1: the tag stays away until it is moved
 * @since 0.1
 */
int jacquard_tag_request_disconnect(jacquard_tag *tag, uint32_t delay_s, uint32_t only_on_motion,
                                    const jacquard_request_options *options, jacquard_done_callback callback,
                                    void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * The signal strength with which the tag was last heard advertising. BlueZ does not tell the strength of a link, so
 * there is none for a tag that has not advertised while anybody scanned.
 *
 * @param rssi receives dBm, or JACQUARD_RSSI_UNKNOWN
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_get_rssi(jacquard_connection *connection, int32_t *rssi);

/** Type of a configuration value. @since 0.1 */
typedef enum jacquard_value_type {
  JACQUARD_VALUE_BOOL = 1,   /**< in `number`: 0 or 1 */
  JACQUARD_VALUE_UINT32 = 2, /**< in `number` */
  JACQUARD_VALUE_UINT64 = 3, /**< in `number` */
  JACQUARD_VALUE_INT32 = 4,  /**< in `integer` */
  JACQUARD_VALUE_INT64 = 5,  /**< in `integer` */
  JACQUARD_VALUE_FLOAT = 6,  /**< in `real` */
  JACQUARD_VALUE_DOUBLE = 7, /**< in `real` */
  JACQUARD_VALUE_STRING = 8  /**< in `text` */
} jacquard_value_type;

/** A configuration value: one field counts, the others are 0. @since 0.1 */
typedef struct jacquard_value {
  uint32_t struct_size;     /**< sizeof(jacquard_value) */
  jacquard_value_type type; /**< which field counts */
  uint64_t number;          /**< a BOOL, UINT32 or UINT64 */
  int64_t integer;          /**< an INT32 or INT64 */
  double real;              /**< a FLOAT or DOUBLE */
  const char *text;         /**< a STRING */
} jacquard_value;

#define JACQUARD_VALUE_INIT { (uint32_t)sizeof(jacquard_value), JACQUARD_VALUE_BOOL, 0, 0, 0, NULL }

/**
 * Receives a configuration value. Without an error, `value` is NULL when nothing is stored under the key.
 *
 * @since 0.1
 */
typedef void (*jacquard_value_callback)(const jacquard_value *value, const jacquard_error *error, void *user_data);

/**
 * Stores a value of one's own on the tag. See "Commands" above.
 *
 * @param vendor_id and product_id: whose key it is; both 0: the tag's own
 * @param key not empty
 * @param value copied
 * @since 0.1
 */
int jacquard_tag_set_value(jacquard_tag *tag, uint32_t vendor_id, uint32_t product_id, const char *key,
                           const jacquard_value *value, const jacquard_request_options *options,
                           jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                           jacquard_request **request);

/** Reads what jacquard_tag_set_value() stored. See "Commands" above. @since 0.1 */
int jacquard_tag_get_value(jacquard_tag *tag, uint32_t vendor_id, uint32_t product_id, const char *key,
                           const jacquard_request_options *options, jacquard_value_callback callback, void *user_data,
                           jacquard_destroy_callback destroy, jacquard_request **request);

/** Fields of jacquard_configuration; a set is the sum of these. @since 0.1 */
typedef enum jacquard_configuration_field {
  JACQUARD_CONFIGURATION_NAME = 0x1,                          /**< name */
  JACQUARD_CONFIGURATION_TX_POWER = 0x2,                      /**< tx_power */
  JACQUARD_CONFIGURATION_TX_POWER_MAXIMUM = 0x4,              /**< tx_power_maximum */
  JACQUARD_CONFIGURATION_FAST_INTERVAL = 0x8,                 /**< fast_interval_ms */
  JACQUARD_CONFIGURATION_FAST_DURATION = 0x10,                /**< fast_duration_s */
  JACQUARD_CONFIGURATION_MEDIUM_INTERVAL = 0x20,              /**< medium_interval_ms */
  JACQUARD_CONFIGURATION_MEDIUM_DURATION = 0x40,              /**< medium_duration_s */
  JACQUARD_CONFIGURATION_SLOW_INTERVAL = 0x80,                /**< slow_interval_ms */
  JACQUARD_CONFIGURATION_SLOW_DURATION = 0x100,               /**< slow_duration_s */
  JACQUARD_CONFIGURATION_CONNECTION_INTERVAL_MINIMUM = 0x200, /**< connection_interval_minimum */
  JACQUARD_CONFIGURATION_CONNECTION_INTERVAL_MAXIMUM = 0x400, /**< connection_interval_maximum */
  JACQUARD_CONFIGURATION_QUEUE_DEPTH = 0x800,                 /**< queue_depth */
  JACQUARD_CONFIGURATION_MOTION_ENABLED = 0x1000,             /**< motion_enabled */
  JACQUARD_CONFIGURATION_MOTION_SENSITIVITY = 0x2000,         /**< motion_sensitivity */
  JACQUARD_CONFIGURATION_MOTION_THRESHOLD = 0x4000,           /**< motion_threshold */
  JACQUARD_CONFIGURATION_MOTION_TIMEOUT = 0x8000,             /**< motion_timeout_ms */
  JACQUARD_CONFIGURATION_MOTION_GEAR_POWER = 0x10000,         /**< motion_gear_power */
  JACQUARD_CONFIGURATION_MOTION_LINK = 0x20000                /**< motion_link */
} jacquard_configuration_field;

/**
 * The tag's own configuration: how it advertises, and how motion wakes it. `fields` says which of the others count.
 *
 * @since 0.1
 */
typedef struct jacquard_configuration {
  uint32_t struct_size;                 /**< sizeof(jacquard_configuration) */
  uint32_t fields;                      /**< sum of jacquard_configuration_field */
  const char *name;                     /**< advertised name; use jacquard_tag_rename() to change it at once */
  int32_t tx_power;                     /**< dBm */
  int32_t tx_power_maximum;             /**< dBm */
  float fast_interval_ms;               /**< advertising interval in the fast stage */
  uint32_t fast_duration_s;             /**< length of the fast stage */
  float medium_interval_ms;             /**< the same of the medium stage */
  uint32_t medium_duration_s;           /**< length of the medium stage */
  float slow_interval_ms;               /**< the same of the slow stage */
  uint32_t slow_duration_s;             /**< length of the slow stage */
  uint32_t connection_interval_minimum; /**< in 1.25 ms */
  uint32_t connection_interval_maximum; /**< in 1.25 ms */
  uint32_t queue_depth;                 /**< notifications that the tag keeps; set by touch modes */
  uint32_t motion_enabled;              /**< 1: motion wakes the tag */
  uint32_t motion_sensitivity;          /**< sampling rate, 0 (0.78 Hz) doubling to 11 (1600 Hz) */
  uint32_t motion_threshold;            /**< how much motion counts; a number of the sensor's */
  uint32_t motion_timeout_ms;           /**< without motion for this long the tag sleeps */
  uint32_t motion_gear_power;           /**< asleep: 0 keeps the gear powered, 1 low power, 2 off */
  uint32_t motion_link;                 /**< asleep: 0 keeps the link, 1 low power, 2 off */
} jacquard_configuration;

#define JACQUARD_CONFIGURATION_INIT \
  { (uint32_t)sizeof(jacquard_configuration), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Receives the tag's configuration: exactly one of the two is not NULL. @since 0.1 */
typedef void (*jacquard_configuration_callback)(const jacquard_configuration *configuration,
                                                const jacquard_error *error, void *user_data);

/** Reads the tag's configuration. See "Commands" above. @since 0.1 */
int jacquard_tag_read_configuration(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_configuration_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Changes those fields of the tag's configuration that `fields` names; the others stay. See "Commands" above.
 *
 * @param configuration copied
 * @param callback receives what the tag says it has now, in the parts that were written; a tag may say nothing
 * @since 0.1
 */
int jacquard_tag_write_configuration(jacquard_tag *tag, const jacquard_configuration *configuration,
                                     const jacquard_request_options *options,
                                     jacquard_configuration_callback callback, void *user_data,
                                     jacquard_destroy_callback destroy, jacquard_request **request);

/* Modules ---------------------------------------------------------------------------------------------------------- */

/** A loadable firmware module. Vendor, product and module id together are its identity. @since 0.1 */
typedef struct jacquard_module {
  uint32_t struct_size; /**< sizeof(jacquard_module) */
  uint32_t vendor_id;   /**< whose module it is */
  uint32_t product_id;  /**< for which product */
  uint32_t module_id;   /**< which module of that product */
  const char *name;     /**< may be "" or NULL */
  uint32_t version[3];  /**< major, minor, point; not looked at when it is handed in */
  uint32_t enabled;     /**< 1: loaded; not looked at when it is handed in */
  uint32_t size;        /**< bytes; not looked at when it is handed in */
} jacquard_module;

#define JACQUARD_MODULE_INIT { (uint32_t)sizeof(jacquard_module), 0, 0, 0, NULL, { 0, 0, 0 }, 0, 0 }

/** Receives the tag's modules: an array of `count` pointers, or an error. @since 0.1 */
typedef void (*jacquard_modules_callback)(const jacquard_module *const *modules, size_t count,
                                          const jacquard_error *error, void *user_data);

/** Lists the modules that are on a tag. See "Commands" above. @since 0.1 */
int jacquard_tag_list_modules(jacquard_tag *tag, const jacquard_request_options *options,
                              jacquard_modules_callback callback, void *user_data, jacquard_destroy_callback destroy,
                              jacquard_request **request);

/**
 * Loads a module; completes when the tag reports that it runs, and takes its turn until then. See "Commands" above.
 *
 * @since 0.1
 */
int jacquard_tag_load_module(jacquard_tag *tag, const jacquard_module *module, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/** Unloads a module; it stays on the tag. See "Commands" above. @since 0.1 */
int jacquard_tag_unload_module(jacquard_tag *tag, const jacquard_module *module,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** Deletes a module from the tag. See "Commands" above. @since 0.1 */
int jacquard_tag_delete_module(jacquard_tag *tag, const jacquard_module *module,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* ------------------------------------------------------------------------------------------------------------------ */
/* For those who build on the protocol                                                                                */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Bytes from a tag. @since 0.1 */
typedef struct jacquard_bytes {
  jacquard_connection *connection; /**< borrowed */
  const uint8_t *data;             /**< valid during the callback */
  size_t size;                     /**< how many bytes */
} jacquard_bytes;

/** Receives bytes. @since 0.1 */
typedef void (*jacquard_bytes_callback)(const jacquard_bytes *bytes, void *user_data);

/** Receives a serialised Response: exactly one of the two is not NULL. @since 0.1 */
typedef void (*jacquard_response_callback)(const jacquard_bytes *response, const jacquard_error *error,
                                           void *user_data);

/**
 * Sends a serialised Request (docs/protocol.md) in its turn among the commands. The library fills in the id. A response
 * with an error status is delivered like any other. See "Commands" above.
 *
 * @param data copied; 1 to 1024 bytes that decode and have a domain and an opcode
 * @since 0.1
 */
int jacquard_tag_send_request(jacquard_tag *tag, const uint8_t *data, size_t size,
                              const jacquard_request_options *options, jacquard_response_callback callback,
                              void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Delivers every serialised Notification, also those that the library delivers decoded.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_notification(jacquard_connection *connection, jacquard_bytes_callback callback,
                                        void *user_data, jacquard_destroy_callback destroy,
                                        jacquard_subscription **subscription);

/**
 * Delivers the payloads of the raw data channel. Each packet is acknowledged to the tag; one that it repeats because
 * the acknowledgement was lost is delivered once.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_raw_data(jacquard_connection *connection, jacquard_bytes_callback callback,
                                    void *user_data, jacquard_destroy_callback destroy,
                                    jacquard_subscription **subscription);

/**
 * Delivers each value of the raw data characteristic as it came over the air, fragment header and all.
 *
 * @param subscription receives a handle to end it with, or NULL: as long as the connection lives
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_raw_value(jacquard_connection *connection, jacquard_bytes_callback callback,
                                     void *user_data, jacquard_destroy_callback destroy,
                                     jacquard_subscription **subscription);

/**
 * Sends a packet on the raw data channel. Completes when its last fragment has been written; a time limit does not
 * matter here. See "Commands" above.
 *
 * @param data copied; 1 to 1024 bytes
 * @since 0.1
 */
int jacquard_tag_send_raw_data(jacquard_tag *tag, const uint8_t *data, size_t size,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** What a connection has received and dropped since it was made. @since 0.1 */
typedef struct jacquard_counters {
  uint32_t struct_size;           /**< sizeof(jacquard_counters), set by the caller */
  uint32_t links;                 /**< links that reached CONNECTED */
  uint64_t notifications;         /**< Notification packets that decoded */
  uint64_t responses;             /**< Response packets that answered a request */
  uint64_t raw_packets;           /**< packets of the raw data channel */
  uint64_t dropped_fragments;     /**< values that fit no packet: out of order, cut short, oversized, malformed */
  uint64_t dropped_notifications; /**< packets that did not decode, or came in too great a number during set-up */
  uint64_t dropped_responses;     /**< packets that did not decode, came late, twice or unasked */
  uint64_t dropped_copies;        /**< values that BlueZ repeated because another program is subscribed to them */
  uint64_t doubtful_values;       /**< values delivered or dropped while BlueZ did not show whether they were copies */
} jacquard_counters;

#define JACQUARD_COUNTERS_INIT { (uint32_t)sizeof(jacquard_counters), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Reads the counters of a connection, as of the last time its loop was idle or later.
 *
 * @param counters filled up to its struct_size
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_get_counters(jacquard_connection *connection, jacquard_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
