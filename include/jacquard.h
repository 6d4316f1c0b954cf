/**
 * libjacquard: find, connect to and use Jacquard tags on Linux.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The names, meanings and layouts in this header are stable: new versions only add to them. The header is plain C99 and
 * C++11 and can be read by foreign-function tools: it has no variadic or inline functions, no bit-fields, no structs
 * passed by value, and no mandatory macros.
 *
 * Conventions
 * -----------
 *
 * Results. A function that can fail returns an int: 0 or a positive value on success, a negative jacquard_status on
 *   failure. A function that fails does not retain its arguments, leaves its outputs unchanged and does not call
 *   `destroy`; jacquard_last_error() returns the details.
 *
 * Handles. jacquard_manager, _scan, _connection, _tag, _component, _subscription, _request, _touch_tracker,
 *   _motion_reader, _motion_writer and _firmware are opaque and reference-counted. A handle that a function returns
 *   through a `**` parameter carries one reference, which the caller owns; release it with the type's `_unref`, which
 *   returns NULL. A handle in a callback's arguments is borrowed for that call; use `_ref` to keep it. Handles are
 *   validated before they are used: one that was released, is made up, or is of another type yields
 *   JACQUARD_ERROR_INVALID_HANDLE and does not crash. NULL yields JACQUARD_ERROR_INVALID_ARGUMENT. `_ref` and `_unref`
 *   do nothing with an invalid handle and return NULL.
 *
 * Strings are UTF-8 and NUL-terminated. Strings passed to a function are copied before it returns. Strings in a struct
 *   are valid as long as the struct.
 *
 * Structs that the caller fills begin with struct_size. Initialize them with the type's `_INIT` macro, or set all bytes
 *   to zero and struct_size to the size of the struct. For options, NULL means all defaults. Zero is the default of
 *   every field, except where a description requires a value. A struct that the library has filled has the library's
 *   struct_size, which may be larger or smaller than yours: copy no more bytes than the smaller of both, and set
 *   struct_size of the copy to that before you pass it to a function. Structs that the library fills are valid during
 *   the callback that receives them unless their description says otherwise. Later versions may add fields at the end,
 *   so do not store raw copies of these structs in files or share them with other programs. No struct has padding:
 *   where a compiler would add it, there is a field `reserved`, which must be zero. Do not read a field whose "@since"
 *   names a later version than jacquard_version() returns; a copy of a whole struct reads all of its fields.
 *
 * Enumerations name numbers. Fields and parameters have the types int32_t or uint32_t, and their description names the
 *   enumeration. Programs must expect numbers that this header does not name, because tags and later versions may
 *   deliver them. A function that is given such a number refuses it with JACQUARD_ERROR_INVALID_ARGUMENT, unless it
 *   returns names.
 *
 * Callbacks are registered as (callback, user_data, destroy). Those of one manager run one at a time, and only where
 *   its loop runs: inside jacquard_manager_dispatch() on the thread that calls it, or on the library's thread after
 *   jacquard_manager_start(). They never run inside the function that registers them. A callback must not throw a C++
 *   exception or longjmp out; the manager is unusable afterwards. It should not end its thread (pthread_exit): the
 *   manager then calls nothing more, and can only be released. `destroy`, which may be NULL, is called exactly once
 *   with user_data when the library no longer needs it. It runs after the last callback and before any function that
 *   ends the registration returns; if that function is called inside the callback itself, `destroy` runs as soon as the
 *   callback returns. It runs on the thread that first ended the registration.
 *
 * Ending. After the last `_unref` of a handle, or its `_cancel`, returns, its callbacks do not run again. If one of
 *   them, or its `destroy`, is running on another thread, the function waits for it to return; do not call it while
 *   holding a lock that your callback or `destroy` takes. jacquard_scan_stop() and jacquard_connection_disconnect()
 *   start an orderly end, which is then reported to the callback. If you pass NULL for an optional `**` output, the
 *   library keeps the registration until its owner ends.
 *
 * Words. `destroy` releases user_data, and nothing else is destroyed. A `done` callback completes a command without a
 *   result. `data` is a number of bytes, with their `size`. `progress` says how far something is, and carries nothing.
 *
 * Commands complete exactly once, in the order in which they were called, unless they are cancelled, the manager ends,
 *   or the connection on which they were called is released. One command at a time is in flight per tag, from its first
 *   request until the tag has responded or 8 s have passed; packets of the raw data channel wait in the same queue.
 *   When the link is lost, all commands complete immediately. Commands that only read are sent up to three times if the
 *   tag does not respond; all others are sent once. A command longer than 1024 bytes is not sent and completes with
 *   JACQUARD_ERROR_INVALID_ARGUMENT. Text from a tag that is not valid UTF-8 is repaired with U+FFFD. A command's
 *   callback may receive JACQUARD_ERROR_STALE_TAG, _STALE_GEAR, _CLOSED, _TIMEOUT, _CONNECTION_LOST, _DEVICE_GONE,
 *   _GATT, _SYSTEM, _TAG_STATUS or _MALFORMED_RESPONSE; additional errors are listed with each command. The functions
 *   return 0 when the command was accepted, otherwise JACQUARD_ERROR_INVALID_ARGUMENT, _INVALID_HANDLE or _CLOSED.
 *
 * Threads. Every function may be called from any thread, including inside callbacks. None of them waits for the bus, a
 *   tag or another program, except for the wait described under "Ending", and jacquard_service_run(), which runs until
 *   it ends; jacquard_firmware_new() reads a file. Work starts the next time the loop runs.
 *
 * Processes. The library does nothing at load time, installs no signal or exit handlers, writes nothing to stdout, and
 *   nothing to stderr unless the environment variable JACQUARD_LOG requests it (see jacquard_manager_on_log()), and
 *   marks its descriptors close-on-exec. After fork() a handle works only in the process that created it: in the child
 *   every function that takes it and returns a status returns JACQUARD_ERROR_FORKED, and `_ref` and `_unref` do nothing
 *   and return NULL. The child may end in any way and may create its own managers. The parent's descriptors stay open
 *   in the child until it ends or executes another program. A child that was forked inside a callback must not return
 *   from the callback.
 *
 * Sharing. Programs share a tag through the service, jacquardd, which has its link: the user's, or the system's for the
 *   members of the group jacquard. The library looks for it before each attempt to connect, and never starts it.
 *   Functions, states, events, errors and their order are the same with and without it; only
 *   jacquard_connection_state.service_process shows the difference. Without a service, or if the service uses another
 *   bus, a program has the link itself, and a second one gets JACQUARD_ERROR_IN_USE, which names the first. The
 *   environment variable JACQUARD_SERVICE names the service's socket, or is "off". A program that ends, crashes, stops
 *   or reads too slowly changes nothing for the others; the events that it missed are counted. What it left running is
 *   ended: a stream, a download, an update. Touch mode, configuration and name belong to the tag: a change applies to
 *   all programs. While one program records, streams, downloads or erases motion sessions, changes modules, updates
 *   firmware or unbinds the tag, those of other programs, their requests and packets for it, and binding complete with
 *   JACQUARD_ERROR_BUSY, which names the other program; starting and stopping a recording only excludes others for the
 *   duration of the command. If the service ends, all its programs are PREPARING until it is started again. After 10 s
 *   one of them has the link itself, and the others wait with the reason JACQUARD_ERROR_IN_USE. A program that has a
 *   link itself gives it up between two commands for a service that appears and accepts the program, at most once a
 *   minute, and not before a download or an update has ended; a program with the option `exclusive` never does. If the
 *   service does not respond for 5 s while something waits for it, the connection is PREPARING with the reason
 *   JACQUARD_ERROR_SERVICE_UNAVAILABLE. In all these cases commands end as with a lost link. Known tags, owners,
 *   counters and restore IDs belong to a program.
 *
 * Deprecation. What a later version replaces is marked with JACQUARD_DEPRECATED, and its description and the changelog
 *   name the replacement. It keeps working until the number of the SONAME changes. Compilers warn of its use if
 *   JACQUARD_WARN_DEPRECATED is defined before this header is included.
 *
 * Time. Time limits, pauses and deadlines are in milliseconds, unless a name says otherwise, of CLOCK_MONOTONIC, which
 *   does not advance while the machine is suspended. Every `arrival_ns`, which says when something arrived, is in
 *   nanoseconds of CLOCK_BOOTTIME, which does, and which all processes share: what arrived in different callbacks, at
 *   different programs and before and after a suspend can be put in order.
 */
#ifndef JACQUARD_H
#define JACQUARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef JACQUARD_WARN_DEPRECATED
#define JACQUARD_DEPRECATED __attribute__((deprecated))
#else
#define JACQUARD_DEPRECATED
#endif

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
 * Returns the version of the library in use.
 *
 * @return 0x00MMmmpp: major, minor, patch
 * @since 0.1
 */
uint32_t jacquard_version(void);

/**
 * Returns the version of the library in use as a static string, "0.1.0".
 *
 * @return static; never NULL
 * @since 0.1
 */
const char *jacquard_version_string(void);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Results and errors                                                                                                 */
/* ------------------------------------------------------------------------------------------------------------------ */

/** The negative result of a failed function, and the code of a jacquard_error. The numbers are stable. @since 0.1 */
typedef enum jacquard_status {
  JACQUARD_OK = 0, /**< no failure */

  /* The call itself */
  JACQUARD_ERROR_INVALID_ARGUMENT = -1, /**< an argument is NULL, malformed, of unknown size or out of range */
  JACQUARD_ERROR_INVALID_HANDLE = -2,   /**< the handle was released, is made up, or is of another type */
  JACQUARD_ERROR_BUSY = -3,             /**< another program or service does what excludes this, and the message names
                                             it; or the tag is transferring or erasing a recording */
  JACQUARD_ERROR_CLOSED = -4,           /**< the manager, connection or scan that owns this object has been closed */
  JACQUARD_ERROR_SYSTEM = -5,           /**< the kernel could not provide a resource; see system_errno */
  JACQUARD_ERROR_TIMEOUT = -6,          /**< no response within the time limit */
  JACQUARD_ERROR_INTERNAL = -7,         /**< a bug in this library; please report it */
  JACQUARD_ERROR_FORKED = -8,           /**< the handle was created before fork(), in the parent process */
  JACQUARD_ERROR_MISUSE = -9,           /**< the call is not possible in this state: the loop is already running, or the
                                             object is in use by another call */

  /* The machine */
  JACQUARD_ERROR_BUS_ADDRESS = -20,       /**< the D-Bus address is malformed, or its transport is not unix: */
  JACQUARD_ERROR_BUS_UNAVAILABLE = -21,   /**< no D-Bus daemon is reachable at the address */
  JACQUARD_ERROR_BLUEZ_UNAVAILABLE = -22, /**< the name org.bluez has no owner: bluetoothd is not running */
  JACQUARD_ERROR_PERMISSION_DENIED = -23, /**< the bus policy or bluetoothd denies access to this user */
  JACQUARD_ERROR_NO_ADAPTER = -24,        /**< no Bluetooth adapter, or not the one asked for */
  JACQUARD_ERROR_POWERED_OFF = -25,       /**< the adapter is powered off */
  JACQUARD_ERROR_ADAPTER_REFUSED = -26,   /**< the controller currently refuses to scan or connect */
  JACQUARD_ERROR_STATE_FILE = -27,        /**< the known tags cannot be read or written; see message and system_errno */
  JACQUARD_ERROR_SERVICE_UNAVAILABLE = -28, /**< the service has ended, does not respond, or is of another version */

  /* The link */
  JACQUARD_ERROR_NOT_FOUND = -40,         /**< the tag was not found in time, the identifier is that of a device that
                                               is not a tag, or there is no such object */
  JACQUARD_ERROR_CONNECT_FAILED = -41,    /**< the link could not be established */
  JACQUARD_ERROR_CONNECTION_LOST = -42,   /**< an established link was lost */
  JACQUARD_ERROR_DEVICE_GONE = -43,       /**< BlueZ removed the device */
  JACQUARD_ERROR_INCOMPLETE_GATT = -44,   /**< the Jacquard service or one of its characteristics is missing */
  JACQUARD_ERROR_BOND_LOST = -45,         /**< the tag has lost the bond that this machine still has; as the reason
                                               of PREPARING: it may have */
  JACQUARD_ERROR_GATT = -46,              /**< a GATT operation failed; see att_code */
  JACQUARD_ERROR_STALE_TAG = -47,         /**< the tag handle belongs to an earlier link */
  JACQUARD_ERROR_STALE_GEAR = -48,        /**< the gear was detached from the tag */
  JACQUARD_ERROR_WRONG_CODE = -49,        /**< the code does not match the tag's serial number */
  JACQUARD_ERROR_PAIRING_REFUSED = -50,   /**< the tag or bluetoothd refused to pair */
  JACQUARD_ERROR_OTHER_OWNER = -51,       /**< the tag is bound to another owner on this machine */
  JACQUARD_ERROR_NOT_BOUND = -52,         /**< the tag requires a bond or is bound here, but BlueZ has no bond with
                                               it; as the reason of PREPARING: this may be so */
  JACQUARD_ERROR_IN_USE = -53,            /**< a program that does not share the tag, or one of another user, is
                                               using it */
  JACQUARD_ERROR_ALREADY_CONNECTED = -54, /**< this manager already has a connection to the tag */

  /* The tag */
  JACQUARD_ERROR_MALFORMED_RESPONSE = -60, /**< a required part of the tag's response is missing */
  JACQUARD_ERROR_PROTOCOL_VERSION = -61,   /**< the tag does not speak protocol 2 */
  JACQUARD_ERROR_TAG_STATUS = -62,         /**< the tag responded with an error; see tag_status */
  JACQUARD_ERROR_UNSUPPORTED = -63,        /**< the component lacks this capability; nothing was sent */
  JACQUARD_ERROR_UNCHANGED = -64,          /**< the tag already has this name; nothing was sent */
  JACQUARD_ERROR_CAPTURE_IN_PROGRESS = -65, /**< the tag is recording or streaming motion */
  JACQUARD_ERROR_LOW_BATTERY = -66,        /**< the tag's battery is too low: 50 % for motion, 20 % for firmware */
  JACQUARD_ERROR_LOW_STORAGE = -67,        /**< the tag has too little free storage for a recording */
  JACQUARD_ERROR_MODULE_MISSING = -68,     /**< the motion module is not installed on the tag */
  JACQUARD_ERROR_DAMAGED_SESSION = -69,    /**< a session has the wrong size or checksum, or is not a motion file */
  JACQUARD_ERROR_FIRMWARE_IMAGE = -70,     /**< a firmware image is unreadable, empty or too large */
  JACQUARD_ERROR_FIRMWARE_MANIFEST = -71,  /**< a firmware image and its manifest differ, or the manifest is
                                                malformed */
  JACQUARD_ERROR_WRONG_PRODUCT = -72,      /**< the firmware image is for another product */
  JACQUARD_ERROR_GEAR_MISSING = -73,       /**< the gear that the firmware image is for is not attached */
  JACQUARD_ERROR_UPDATE_IN_PROGRESS = -74, /**< the firmware of the tag is being updated */
  JACQUARD_ERROR_OTHER_IMAGE = -75,        /**< a part of another firmware image is on the tag */
  JACQUARD_ERROR_DOWNGRADE = -76,          /**< the firmware image is older than the installed firmware */
  JACQUARD_ERROR_DAMAGED_FIRMWARE = -77,   /**< the tag stored the firmware image incorrectly; nothing was installed */
  JACQUARD_ERROR_NOT_INSTALLED = -78       /**< the firmware was transferred, but the tag does not have its version */
} jacquard_status;

/**
 * Returns a status as a short English sentence for users.
 *
 * @return static; never NULL, also for a number without a name
 * @since 0.1
 */
const char *jacquard_status_text(int status);

/**
 * Returns the name of a status constant, "JACQUARD_ERROR_TIMEOUT", for logs.
 *
 * @return static; never NULL: "JACQUARD_ERROR_UNKNOWN" for a number without a name
 * @since 0.1
 */
const char *jacquard_status_name(int status);

/**
 * The status in a tag's response, with the numbers of the tag's protocol. Newer firmware may send other numbers.
 *
 * @since 0.1
 */
typedef enum jacquard_tag_status {
  JACQUARD_TAG_STATUS_OK = 0,                  /**< the request succeeded */
  JACQUARD_TAG_STATUS_UNSUPPORTED = 1,         /**< the firmware does not know this request */
  JACQUARD_TAG_STATUS_BAD_PARAMETER = 2,       /**< a value in the request is missing or out of range */
  JACQUARD_TAG_STATUS_BATTERY_LOW = 3,         /**< the battery is too low for this request */
  JACQUARD_TAG_STATUS_HARDWARE_FAILURE = 4,    /**< a part of the hardware failed */
  JACQUARD_TAG_STATUS_NOT_AUTHENTICATED = 5,   /**< the link is not authenticated */
  JACQUARD_TAG_STATUS_WRONG_DEVICE_TYPE = 6,   /**< the request does not suit this kind of device */
  JACQUARD_TAG_STATUS_INVALID_STATE = 7,       /**< the request is not possible in the present state */
  JACQUARD_TAG_STATUS_FLASH_ACCESS_FAILED = 8, /**< reading, writing or erasing the flash memory failed */
  JACQUARD_TAG_STATUS_CHECKSUM_MISMATCH = 9,   /**< the checksum does not match the data */
  JACQUARD_TAG_STATUS_BUSY = 10,               /**< the tag is busy, for example updating the gear's firmware */
  JACQUARD_TAG_STATUS_LOW_MEMORY = 15,         /**< less than a fifth of the flash memory is free */
  JACQUARD_TAG_STATUS_TIMEOUT = 253,           /**< not sent by tags: a host library gave up waiting */
  JACQUARD_TAG_STATUS_HOST_FAILURE = 254,      /**< not sent by tags: a host library failed */
  JACQUARD_TAG_STATUS_UNKNOWN_FAILURE = 255    /**< the tag failed without a reason */
} jacquard_tag_status;

/** What went wrong, as far as it is known. @since 0.1 */
typedef struct jacquard_error {
  int32_t code;                /**< a jacquard_status, never JACQUARD_OK */
  int32_t system_errno;        /**< errno of the failed system call, else 0 */
  int32_t att_code;            /**< ATT error code 0x01 to 0xff (Core Specification, volume 3, part F), else 0 */
  int32_t tag_status;          /**< the status in the tag's response, usually a jacquard_tag_status, else 0 */
  const char *tag_status_name; /**< its name, "BAD_PARAMETER" for JACQUARD_TAG_STATUS_BAD_PARAMETER, or "STATUS_77" for
                                    another number; NULL when tag_status is 0 */
  const char *dbus_name;       /**< name of the D-Bus error, "org.bluez.Error.Failed"; NULL when there was none */
  const char *message;         /**< what happened, in one sentence; never NULL */
  const char *advice;          /**< what the user can do about it, in one sentence; never NULL */
} jacquard_error;

/**
 * Returns the error of the last failed function call on this thread. Call it immediately after the failure, because a
 * successful call does not clear the error.
 *
 * @return valid until another function fails on this thread; NULL if none has failed
 * @since 0.1
 */
const jacquard_error *jacquard_last_error(void);

/** Called when the library no longer needs user_data: see "Callbacks" above. @since 0.1 */
typedef void (*jacquard_destroy_callback)(void *user_data);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Manager: one connection to the bus and one loop                                                                    */
/* ------------------------------------------------------------------------------------------------------------------ */

/** One D-Bus connection, one loop, and everything found through them. @since 0.1 */
typedef struct jacquard_manager jacquard_manager;
/** A running search for tags. @since 0.1 */
typedef struct jacquard_scan jacquard_scan;
/** A request to stay connected to one tag. @since 0.1 */
typedef struct jacquard_connection jacquard_connection;
/** A tag for the duration of one link. @since 0.1 */
typedef struct jacquard_tag jacquard_tag;
/** A registered callback for events that can occur many times. @since 0.1 */
typedef struct jacquard_subscription jacquard_subscription;
/** A command that has been sent or is queued. @since 0.1 */
typedef struct jacquard_request jacquard_request;
/** The tag itself, or the gear that it is attached to. @since 0.1 */
typedef struct jacquard_component jacquard_component;

/** Options of jacquard_manager_new(). @since 0.1 */
typedef struct jacquard_manager_options {
  uint32_t struct_size;    /**< sizeof(jacquard_manager_options) */
  uint32_t reserved;       /**< 0 */
  const char *bus_address; /**< D-Bus address, unix: only; NULL: $DBUS_SYSTEM_BUS_ADDRESS, else the system bus */
  const char *adapter;     /**< address "00:11:22:33:44:55" of the adapter to use; NULL: the first powered one */
  const char *state_directory; /**< absolute path of the directory that holds the known tags; NULL:
                                    $XDG_STATE_HOME/jacquard, else ~/.local/state/jacquard. Created when needed. */
  const char *restore_id;  /**< 1 to 255 bytes, chosen by the program: see jacquard_manager_on_restore(); NULL: wanted
                                tags are not remembered */
  uint32_t auto_connect;   /**< 1: connects to the wanted tags automatically; requires a restore_id */
  uint32_t exclusive;      /**< 0: uses the service if there is one; 1: has the link itself, and is refused with
                                JACQUARD_ERROR_IN_USE while other programs use the tag: see "Sharing" */
} jacquard_manager_options;

#define JACQUARD_MANAGER_OPTIONS_INIT { (uint32_t)sizeof(jacquard_manager_options), 0, NULL, NULL, NULL, NULL, 0, 0 }

/**
 * Creates a manager. It connects to the bus when its loop first runs, and reconnects whenever the bus or bluetoothd is
 * restarted. Missing Bluetooth is not an error here; jacquard_manager_on_adapter() reports it.
 *
 * @param options NULL for the defaults
 * @param manager receives the manager, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_BUS_ADDRESS, JACQUARD_ERROR_SYSTEM (no descriptors left)
 * @since 0.1
 */
int jacquard_manager_new(const jacquard_manager_options *options, jacquard_manager **manager);

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_manager *jacquard_manager_ref(jacquard_manager *manager);

/**
 * Releases a reference. Releasing the last one closes the manager: when the function returns, links are dropped,
 * threads have ended, descriptors are closed and no further callback runs. Pending requests end without a callback;
 * only their `destroy` runs. Handles of the manager's scans, connections and tags stay valid until they are released,
 * and yield JACQUARD_ERROR_CLOSED.
 *
 * @return NULL
 * @since 0.1
 */
jacquard_manager *jacquard_manager_unref(jacquard_manager *manager);

/**
 * Returns the descriptor to poll for reading in the caller's loop; call jacquard_manager_dispatch() when it is
 * readable. It also covers timers, so the caller does not need to compute a poll timeout. The descriptor belongs to the
 * manager; do not close it or read from it.
 *
 * @return a descriptor, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_get_fd(jacquard_manager *manager);

/**
 * Runs the work that is ready, including callbacks, and returns without waiting. Each call does a bounded amount of
 * work; the descriptor stays readable while there is more.
 *
 * @return 0, JACQUARD_ERROR_MISUSE (called inside a callback, while another thread dispatches, or after
 *   jacquard_manager_start()), JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_manager_dispatch(jacquard_manager *manager);

/**
 * Starts one thread that runs the loop until the manager's last reference is released. The thread blocks all signals
 * and cannot be cancelled.
 *
 * @return 0, JACQUARD_ERROR_MISUSE (started before, or a dispatch is running), JACQUARD_ERROR_INVALID_ARGUMENT,
 *   JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_manager_start(jacquard_manager *manager);

/** Importance of a log message, most important first. @since 0.1 */
typedef enum jacquard_log_level {
  JACQUARD_LOG_LEVEL_WARNING = 1, /**< something was dropped or refused; the library continues */
  JACQUARD_LOG_LEVEL_INFO = 2,    /**< state changes */
  JACQUARD_LOG_LEVEL_DEBUG = 3    /**< every step */
} jacquard_log_level;

/** One log message. @since 0.1 */
typedef struct jacquard_log {
  uint32_t level;      /**< a jacquard_log_level */
  uint32_t reserved;   /**< 0 */
  const char *part;    /**< source of the message: "bus", "bluez", "scan", "link", "wire", "state" */
  const char *message; /**< one line, without a newline */
} jacquard_log;

/** Receives log messages. @since 0.1 */
typedef void (*jacquard_log_callback)(const jacquard_log *log, void *user_data);

/**
 * Sends log messages up to `level` to a callback. Several callbacks may be registered. If the environment variable
 * JACQUARD_LOG is "warning", "info" or "debug" when a manager is created, messages up to that level are also written to
 * stderr, which may block; a setuid program ignores it. There is no other log output.
 *
 * @param level a jacquard_log_level
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_log(jacquard_manager *manager, uint32_t level, jacquard_log_callback callback, void *user_data,
                            jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Adapter                                                                                                            */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Whether Bluetooth can be used. Names and meanings follow CBManagerState of Core Bluetooth. @since 0.1 */
typedef enum jacquard_adapter_state {
  JACQUARD_ADAPTER_STATE_UNKNOWN = 0,      /**< not known yet */
  JACQUARD_ADAPTER_STATE_RESETTING = 1,    /**< bluetoothd or the bus disconnected or does not respond; waiting for
                                                it. A link may stay up meanwhile; events of that time may be lost
                                                (`interruptions` of jacquard_counters). A bluetoothd that does not
                                                respond is noticed within 8 s during a touch in continuous mode, 10 s
                                                in a motion stream, and 15 s by commands; not by a program that only
                                                waits, which receives events later */
  JACQUARD_ADAPTER_STATE_UNSUPPORTED = 2,  /**< no bus, no bluetoothd or no adapter: see error */
  JACQUARD_ADAPTER_STATE_UNAUTHORIZED = 3, /**< this user may not use Bluetooth: see error */
  JACQUARD_ADAPTER_STATE_POWERED_OFF = 4,  /**< powered off, possibly by rfkill */
  JACQUARD_ADAPTER_STATE_POWERED_ON = 5    /**< ready */
} jacquard_adapter_state;

/** The adapter in use, or why there is none. @since 0.1 */
typedef struct jacquard_adapter {
  jacquard_manager *manager;   /**< borrowed */
  uint32_t state;              /**< whether it can be used: a jacquard_adapter_state */
  uint32_t reserved;           /**< 0 */
  const char *address;         /**< "00:11:22:33:44:55", "" if there is none */
  const char *name;            /**< the adapter's alias, "" if there is none */
  const jacquard_error *error; /**< why it cannot be used; NULL when POWERED_ON or UNKNOWN */
} jacquard_adapter;

/** Receives the adapter's state. @since 0.1 */
typedef void (*jacquard_adapter_callback)(const jacquard_adapter *adapter, void *user_data);

/**
 * Delivers the adapter's state: the current one soon after the call, then each change. An adapter that is powered on
 * again within 1 s is not reported as powered off, because a bluetoothd that is restarted looks the same; links that it
 * lost are. Nor is one of a bluetoothd that has stopped responding. A removed adapter is RESETTING for 10 s, even if
 * another one is powered.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_adapter(jacquard_manager *manager, jacquard_adapter_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * Returns the name of a jacquard_adapter_state, "powered on".
 *
 * @return static; never NULL, also for a number without a name
 * @since 0.1
 */
const char *jacquard_adapter_state_name(uint32_t state);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Scanning                                                                                                           */
/* ------------------------------------------------------------------------------------------------------------------ */

/** The rssi of a tag whose signal strength is unknown, as in HCI (Core Specification, volume 4, part E). */
#define JACQUARD_RSSI_UNKNOWN 127

/** Options of jacquard_manager_scan(). @since 0.1 */
typedef struct jacquard_scan_options {
  uint32_t struct_size;      /**< sizeof(jacquard_scan_options) */
  uint32_t timeout_ms;       /**< the scan ends after this time; 0: never */
  const char *serial;        /**< the serial number a tag advertises, or a longer one that ends with it,
                                  case-insensitive; NULL: any */
  int32_t minimum_rssi;      /**< in dBm, -127 to 20; tags that are weaker or of unknown strength are ignored; 0: any */
  uint32_t every_report;     /**< 0: each tag once, and again after 1024 other tags; 1: every report from BlueZ */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  uint32_t reserved;         /**< 0 */
} jacquard_scan_options;

#define JACQUARD_SCAN_OPTIONS_INIT { (uint32_t)sizeof(jacquard_scan_options), 0, NULL, 0, 0, 0, 0 }

/** A tag that was seen. @since 0.1 */
typedef struct jacquard_advertisement {
  jacquard_manager *manager; /**< borrowed */
  jacquard_scan *scan;       /**< borrowed; NULL from jacquard_manager_list_connected() */
  const char *identifier;    /**< a UUID of the address, the same on every adapter and machine; pass it to connect, or
                                  store it: one of a private address remains valid for the program that binds the tag,
                                  although the tag has another one from then on */
  const char *serial;        /**< the end of the number printed on the tag, "01ZK"; "" if it is not advertised */
  const char *name;          /**< advertised name, "Jacquard-01ZK"; "" if there is none */
  const char *address;       /**< Bluetooth address "C0:FF:EE:00:00:01" */
  int32_t rssi;              /**< signal strength of this report in dBm, or JACQUARD_RSSI_UNKNOWN */
  uint32_t bonded;           /**< 1: this machine has a bond with it */
  uint32_t connected;        /**< 1: it is already connected to this machine, possibly by another program */
  uint32_t reserved;         /**< 0 */
} jacquard_advertisement;

/** Receives each tag found. @since 0.1 */
typedef void (*jacquard_advertisement_callback)(const jacquard_advertisement *advertisement, void *user_data);

/** Why a scan ended. @since 0.1 */
typedef enum jacquard_scan_end {
  JACQUARD_SCAN_END_TIMED_OUT = 1,         /**< timeout_ms has passed */
  JACQUARD_SCAN_END_POWERED_OFF = 2,       /**< the adapter is powered off: see error */
  JACQUARD_SCAN_END_ADAPTER_GONE = 3,      /**< no adapter, no bluetoothd or no bus: see error */
  JACQUARD_SCAN_END_PERMISSION_DENIED = 4, /**< this user may not use Bluetooth: see error */
  JACQUARD_SCAN_END_ERROR = 5,             /**< see error */
  JACQUARD_SCAN_END_STOPPED = 6            /**< jacquard_scan_stop() was called */
} jacquard_scan_end;

/** How a scan ended. @since 0.1 */
typedef struct jacquard_scan_result {
  jacquard_manager *manager;   /**< borrowed */
  jacquard_scan *scan;         /**< borrowed */
  uint32_t reason;             /**< a jacquard_scan_end. If timeout_ms has passed and the controller has refused to scan
                                    all the time: ERROR, with JACQUARD_ERROR_ADAPTER_REFUSED */
  uint32_t reserved;           /**< 0 */
  const jacquard_error *error; /**< NULL for TIMED_OUT and STOPPED */
} jacquard_scan_result;

/** Called once when a scan ends. @since 0.1 */
typedef void (*jacquard_scan_end_callback)(const jacquard_scan_result *result, void *user_data);

/**
 * Scans for tags: reports advertisements that contain the Jacquard service. The library filters them itself because
 * BlueZ merges the filters of all programs. Tags that are already connected to this machine, and so do not advertise,
 * are reported first; jacquard_manager_list_connected() lists them without a scan, which starts discovery even with a
 * timeout_ms of 1. A scan survives restarts of bluetoothd and of the bus.
 *
 * @param options NULL for the defaults
 * @param on_advertisement called for each tag found
 * @param on_end called once when the scan ends; may be NULL; not called when the last reference to the scan or to the
 *   manager is released
 * @param user_data passed to both callbacks
 * @param scan receives a handle, or NULL: the scan runs until it ends by itself or with the manager
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_scan(jacquard_manager *manager, const jacquard_scan_options *options,
                          jacquard_advertisement_callback on_advertisement, jacquard_scan_end_callback on_end,
                          void *user_data, jacquard_destroy_callback destroy, jacquard_scan **scan);

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_scan *jacquard_scan_ref(jacquard_scan *scan);

/** Releases a reference; releasing the last one ends the scan without calling on_end. @return NULL @since 0.1 */
jacquard_scan *jacquard_scan_unref(jacquard_scan *scan);

/**
 * Stops a scan: no advertisement is reported after this function returns. on_end is called once, with
 * JACQUARD_SCAN_END_STOPPED, the next time the loop runs, and then `destroy`. Stopping a scan that has ended is not an
 * error.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_scan_stop(jacquard_scan *scan);

/**
 * Returns whether a scan is running. A scan is running from its creation until it is stopped or ends, even while it
 * waits for an adapter; it is no longer running when on_end is called.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_scan_is_running(jacquard_scan *scan);

/**
 * Returns whether any scan of a manager is running. The searches that connections make for their tags do not count.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_is_scanning(jacquard_manager *manager);

/** Whether any scan of a manager is running. @since 0.1 */
typedef struct jacquard_scanning {
  jacquard_manager *manager; /**< borrowed */
  uint32_t scanning;         /**< 1: at least one scan is running; 0: none is */
  uint32_t reserved;         /**< 0 */
} jacquard_scanning;

/** Receives whether any scan is running. @since 0.1 */
typedef void (*jacquard_scanning_callback)(const jacquard_scanning *scanning, void *user_data);

/**
 * Delivers whether any scan of a manager is running, as jacquard_manager_is_scanning() returns it: the current value
 * soon after the call, then each change. 0 is delivered after the on_end callback of the last scan. A scan that ends
 * before the loop has run is not reported.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_scanning(jacquard_manager *manager, jacquard_scanning_callback callback, void *user_data,
                                 jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * Receives the connected tags as an array of `count` pointers, valid during the callback, or an error. `rssi` and
 * `serial` may be unknown, because a connected tag does not advertise.
 *
 * @since 0.1
 */
typedef void (*jacquard_advertisements_callback)(const jacquard_advertisement *const *tags, size_t count,
                                                 const jacquard_error *error, void *user_data);

/** Options of jacquard_manager_list_connected(). @since 0.1 */
typedef struct jacquard_list_connected_options {
  uint32_t struct_size; /**< sizeof(jacquard_list_connected_options) */
  uint32_t reserved;    /**< 0 */
} jacquard_list_connected_options;

#define JACQUARD_LIST_CONNECTED_OPTIONS_INIT { (uint32_t)sizeof(jacquard_list_connected_options), 0 }

/**
 * Lists the tags that are connected to the adapter in use at this moment, by this program or another one. It only asks
 * BlueZ: it starts no discovery, and neither affects links nor waits for an adapter. Pass an identifier to
 * jacquard_manager_connect() to use the tag.
 *
 * @param options NULL for the defaults
 * @param callback called once; errors: JACQUARD_ERROR_BUS_UNAVAILABLE, _BLUEZ_UNAVAILABLE, _PERMISSION_DENIED,
 *   _NO_ADAPTER, _POWERED_OFF, _TIMEOUT
 * @param request receives a handle to cancel the request, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_list_connected(jacquard_manager *manager, const jacquard_list_connected_options *options,
                                    jacquard_advertisements_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Connection                                                                                                         */
/* ------------------------------------------------------------------------------------------------------------------ */

/** The phase of a connection. @since 0.1 */
typedef enum jacquard_phase {
  JACQUARD_PHASE_DISCONNECTED = 0,   /**< ended; the library does not retry */
  JACQUARD_PHASE_PREPARING = 1,      /**< no link; waiting for the adapter, the tag, or the next attempt, or
                                        establishing the link: BlueZ does not report whether a known tag is in
                                        range */
  JACQUARD_PHASE_CONNECTING = 2,     /**< the link is up; discovering services and enabling notifications */
  JACQUARD_PHASE_AUTHENTICATING = 3, /**< pairing */
  JACQUARD_PHASE_INITIALIZING = 4,   /**< negotiating the protocol with the tag */
  JACQUARD_PHASE_CONFIGURING = 5,    /**< configuring the tag */
  JACQUARD_PHASE_CONNECTED = 6       /**< ready; the state has a tag */
} jacquard_phase;

/**
 * Returns the name of a jacquard_phase, "connecting".
 *
 * @return static; never NULL, also for a number without a name
 * @since 0.1
 */
const char *jacquard_phase_name(uint32_t phase);

/** Options of jacquard_manager_connect(). @since 0.1 */
typedef struct jacquard_connect_options {
  uint32_t struct_size;      /**< sizeof(jacquard_connect_options) */
  uint32_t timeout_ms;       /**< time limit for the first connection; 0: 60 s, or no limit for a tag that is bound
                                  here; UINT32_MAX: no limit */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  uint32_t reserved;         /**< 0 */
  const char *owner;         /**< if the tag is bound here, its owner must be this one; NULL: any owner */
  const char *serial;        /**< instead of an identifier: the serial number, as in jacquard_scan_options; of a tag
                                  that is bound here also the end of the full number, from 4 characters */
} jacquard_connect_options;

#define JACQUARD_CONNECT_OPTIONS_INIT { (uint32_t)sizeof(jacquard_connect_options), 0, 0, 0, NULL, NULL }

/**
 * Why a link ended. BlueZ 5.83 and later reports the first six. With older versions the library reports LOCAL for links
 * that it dropped itself and SUSPEND after the machine was suspended. The library itself detects the last two.
 *
 * @since 0.1
 */
typedef enum jacquard_disconnect_reason {
  JACQUARD_DISCONNECT_REASON_NONE = 0,           /**< no link has ended, or a new one is up */
  JACQUARD_DISCONNECT_REASON_UNKNOWN = 1,        /**< no reason was reported */
  JACQUARD_DISCONNECT_REASON_TIMEOUT = 2,        /**< supervision timeout: the tag is out of range or out of power */
  JACQUARD_DISCONNECT_REASON_LOCAL = 3,          /**< this machine dropped it: this program, another program, or
                                                      BlueZ */
  JACQUARD_DISCONNECT_REASON_REMOTE = 4,         /**< the tag dropped it */
  JACQUARD_DISCONNECT_REASON_AUTHENTICATION = 5, /**< tag and machine could not authenticate each other */
  JACQUARD_DISCONNECT_REASON_SUSPEND = 6,        /**< the machine was suspended */
  JACQUARD_DISCONNECT_REASON_POWERED_OFF = 7,    /**< the adapter was powered off */
  JACQUARD_DISCONNECT_REASON_SERVICE_GONE = 8    /**< bluetoothd, the bus or the adapter became unavailable */
} jacquard_disconnect_reason;

/**
 * The state of a connection.
 *
 * Each step is an observed event: 1 adapter ready, 2 tag known to BlueZ, 3 link up, 4 services resolved, 5 all four
 * characteristics found, 6 to 8 notifications enabled on each of three characteristics, 9 hello written, 10 response to
 * hello, 11 response to begin, 12 response to device information, 13 configuration accepted, 14 connected. While a tag
 * is away, each further attempt is reported once, with step 0, and again when its link is up.
 *
 * @since 0.1
 */
typedef struct jacquard_connection_state {
  jacquard_manager *manager;       /**< borrowed */
  jacquard_connection *connection; /**< borrowed */
  jacquard_tag *tag;               /**< borrowed; NULL unless CONNECTED; a new one after each reconnection */
  uint32_t phase;                  /**< a jacquard_phase */
  uint32_t step;                   /**< the last completed step, 0 to total_steps */
  uint32_t total_steps;            /**< 14 */
  uint32_t attempt;                /**< number of the current attempt, from 1; starts again at 1 after a lost link */
  const jacquard_error *reason;    /**< why the last attempt or link ended; NULL at first, when CONNECTED, and after
                                        jacquard_connection_disconnect(). Before DISCONNECTED, BOND_LOST and NOT_BOUND
                                        are suspicions, and the library keeps trying */
  uint32_t disconnect_reason;      /**< why the last link ended, a jacquard_disconnect_reason; failed attempts do not
                                        change it. If the cause becomes known later, the state is delivered once more */
  int32_t service_process;         /**< the process of the service that gives this program the tag; 0: the program has
                                        the link itself, there is no link, or the process is not known */
  const char *identifier;          /**< the tag's identifier, as in jacquard_advertisement; "" until a tag with the
                                        given serial number was found, which is reported as a state */
} jacquard_connection_state;

/**
 * Receives the state of a connection. A program that subscribes to events of the connection inside the call that
 * delivers CONNECTED misses none of that link: those that arrived while the link was set up are delivered after this
 * call. Only raw data may have been missed.
 *
 * @since 0.1
 */
typedef void (*jacquard_connection_callback)(const jacquard_connection_state *state, void *user_data);

/**
 * Connects to a tag and keeps it connected: after a lost link or a restart of bluetoothd or the bus, the connection
 * returns to PREPARING and retries until the caller ends it. The first connection must be established within
 * timeout_ms. The connection ends in DISCONNECTED after jacquard_connection_disconnect(), when the first connection is
 * not established in time, when the adapter is off or missing (unless wait_for_adapter is set), or when a retry cannot
 * help: JACQUARD_ERROR_BOND_LOST, _NOT_BOUND, _OTHER_OWNER, _PROTOCOL_VERSION, _NOT_FOUND for a device of this machine
 * that is not a tag, or, before the connection was established for the first time, _IN_USE. BOND_LOST and _NOT_BOUND
 * end it only if BlueZ or the tag has said so, or two independent signs show it. BlueZ before 5.83 does not say that a
 * tag has lost its bond: BOND_LOST is then the reason of PREPARING, and the library keeps trying, with growing pauses.
 *
 * With a serial number instead of an identifier, the connection first finds the tag: among the tags that are bound
 * here, if exactly one has this number, otherwise by a search, which is a part of PREPARING and of timeout_ms. It may
 * then also end like a scan, or with JACQUARD_ERROR_ALREADY_CONNECTED if this manager already has a connection to the
 * tag that was found. JACQUARD_ERROR_NOT_FOUND says that the search found no tag in time.
 *
 * When BlueZ resolves the private address of a tag, two connections of this manager may turn out to be to the same tag.
 * Then the one without a link ends with JACQUARD_ERROR_ALREADY_CONNECTED.
 *
 * See "Sharing" above for programs that use the same tag.
 *
 * @param identifier from a jacquard_advertisement, possibly of an earlier run; NULL with a serial number in `options`
 * @param options NULL for the defaults
 * @param on_state called with the current state soon after the call and then at each change; may be NULL
 * @param connection receives the connection, with one reference; releasing the last reference ends it
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: not a UUID, or not exactly one of identifier and serial number),
 *   JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_ALREADY_CONNECTED (jacquard_manager_find_connection() returns that
 *   connection)
 * @since 0.1
 */
int jacquard_manager_connect(jacquard_manager *manager, const char *identifier, const jacquard_connect_options *options,
                             jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_connection **connection);

/** Text that an application stores with a tag. Its size never changes, so that it can be used in arrays. @since 0.1 */
typedef struct jacquard_profile_entry {
  const char *key;   /**< 1 to 256 bytes, each key once */
  const char *value; /**< up to 4096 bytes */
} jacquard_profile_entry;

/** Options of jacquard_manager_bind(). @since 0.1 */
typedef struct jacquard_bind_options {
  uint32_t struct_size;      /**< sizeof(jacquard_bind_options) */
  uint32_t timeout_ms;       /**< time limit for binding and connecting; 0: 60 s; UINT32_MAX: no limit */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  uint32_t reserved;         /**< 0 */
  const char *code;          /**< the number printed on the tag, or at least its last 4 characters, case-insensitive;
                                  never NULL */
  const char *owner;         /**< 1 to 256 bytes; NULL: the current owner, or none */
  const jacquard_profile_entry *profile; /**< stored with the tag; NULL: keeps the stored profile */
  size_t profile_count;      /**< up to 64 */
} jacquard_bind_options;

#define JACQUARD_BIND_OPTIONS_INIT { (uint32_t)sizeof(jacquard_bind_options), 0, 0, 0, NULL, NULL, NULL, 0 }

/**
 * Connects to a tag for the first time, like jacquard_manager_connect(), and binds it. The library checks the code
 * against the advertised part of the serial number, and later against the full number that the tag reports. It creates
 * a bond, with its own pairing agent, and stores the tag. The phase is AUTHENTICATING while BlueZ pairs. Afterwards
 * jacquard_manager_connect() with the same identifier is enough; the code is not needed again. If binding fails, the
 * bond is removed again. A tag that is already bound keeps its bond; its owner and profile are updated.
 *
 * The connection can also end with JACQUARD_ERROR_WRONG_CODE, _PAIRING_REFUSED, _OTHER_OWNER and _STATE_FILE. The owner
 * is stored on this machine only; the tag does not know it.
 *
 * @param identifier as in jacquard_manager_connect(); NULL: finds the tag by the code, as by a serial number
 * @param options must contain the code
 * @param on_state as in jacquard_manager_connect(); may be NULL
 * @return like jacquard_manager_connect(); also JACQUARD_ERROR_INVALID_ARGUMENT if the code is missing or has fewer
 *   than 4 characters
 * @since 0.1
 */
int jacquard_manager_bind(jacquard_manager *manager, const char *identifier, const jacquard_bind_options *options,
                          jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                          jacquard_connection **connection);

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_connection *jacquard_connection_ref(jacquard_connection *connection);

/**
 * Releases a reference. Releasing the last one drops the link, ends the subscriptions, and cancels downloads, streams
 * and updates.
 *
 * @return NULL
 * @since 0.1
 */
jacquard_connection *jacquard_connection_unref(jacquard_connection *connection);

/**
 * Ends the connection and drops the link, unless other programs share the tag. DISCONNECTED is delivered when the link
 * is down or was left to another program. A bound tag stays bound, but
 * is no longer wanted at the next start (see jacquard_manager_on_restore()).
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_disconnect(jacquard_connection *connection);

/**
 * Delivers the connection's state to one more callback: the current one soon after the call, then each change.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_state(jacquard_connection *connection, jacquard_connection_callback callback,
                                 void *user_data, jacquard_destroy_callback destroy,
                                 jacquard_subscription **subscription);

/**
 * Delivers the states of all connections of a manager, including future ones: soon after the call the current state of
 * each connection that has not ended, then every change. The last state of a connection is DISCONNECTED; if its last
 * reference has been released, `connection` and `tag` are NULL.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_on_connection(jacquard_manager *manager, jacquard_connection_callback callback, void *user_data,
                                   jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * Returns this manager's connection to a tag, for example to end it or to get its phase when only the identifier is
 * known. It is the one that jacquard_manager_connect(), jacquard_manager_bind() or auto_connect began, until it is
 * DISCONNECTED or its last reference is released. If there is none yet, jacquard_manager_on_connection() reports its
 * beginning, and jacquard_manager_list_connected() whether another program has connected the tag.
 *
 * @param identifier as in jacquard_advertisement
 * @param connection receives the connection, with one reference; it does not end before this reference is released, too
 * @return 0, JACQUARD_ERROR_NOT_FOUND (the manager has no connection to this tag), JACQUARD_ERROR_INVALID_ARGUMENT,
 *   JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_find_connection(jacquard_manager *manager, const char *identifier,
                                     jacquard_connection **connection);

/**
 * Returns the phase of a connection, as in the last state delivered.
 *
 * @return a jacquard_phase, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_get_phase(jacquard_connection *connection);

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_subscription *jacquard_subscription_ref(jacquard_subscription *subscription);

/** Releases a reference; releasing the last one cancels the subscription. @return NULL @since 0.1 */
jacquard_subscription *jacquard_subscription_unref(jacquard_subscription *subscription);

/**
 * Cancels a subscription. Cancelling it again, or after its owner has ended, is not an error.
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
  const char *serial;                    /**< full serial number; "" if the tag does not report it */
  const char *name;                      /**< name at the last connection */
  const char *owner;                     /**< "" if none */
  const jacquard_profile_entry *profile; /**< as passed to bind or update; NULL if empty */
  size_t profile_count;                  /**< number of entries */
  int64_t bound_at;                      /**< seconds since 1970 */
  int64_t last_connected;                /**< seconds since 1970 */
  uint32_t wanted;                       /**< 1: wanted under this manager's restore_id */
  uint32_t reserved;                     /**< 0 */
} jacquard_known_tag;

/** Receives the known tags as an array of `count` pointers, valid during the callback, or an error. @since 0.1 */
typedef void (*jacquard_known_tags_callback)(const jacquard_known_tag *const *tags, size_t count,
                                             const jacquard_error *error, void *user_data);

/** Completes what only succeeds or fails: `error` is NULL on success. @since 0.1 */
typedef void (*jacquard_done_callback)(const jacquard_error *error, void *user_data);

/** Options of jacquard_manager_list_known(). @since 0.1 */
typedef struct jacquard_list_known_options {
  uint32_t struct_size;   /**< sizeof(jacquard_list_known_options) */
  uint32_t reserved;      /**< 0 */
  const char *identifier; /**< lists this tag if it is known, else none; NULL: all */
} jacquard_list_known_options;

#define JACQUARD_LIST_KNOWN_OPTIONS_INIT { (uint32_t)sizeof(jacquard_list_known_options), 0, NULL }

/**
 * Lists the tags that this user has bound to this machine, in the order in which they were bound, or says whether one
 * tag is among them. It needs neither Bluetooth nor a scan.
 *
 * @param options NULL for the defaults
 * @param callback called once, with JACQUARD_ERROR_STATE_FILE if the known tags cannot be read. A damaged file is left
 *   unchanged until a tag is bound, which keeps a copy of it.
 * @param request receives a handle to cancel the request, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_list_known(jacquard_manager *manager, const jacquard_list_known_options *options,
                                jacquard_known_tags_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_request **request);

/** Options of jacquard_manager_update_known(). @since 0.1 */
typedef struct jacquard_update_known_options {
  uint32_t struct_size; /**< sizeof(jacquard_update_known_options) */
  uint32_t reserved;    /**< 0 */
} jacquard_update_known_options;

#define JACQUARD_UPDATE_KNOWN_OPTIONS_INIT { (uint32_t)sizeof(jacquard_update_known_options), 0 }

/**
 * Replaces the profile of a known tag. Does not need Bluetooth.
 *
 * @param profile copied; NULL when profile_count is 0
 * @param options NULL for the defaults
 * @param callback called once; errors: JACQUARD_ERROR_NOT_FOUND (the tag is not known), JACQUARD_ERROR_STATE_FILE
 * @param request receives a handle to cancel the request, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_update_known(jacquard_manager *manager, const char *identifier,
                                  const jacquard_profile_entry *profile, size_t profile_count,
                                  const jacquard_update_known_options *options, jacquard_done_callback callback,
                                  void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** Options of jacquard_manager_unbind(). @since 0.1 */
typedef struct jacquard_unbind_options {
  uint32_t struct_size; /**< sizeof(jacquard_unbind_options) */
  uint32_t reserved;    /**< 0 */
} jacquard_unbind_options;

#define JACQUARD_UNBIND_OPTIONS_INIT { (uint32_t)sizeof(jacquard_unbind_options), 0 }

/**
 * Forgets a tag: ends this manager's connection to it, removes it from BlueZ together with its bonds on all adapters
 * (the service does that, if there is one), and then removes it from the known tags. Connections of other programs for
 * which it was bound end with JACQUARD_ERROR_NOT_BOUND. A tag that is bonded but not known is removed from BlueZ as
 * well, but no device that is not a tag. The tag itself keeps its half of the bond.
 *
 * @param options NULL for the defaults
 * @param callback called once; errors: JACQUARD_ERROR_NOT_FOUND (the tag is neither known nor bonded),
 *   JACQUARD_ERROR_BLUEZ_UNAVAILABLE, _BUS_UNAVAILABLE or _PERMISSION_DENIED (nothing was changed),
 *   JACQUARD_ERROR_BUSY (another program does something that excludes it), JACQUARD_ERROR_SERVICE_UNAVAILABLE,
 *   JACQUARD_ERROR_POWERED_OFF, JACQUARD_ERROR_STATE_FILE
 * @param request receives a handle to cancel the request, or NULL; cancelling does not undo steps already begun
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_unbind(jacquard_manager *manager, const char *identifier, const jacquard_unbind_options *options,
                            jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                            jacquard_request **request);

/** A tag that was wanted when the last manager with this restore_id ended. @since 0.1 */
typedef struct jacquard_restoration {
  jacquard_manager *manager;       /**< borrowed */
  const char *identifier;          /**< as in jacquard_advertisement */
  const jacquard_known_tag *known; /**< NULL if it is not bound to this machine */
  jacquard_connection *connection; /**< with auto_connect, borrowed; else NULL */
} jacquard_restoration;

/**
 * Receives the wanted tags as an array of `count` pointers, valid during the callback, or an error:
 * JACQUARD_ERROR_STATE_FILE, the wanted tags cannot be read.
 *
 * @since 0.1
 */
typedef void (*jacquard_restorations_callback)(const jacquard_restoration *const *restorations, size_t count,
                                               const jacquard_error *error, void *user_data);

/**
 * Reports the tags that were wanted when the last manager with this restore_id ended, whether it was released, its
 * process ended or the machine was switched off. The callback runs once, with all of them and also if there are none,
 * soon after the loop first runs or, if the loop has already run, soon after this call. A tag is wanted from
 * jacquard_manager_connect() or jacquard_manager_bind() until jacquard_connection_disconnect(),
 * jacquard_manager_unbind(), or an error that the user must resolve: the errors listed with these two functions except
 * _IN_USE, _PROTOCOL_VERSION and _STATE_FILE. Releasing the connection's handle does not change this.
 *
 * If auto_connect is set in the manager's options, the library connects to each of these tags automatically, without a
 * time limit, and waits for the adapter. It keeps a reference to the connection until the manager ends, so releasing
 * your reference does not end the connection; jacquard_connection_disconnect() does.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: the manager has no restore_id), JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_manager_on_restore(jacquard_manager *manager, jacquard_restorations_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Tag                                                                                                                */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_tag *jacquard_tag_ref(jacquard_tag *tag);

/** Releases a reference. Pending commands continue. @return NULL @since 0.1 */
jacquard_tag *jacquard_tag_unref(jacquard_tag *tag);

/** What the tag reported about itself while connecting. Valid as long as the tag handle. @since 0.1 */
typedef struct jacquard_tag_info {
  const char *identifier;   /**< as in jacquard_advertisement */
  const char *address;      /**< Bluetooth address */
  const char *name;         /**< name of the link, "Jacquard-01ZK" */
  const char *serial;       /**< the tag's full serial number: the third dash-separated part of uuid; "" if none */
  const char *uuid;         /**< manufacturing ID */
  const char *vendor;       /**< "Google Inc." */
  const char *model;        /**< "UJT" */
  uint32_t vendor_id;       /**< 0x117830C8 for Google */
  uint32_t product_id;      /**< 0x283BE7A0 for the tag */
  uint32_t revision;        /**< hardware revision */
  uint32_t firmware[3];     /**< major, minor, point */
  uint32_t bootloader[3];   /**< major, minor, point */
  uint32_t faulty_firmware; /**< 1: firmware 1.0.6 or 1.1.0, which the reference SDKs replaced before they connected */
} jacquard_tag_info;

/**
 * Returns what the tag reported about itself while connecting.
 *
 * @param info receives a pointer that is valid as long as the tag handle; also works for a stale tag
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_tag_get_info(jacquard_tag *tag, const jacquard_tag_info **info);

/** Options of a command. @since 0.1 */
typedef struct jacquard_request_options {
  uint32_t struct_size; /**< sizeof(jacquard_request_options) */
  uint32_t timeout_ms;  /**< time limit of the command, starting when its first request has been written. It includes
                             retries and further requests, but not the time in the queue. When it expires, the command
                             completes with JACQUARD_ERROR_TIMEOUT. The tag may still execute the command; the next
                             command is sent when the tag has responded, or 8 s after the request was written. With a
                             service, which may have to send other programs' commands first, the limit starts 10 s
                             after the request was sent to the service, at the latest. 0: no limit for the command, and
                             8 s for each attempt of each request, which are suspended for up to 2 minutes while
                             bluetoothd does not respond */
} jacquard_request_options;

#define JACQUARD_REQUEST_OPTIONS_INIT { (uint32_t)sizeof(jacquard_request_options), 0 }

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_request *jacquard_request_ref(jacquard_request *request);

/** Releases a reference; releasing the last one cancels the request. @return NULL @since 0.1 */
jacquard_request *jacquard_request_unref(jacquard_request *request);

/**
 * Cancels a request: its callback will not run. A command that the tag has already received still takes effect.
 * Cancelling a completed request is not an error.
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

/** Completes a battery command: exactly one of `battery` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_battery_callback)(const jacquard_battery *battery, const jacquard_error *error,
                                          void *user_data);

/**
 * Reads the tag's battery level. See "Commands" above.
 *
 * @param options NULL for the defaults
 * @param callback called once, unless the command is cancelled or the manager ends
 * @param request receives a handle to cancel the command, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_read_battery(jacquard_tag *tag, const jacquard_request_options *options,
                              jacquard_battery_callback callback, void *user_data, jacquard_destroy_callback destroy,
                              jacquard_request **request);

/** A battery notification. @since 0.1 */
typedef struct jacquard_battery_event {
  jacquard_connection *connection; /**< borrowed */
  const jacquard_battery *battery; /**< never NULL */
} jacquard_battery_event;

/** Receives battery notifications. @since 0.1 */
typedef void (*jacquard_battery_event_callback)(const jacquard_battery_event *event, void *user_data);

/**
 * Delivers the tag's battery notifications: one immediately after connecting, then whenever the tag sends one. A new
 * subscriber first receives the latest value of the current link. The subscription outlives the link.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_battery(jacquard_connection *connection, jacquard_battery_event_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy,
                                   jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Components: the tag and its gear                                                                                   */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * What a component can do; a set is the sum of these. A command that requires a missing one completes with
 * JACQUARD_ERROR_UNSUPPORTED, and nothing is sent.
 *
 * @since 0.1
 */
typedef enum jacquard_capability {
  JACQUARD_CAPABILITY_LED = 1,     /**< plays LED patterns */
  JACQUARD_CAPABILITY_GESTURE = 2, /**< reports gestures */
  JACQUARD_CAPABILITY_TOUCH = 4,   /**< streams touch samples */
  JACQUARD_CAPABILITY_HAPTIC = 8   /**< vibrates */
} jacquard_capability;

/** What is known about a component. Valid as long as its handle. @since 0.1 */
typedef struct jacquard_component_info {
  uint32_t id;                /**< 0: the tag; else a number that is valid for this attachment only */
  uint32_t vendor_id;         /**< 0x74A8CE54 for Levi's */
  uint32_t product_id;        /**< 0x8A6650F4 for the Trucker Jacket */
  uint32_t capabilities;      /**< sum of jacquard_capability; 0 if unknown to this version */
  const char *vendor;         /**< "Levi's"; "" if unknown to this version */
  const char *product;        /**< "Trucker Jacket"; "" if unknown to this version */
  const char *vendor_text;    /**< the vendor ID in Jacquard's notation, "74-a8-ce-54" */
  const char *product_text;   /**< the product ID in the same notation */
  const char *uuid;           /**< manufacturing ID; "" if the gear did not report it */
  uint32_t firmware[3];       /**< major, minor, point; zeros if the gear did not report it */
  uint32_t reserved;          /**< 0 */
} jacquard_component_info;

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
jacquard_component *jacquard_component_ref(jacquard_component *component);

/** Releases a reference. Pending commands continue. @return NULL @since 0.1 */
jacquard_component *jacquard_component_unref(jacquard_component *component);

/**
 * Returns the tag itself as a component.
 *
 * @param component receives the component, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_tag_get_component(jacquard_tag *tag, jacquard_component **component);

/**
 * Returns one of the components of a tag that are known, without sending a request: the tag itself, or the gear that it
 * is attached to. Gear is known from the time when jacquard_connection_on_gear() delivers it; a stale tag has none.
 * Call it with 0, 1 and so on until it returns JACQUARD_ERROR_NOT_FOUND to list all of them.
 *
 * @param index 0: the tag itself; 1: its gear
 * @param component receives the component, with one reference
 * @return 0, JACQUARD_ERROR_NOT_FOUND (there is no such component), JACQUARD_ERROR_INVALID_ARGUMENT,
 *   JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_tag_get_component_at(jacquard_tag *tag, uint32_t index, jacquard_component **component);

/**
 * Returns what is known about a component, without sending a request.
 *
 * @param info receives a pointer that is valid as long as the component handle
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_component_get_info(jacquard_component *component, const jacquard_component_info **info);

/** Completes jacquard_component_read_info(): exactly one of `info` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_component_info_callback)(const jacquard_component_info *info, const jacquard_error *error,
                                                 void *user_data);

/**
 * Re-reads the component's version and manufacturing ID. See "Commands" above.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_component_read_info(jacquard_component *component, const jacquard_request_options *options,
                                 jacquard_component_info_callback callback, void *user_data,
                                 jacquard_destroy_callback destroy, jacquard_request **request);

/** The gear that a tag is attached to. @since 0.1 */
typedef struct jacquard_gear {
  jacquard_connection *connection; /**< borrowed */
  jacquard_component *component;   /**< borrowed; NULL: no gear is attached, or the link is lost */
} jacquard_gear;

/** Receives the gear. @since 0.1 */
typedef void (*jacquard_gear_callback)(const jacquard_gear *gear, void *user_data);

/**
 * Delivers the gear that the tag is attached to, or NULL for none, whenever it changes. A new subscriber first receives
 * the current gear, unless the tag has not reported it yet. Newly attached gear is set to gesture mode before it is
 * delivered; after a lost link it is set to its previous mode (jacquard_component_set_touch_mode()).
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_gear(jacquard_connection *connection, jacquard_gear_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* LED -------------------------------------------------------------------------------------------------------------- */

/** The animation of an LED pattern. The numbers are those of the tag's protocol. @since 0.1 */
typedef enum jacquard_led_type {
  JACQUARD_LED_SOLID = 1,        /**< does not change */
  JACQUARD_LED_BREATHING = 2,    /**< brightens and dims slowly */
  JACQUARD_LED_PULSING = 3,      /**< brightens and dims quickly */
  JACQUARD_LED_SINGLE_BLINK = 4, /**< flashes once */
  JACQUARD_LED_DOUBLE_BLINK = 5, /**< flashes twice */
  JACQUARD_LED_TRIPLE_BLINK = 6, /**< flashes three times */
  JACQUARD_LED_CUSTOM = 7        /**< the frames, one after the other */
} jacquard_led_type;

/** One colour and its duration. @since 0.1 */
typedef struct jacquard_led_frame {
  uint8_t red;          /**< 0 to 255 */
  uint8_t green;        /**< 0 to 255 */
  uint8_t blue;         /**< 0 to 255 */
  uint8_t reserved;     /**< 0 */
  uint32_t duration_ms; /**< how long it is shown */
} jacquard_led_frame;

/** An LED pattern. @since 0.1 */
typedef struct jacquard_led_pattern {
  uint32_t struct_size;             /**< sizeof(jacquard_led_pattern) */
  uint32_t type;                    /**< a jacquard_led_type; 0: CUSTOM */
  const jacquard_led_frame *frames; /**< copied; NULL only with halt_all */
  size_t frame_count;               /**< about 60 fit in one command of at most 1024 bytes */
  uint32_t duration_ms;             /**< of the pattern, whose frames repeat during that time; 0: they play once */
  uint32_t intensity;               /**< percent, 1 to 100; 0: 100 */
  uint32_t toggle;                  /**< 1: sending the same pattern again stops it */
  uint32_t resumable;               /**< 1: continues after another pattern interrupted it */
  uint32_t halt_all;                /**< 1: stops all patterns */
  uint32_t reserved;                /**< 0 */
} jacquard_led_pattern;

#define JACQUARD_LED_PATTERN_INIT \
  { (uint32_t)sizeof(jacquard_led_pattern), JACQUARD_LED_CUSTOM, NULL, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Plays an LED pattern on the tag or on gear. See "Commands" above; needs JACQUARD_CAPABILITY_LED.
 *
 * @param pattern copied; JACQUARD_ERROR_INVALID_ARGUMENT if a field is out of range or the command would exceed 1024
 *   bytes
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_component_play_led(jacquard_component *component, const jacquard_led_pattern *pattern,
                                const jacquard_request_options *options, jacquard_done_callback callback,
                                void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* Haptic ----------------------------------------------------------------------------------------------------------- */

/** The shape of a vibration. The numbers are those of the tag's protocol. @since 0.1 */
typedef enum jacquard_haptic_type {
  JACQUARD_HAPTIC_HALT = 0,               /**< stops the vibration */
  JACQUARD_HAPTIC_SINE_INCREASE = 1,      /**< rises along a sine curve */
  JACQUARD_HAPTIC_SINE_DECREASE = 2,      /**< falls along a sine curve */
  JACQUARD_HAPTIC_LINEAR_INCREASE = 3,    /**< rises linearly */
  JACQUARD_HAPTIC_LINEAR_DECREASE = 4,    /**< falls linearly */
  JACQUARD_HAPTIC_PARABOLIC_INCREASE = 5, /**< rises along a parabola */
  JACQUARD_HAPTIC_PARABOLIC_DECREASE = 6, /**< falls along a parabola */
  JACQUARD_HAPTIC_CONSTANT = 7            /**< constant */
} jacquard_haptic_type;

/**
 * A vibration. The vendor's programs use JACQUARD_HAPTIC_SINE_INCREASE with an amplitude of 60 %, and these numbers
 * (on_ms, off_ms, repeats): insert (200, 0, 0), gesture (170, 0, 0), notification (170, 30, 1), error (170, 50, 3),
 * alert (170, 700, 14).
 *
 * @since 0.1
 */
typedef struct jacquard_haptic {
  uint32_t struct_size; /**< sizeof(jacquard_haptic) */
  uint32_t type;        /**< a jacquard_haptic_type */
  uint32_t on_ms;       /**< 0 to 65535 */
  uint32_t off_ms;      /**< 0 to 65535 */
  uint32_t amplitude;   /**< percent, 0 to 100 */
  uint32_t repeats;     /**< 0 to 255 additional times */
} jacquard_haptic;

#define JACQUARD_HAPTIC_INIT { (uint32_t)sizeof(jacquard_haptic), JACQUARD_HAPTIC_HALT, 0, 0, 0, 0 }

/**
 * Makes gear vibrate. See "Commands" above; needs JACQUARD_CAPABILITY_HAPTIC.
 *
 * @param haptic copied; JACQUARD_ERROR_INVALID_ARGUMENT if a field is out of range
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_component_play_haptic(jacquard_component *component, const jacquard_haptic *haptic,
                                   const jacquard_request_options *options, jacquard_done_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* Touch and gestures ----------------------------------------------------------------------------------------------- */

/** What the gear reports. @since 0.1 */
typedef enum jacquard_touch_mode {
  JACQUARD_TOUCH_MODE_GESTURE = 1,   /**< gestures; the tag queues 14 notifications and drops none */
  JACQUARD_TOUCH_MODE_CONTINUOUS = 2 /**< touch samples; the tag queues 2 and drops stale ones */
} jacquard_touch_mode;

/**
 * Selects what the gear reports. The mode applies to the current attachment; newly attached gear starts in gesture
 * mode. The mode survives a lost link: if the tag reports the same gear first after reconnecting, continuous mode is
 * set again before jacquard_connection_on_gear() delivers the gear. See "Commands" above; needs
 * JACQUARD_CAPABILITY_GESTURE or JACQUARD_CAPABILITY_TOUCH.
 *
 * @param mode a jacquard_touch_mode
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_component_set_touch_mode(jacquard_component *component, uint32_t mode,
                                      const jacquard_request_options *options, jacquard_done_callback callback,
                                      void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** The mode of the attached gear. @since 0.1 */
typedef struct jacquard_touch_mode_report {
  jacquard_connection *connection; /**< borrowed */
  uint32_t mode;                   /**< what the gear reports now: a jacquard_touch_mode */
  int32_t process;                 /**< the ID of the process that has set the mode, this one or, through the service,
                                        another one; 0: none (newly attached gear), the program no longer uses the tag,
                                        or it is not known, as in another PID namespace (a container) */
} jacquard_touch_mode_report;

/** Receives the mode of the gear. @since 0.1 */
typedef void (*jacquard_touch_mode_callback)(const jacquard_touch_mode_report *report, void *user_data);

/**
 * Delivers the mode of the gear and the process that has set it, whenever one of them changes: after
 * jacquard_connection_on_gear() has delivered gear, after any program that shares the tag has called
 * jacquard_component_set_touch_mode(), and when the program that has set the mode no longer uses the tag. The mode
 * itself then stays. A new subscriber first receives the current mode, if gear is attached. Nothing is delivered when
 * the gear is detached or the link is lost. The subscription outlives the link.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_touch_mode(jacquard_connection *connection, jacquard_touch_mode_callback callback,
                                      void *user_data, jacquard_destroy_callback destroy,
                                      jacquard_subscription **subscription);

/** The gestures that have names. Gear may also report other numbers. @since 0.1 */
typedef enum jacquard_gesture_type {
  JACQUARD_GESTURE_NONE = 0,        /**< "none": a touch that is not a gesture */
  JACQUARD_GESTURE_DOUBLE_TAP = 1,  /**< "double-tap" */
  JACQUARD_GESTURE_BRUSH_IN = 2,    /**< "brush-in" */
  JACQUARD_GESTURE_BRUSH_OUT = 3,   /**< "brush-out" */
  JACQUARD_GESTURE_PULSE_CHECK = 4, /**< "pulse-check"; not reported by known gear */
  JACQUARD_GESTURE_PULSE_TAP = 5,   /**< "pulse-tap"; not reported by known gear */
  JACQUARD_GESTURE_LONG_COVER = 6,  /**< "long-cover"; not reported by known gear */
  JACQUARD_GESTURE_COVER = 7,       /**< "cover" */
  JACQUARD_GESTURE_GENIE = 8,       /**< "genie"; not reported by known gear */
  JACQUARD_GESTURE_PINCH_IN = 9,    /**< "pinch-in"; not reported by known gear */
  JACQUARD_GESTURE_PINCH_OUT = 10,  /**< "pinch-out"; not reported by known gear */
  JACQUARD_GESTURE_TRIPLE_TAP = 12, /**< "triple-tap"; not reported by known gear */
  JACQUARD_GESTURE_BRUSH_UP = 13,   /**< "brush-up" */
  JACQUARD_GESTURE_BRUSH_DOWN = 14  /**< "brush-down" */
} jacquard_gesture_type;

/**
 * Returns the name of a jacquard_gesture_type, "brush-in".
 *
 * @return static; never NULL: "" for a number without a name
 * @since 0.1
 */
const char *jacquard_gesture_name(uint32_t number);

/** A gesture that the gear recognised. @since 0.1 */
typedef struct jacquard_gesture {
  jacquard_connection *connection; /**< borrowed */
  uint32_t type;                   /**< a jacquard_gesture_type, or another number that the tag sent */
  uint32_t may_be_copy;            /**< 1: may be the previous gesture once more; see
                                        jacquard_connection_on_gesture() */
  const char *name;                /**< from jacquard_gesture_name(). Static */
  int64_t arrival_ns;              /**< when this library, or the service, received it: see "Time" above. A program that
                                        did not run for a while can recognise gestures that are too old */
} jacquard_gesture;

/** Receives gestures. @since 0.1 */
typedef void (*jacquard_gesture_callback)(const jacquard_gesture *gesture, void *user_data);

/**
 * Delivers each gesture once, unless a program that does not use this library is subscribed to the tag, for example a
 * Bluetooth explorer. BlueZ then signals each gesture several times. The library drops these copies when it knows how
 * many programs are subscribed. Until then, and for some gestures after that program has subscribed, unsubscribed or
 * used BlueZ otherwise, it delivers a gesture that equals the previous one, and may be its copy, with `may_be_copy`
 * set. A gesture without it is never a copy: a program that must not act twice ignores those that have it. If two equal
 * gestures reach this machine at the same moment, the second one may have it, too. The subscription outlives the link.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_gesture(jacquard_connection *connection, jacquard_gesture_callback callback,
                                   void *user_data, jacquard_destroy_callback destroy,
                                   jacquard_subscription **subscription);

/** One sample of a touch. @since 0.1 */
typedef struct jacquard_touch {
  jacquard_connection *connection; /**< borrowed */
  uint32_t sequence;               /**< increases during one touch, with gaps; a smaller number starts a new touch */
  uint8_t proximity;               /**< proximity of the hand */
  uint8_t lines[12];               /**< intensity of the twelve lines in order; 0: not touched, 128: strongest */
  uint8_t reserved[7];             /**< 0 */
  int64_t arrival_ns;              /**< when this library, or the service, received it: see "Time" above */
} jacquard_touch;

/** Receives touch samples. @since 0.1 */
typedef void (*jacquard_touch_callback)(const jacquard_touch *touch, void *user_data);

/**
 * Delivers touch samples while the gear is in continuous mode. The subscription outlives the link.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_touch(jacquard_connection *connection, jacquard_touch_callback callback, void *user_data,
                                 jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Name and link of a tag                                                                                             */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * Renames a tag. The tag then drops the link and reconnects under the new name. Completes when the link is down: this
 * tag handle is stale then, and the connection has the next one when it is CONNECTED again. If the tag keeps the link,
 * completes 5 s later. The new name of a bound tag is stored. See "Commands" above.
 *
 * @param name 1 to 21 bytes of UTF-8, neither blank nor with control characters
 * @param callback its error may also be JACQUARD_ERROR_UNCHANGED: the tag already has this name
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
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
 * Delivers the tag's name when it becomes known and whenever it changes; a new subscriber first receives the last one.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_name(jacquard_connection *connection, jacquard_name_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/**
 * Asks the tag to drop the link. The connection then reconnects as after any lost link; use
 * jacquard_connection_disconnect() to end it. Completes when the link is down, or after 5 s if the tag keeps it; with a
 * delay, as soon as the tag has accepted it. See "Commands" above.
 *
 * @param delay_s seconds until the tag drops the link
 * @param only_on_motion 1: the tag does not reconnect until it is moved
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_request_disconnect(jacquard_tag *tag, uint32_t delay_s, uint32_t only_on_motion,
                                    const jacquard_request_options *options, jacquard_done_callback callback,
                                    void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Returns the signal strength of the last advertisement received from the tag. BlueZ does not report the strength of a
 * link, so the strength is unknown if the tag has not advertised while any program was scanning.
 *
 * @param rssi receives dBm, or JACQUARD_RSSI_UNKNOWN
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_get_rssi(jacquard_connection *connection, int32_t *rssi);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Counters                                                                                                           */
/* ------------------------------------------------------------------------------------------------------------------ */

/** What a connection has received and dropped since it was created. @since 0.1 */
typedef struct jacquard_counters {
  uint32_t struct_size;           /**< sizeof(jacquard_counters), set by the caller */
  uint32_t links;                 /**< links that reached CONNECTED */
  uint64_t notifications;         /**< Notification packets that could be decoded */
  uint64_t responses;             /**< Response packets that matched a request */
  uint64_t raw_packets;           /**< packets of the raw data channel; with a service, those of this program's
                                       downloads, and all while it is subscribed to them */
  uint64_t dropped_fragments;     /**< values that are out of order, truncated, oversized or malformed */
  uint64_t dropped_notifications; /**< packets that could not be decoded or exceeded a queue; also what another
                                       program dropped */
  uint64_t dropped_responses;     /**< packets that could not be decoded, or were late, duplicated or unsolicited */
  uint64_t dropped_copies;        /**< values that BlueZ repeated because another program is subscribed to them */
  uint64_t doubtful_values;       /**< values delivered although they may be copies */
  uint64_t interruptions;         /**< times that bluetoothd was seen not to respond for 5 s or longer while the link
                                       stayed up: events of that time may be late or lost */
} jacquard_counters;

#define JACQUARD_COUNTERS_INIT { (uint32_t)sizeof(jacquard_counters), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Reads the counters of a connection. They are at least as recent as the last idle point of the loop.
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
