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
 *   to zero and struct_size to the size of the struct. NULL means all defaults, and zero is the default of every field.
 *   Structs that the library fills are valid during the callback that receives them unless their description says
 *   otherwise. Later versions may add fields at the end, so do not store raw copies of these structs in files or share
 *   them with other programs. No struct has padding: where a compiler would add it, there is a field `reserved`, which
 *   must be zero. Do not read a field whose "@since" names a later version than jacquard_version() returns.
 *
 * Enumerations name numbers. Fields and parameters have the types int32_t or uint32_t, and their description names the
 *   enumeration. Programs must expect numbers that this header does not name, because tags and later versions may
 *   deliver them. A function that is given such a number refuses it with JACQUARD_ERROR_INVALID_ARGUMENT, unless it
 *   returns names.
 *
 * Callbacks are registered as (callback, user_data, destroy). They run one at a time, and only where the manager's loop
 *   runs: inside jacquard_manager_dispatch() on the thread that calls it, or on the library's thread after
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
 * Threads. Every function may be called from any thread, including inside callbacks. None of them blocks, except for
 *   the wait described under "Ending". Work starts the next time the loop runs.
 *
 * Processes. The library does nothing at load time, installs no signal or exit handlers, writes nothing to stdout, and
 *   nothing to stderr unless the environment variable JACQUARD_LOG requests it (see jacquard_manager_on_log()), and
 *   marks its descriptors close-on-exec. After fork() a handle works only in the process that created it: in the child
 *   every function returns JACQUARD_ERROR_FORKED, and `_ref` and `_unref` do nothing and return NULL. The child may end
 *   in any way and may create its own managers. The parent's descriptors stay open in the child until it ends or
 *   executes another program. A child that was forked inside a callback must not return from the callback.
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
 * Time. Time limits, pauses and deadlines are in milliseconds, unless a name says otherwise, of CLOCK_MONOTONIC, which
 *   does not advance while the machine is suspended. Every `arrival_ns`, which says when something arrived, is in
 *   nanoseconds of CLOCK_BOOTTIME, which does, and which all processes share: what arrived in different callbacks, at
 *   different programs and before and after a suspend can be put in order.
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
 * Returns the version of the library in use as 0x00MMmmpp: major, minor, patch.
 *
 * @since 0.1
 */
uint32_t jacquard_version(void);

/**
 * Returns the version of the library in use as a static string, "0.1.0".
 *
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
 * Returns a status as a short English sentence for users. Static; never NULL, even for unknown numbers.
 *
 * @since 0.1
 */
const char *jacquard_status_text(int status);

/**
 * Returns the name of a status constant, "JACQUARD_ERROR_TIMEOUT", for logs. Static; never NULL.
 *
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
/** Follows touches along the sleeve. @since 0.1 */
typedef struct jacquard_touch_tracker jacquard_touch_tracker;
/** Reads a motion file. @since 0.1 */
typedef struct jacquard_motion_reader jacquard_motion_reader;
/** Writes a motion file. @since 0.1 */
typedef struct jacquard_motion_writer jacquard_motion_writer;
/** A firmware image. @since 0.1 */
typedef struct jacquard_firmware jacquard_firmware;

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

/** Takes one more reference and returns the same handle. @since 0.1 */
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
  JACQUARD_LOG_WARNING = 1, /**< something was dropped or refused; the library continues */
  JACQUARD_LOG_INFO = 2,    /**< state changes */
  JACQUARD_LOG_DEBUG = 3    /**< every step */
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
  JACQUARD_ADAPTER_UNKNOWN = 0,      /**< not known yet */
  JACQUARD_ADAPTER_RESETTING = 1,    /**< bluetoothd or the bus disconnected or does not respond; waiting for it. A link
                                          may stay up meanwhile; events of that time may be lost (`interruptions` of
                                          jacquard_counters). A bluetoothd that does not respond is noticed within 8 s
                                          during a touch in continuous mode, 10 s in a motion stream, and 15 s by
                                          commands; not by a program that only waits, which receives events later */
  JACQUARD_ADAPTER_UNSUPPORTED = 2,  /**< no bus, no bluetoothd or no adapter: see error */
  JACQUARD_ADAPTER_UNAUTHORIZED = 3, /**< this user may not use Bluetooth: see error */
  JACQUARD_ADAPTER_POWERED_OFF = 4,  /**< powered off, possibly by rfkill */
  JACQUARD_ADAPTER_POWERED_ON = 5    /**< ready */
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
 * lost are.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the manager ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_manager_on_adapter(jacquard_manager *manager, jacquard_adapter_callback callback, void *user_data,
                                jacquard_destroy_callback destroy, jacquard_subscription **subscription);

/** Returns the name of a jacquard_adapter_state, "powered on". Static; never NULL. @since 0.1 */
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
  JACQUARD_SCAN_TIMED_OUT = 1,         /**< timeout_ms has passed */
  JACQUARD_SCAN_POWERED_OFF = 2,       /**< the adapter is powered off: see error */
  JACQUARD_SCAN_ADAPTER_GONE = 3,      /**< no adapter, no bluetoothd or no bus: see error */
  JACQUARD_SCAN_PERMISSION_DENIED = 4, /**< this user may not use Bluetooth: see error */
  JACQUARD_SCAN_ERROR = 5,             /**< see error */
  JACQUARD_SCAN_STOPPED = 6            /**< jacquard_scan_stop() was called */
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

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_scan *jacquard_scan_ref(jacquard_scan *scan);

/** Releases a reference; releasing the last one ends the scan without calling on_end. @return NULL @since 0.1 */
jacquard_scan *jacquard_scan_unref(jacquard_scan *scan);

/**
 * Stops a scan: no advertisement is reported after this function returns. on_end is called once, with
 * JACQUARD_SCAN_STOPPED, the next time the loop runs, and then `destroy`. Stopping a scan that has ended is not an
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

/** Returns the name of a jacquard_phase, "connecting". Static; never NULL. @since 0.1 */
const char *jacquard_phase_name(uint32_t phase);

/** Options of jacquard_manager_connect(). @since 0.1 */
typedef struct jacquard_connect_options {
  uint32_t struct_size;      /**< sizeof(jacquard_connect_options) */
  uint32_t timeout_ms;       /**< time limit for the first connection; 0: 60 s, or no limit for a tag that is bound
                                  here; UINT32_MAX: no limit */
  uint32_t wait_for_adapter; /**< 0: ends when the adapter is off or missing; 1: waits for it */
  uint32_t reserved;         /**< 0 */
  const char *owner;         /**< if the tag is bound here, its owner must be this one; NULL: any owner */
} jacquard_connect_options;

#define JACQUARD_CONNECT_OPTIONS_INIT { (uint32_t)sizeof(jacquard_connect_options), 0, 0, 0, NULL }

/**
 * Why a link ended. BlueZ 5.83 and later reports the first six. With older versions the library reports LOCAL for links
 * that it dropped itself and SUSPEND after the machine was suspended. The library itself detects the last two.
 *
 * @since 0.1
 */
typedef enum jacquard_disconnect_reason {
  JACQUARD_DISCONNECT_NONE = 0,           /**< no link has ended, or a new one is up */
  JACQUARD_DISCONNECT_UNKNOWN = 1,        /**< no reason was reported */
  JACQUARD_DISCONNECT_TIMEOUT = 2,        /**< supervision timeout: the tag is out of range or out of power */
  JACQUARD_DISCONNECT_LOCAL = 3,          /**< this machine dropped it: this program, another program, or BlueZ */
  JACQUARD_DISCONNECT_REMOTE = 4,         /**< the tag dropped it */
  JACQUARD_DISCONNECT_AUTHENTICATION = 5, /**< tag and machine could not authenticate each other */
  JACQUARD_DISCONNECT_SUSPEND = 6,        /**< the machine was suspended */
  JACQUARD_DISCONNECT_POWERED_OFF = 7,    /**< the adapter was powered off */
  JACQUARD_DISCONNECT_SERVICE_GONE = 8    /**< bluetoothd, the bus or the adapter became unavailable */
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
  const char *identifier;          /**< the tag's identifier, as in jacquard_advertisement */
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
 * See "Sharing" above for programs that use the same tag.
 *
 * @param identifier from a jacquard_advertisement, possibly of an earlier run
 * @param options NULL for the defaults
 * @param on_state called with the current state soon after the call and then at each change; may be NULL
 * @param connection receives the connection, with one reference; releasing the last reference ends it
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: not a UUID), JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_ALREADY_CONNECTED (jacquard_manager_find_connection() returns that connection)
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
 * @param options must contain the code
 * @return like jacquard_manager_connect(); also JACQUARD_ERROR_INVALID_ARGUMENT if the code is missing or has fewer
 *   than 4 characters
 * @since 0.1
 */
int jacquard_manager_bind(jacquard_manager *manager, const char *identifier, const jacquard_bind_options *options,
                          jacquard_connection_callback on_state, void *user_data, jacquard_destroy_callback destroy,
                          jacquard_connection **connection);

/** Takes one more reference and returns the same handle. @since 0.1 */
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

/**
 * Returns whether a connection is CONNECTED.
 *
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_connection_is_connected(jacquard_connection *connection);

/** Takes one more reference and returns the same handle. @since 0.1 */
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

/** Takes one more reference and returns the same handle. @since 0.1 */
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

/** Takes one more reference and returns the same handle. @since 0.1 */
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

/** What a component can do; a set is the sum of these. @since 0.1 */
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

/** Takes one more reference and returns the same handle. @since 0.1 */
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

/**
 * Returns whether a component has a capability. A command that requires a missing one completes with
 * JACQUARD_ERROR_UNSUPPORTED, and nothing is sent.
 *
 * @param capability a jacquard_capability
 * @return 1, 0, JACQUARD_ERROR_INVALID_ARGUMENT (also: not a single capability), JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_component_supports(jacquard_component *component, uint32_t capability);

/** Completes jacquard_component_read_info(): exactly one of `info` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_component_info_callback)(const jacquard_component_info *info, const jacquard_error *error,
                                                 void *user_data);

/** Re-reads the component's version and manufacturing ID. See "Commands" above. @since 0.1 */
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
  uint8_t red;        /**< 0 to 255 */
  uint8_t green;      /**< 0 to 255 */
  uint8_t blue;       /**< 0 to 255 */
  uint8_t reserved;   /**< 0 */
  uint32_t length_ms; /**< how long it is shown */
} jacquard_led_frame;

/** An LED pattern. @since 0.1 */
typedef struct jacquard_led_pattern {
  uint32_t struct_size;             /**< sizeof(jacquard_led_pattern) */
  uint32_t type;                    /**< a jacquard_led_type; 0: CUSTOM */
  const jacquard_led_frame *frames; /**< copied; NULL only with halt_all */
  uint32_t frame_count;             /**< about 60 fit in one command of at most 1024 bytes */
  uint32_t duration_ms;             /**< of the pattern, whose frames repeat during that time; 0: they play once */
  uint32_t intensity;               /**< percent, 1 to 100; 0: 100 */
  uint32_t toggle;                  /**< 1: sending the same pattern again stops it */
  uint32_t resumable;               /**< 1: continues after another pattern interrupted it */
  uint32_t halt_all;                /**< 1: stops all patterns */
} jacquard_led_pattern;

#define JACQUARD_LED_PATTERN_INIT \
  { (uint32_t)sizeof(jacquard_led_pattern), JACQUARD_LED_CUSTOM, NULL, 0, 0, 0, 0, 0, 0 }

/**
 * Plays an LED pattern on the tag or on gear. See "Commands" above; needs JACQUARD_CAPABILITY_LED.
 *
 * @param pattern copied; JACQUARD_ERROR_INVALID_ARGUMENT if a field is out of range or the command would exceed 1024
 *   bytes
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
typedef enum jacquard_gesture_number {
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
} jacquard_gesture_number;

/**
 * Returns the name of a jacquard_gesture_number, "brush-in"; "" for a number without a name. Static; never NULL.
 *
 * @since 0.1
 */
const char *jacquard_gesture_name(uint32_t number);

/** A gesture that the gear recognised. @since 0.1 */
typedef struct jacquard_gesture {
  jacquard_connection *connection; /**< borrowed */
  uint32_t number;                 /**< a jacquard_gesture_number, or another number that the tag sent */
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
/* Touch tracking                                                                                                     */
/* ------------------------------------------------------------------------------------------------------------------ */

/** What a point reports of its touch. @since 0.1 */
typedef enum jacquard_touch_phase {
  JACQUARD_TOUCH_BEGAN = 1,    /**< the first point of a touch */
  JACQUARD_TOUCH_MOVED = 2,    /**< the touch is in another sample, whether it has moved or not */
  JACQUARD_TOUCH_ENDED = 3,    /**< the last point: the finger was lifted, or has joined an older touch */
  JACQUARD_TOUCH_CANCELLED = 4 /**< the last point: it is not known how the touch ended */
} jacquard_touch_phase;

/**
 * One touch in one sample. This struct keeps its size, 48 bytes on all machines, and the places of its fields, so it
 * may be stored and shared.
 *
 * @since 0.1
 */
typedef struct jacquard_touch_point {
  int64_t time_ns;      /**< time of the sample. If a touch ended without one, the time of its last sample */
  uint32_t id;          /**< from 1 on; the same in all points of a touch, and in no other touch of the tracker */
  uint32_t phase;       /**< a jacquard_touch_phase */
  int32_t position;     /**< along the sleeve in 1/256 line: 0 is the first line, 2816 the last one */
  uint32_t width;       /**< standard deviation of the strength along the sleeve, in 1/256 line: 180 to 330 for a
                             finger, more for several fingers or a palm */
  uint32_t strength;    /**< of a line at the position, like jacquard_touch.lines, but up to 255 if those are
                             saturated */
  int32_t speed;        /**< in 1/256 line per second, over the last 8 samples and at most 0.2 s */
  uint32_t reserved[4]; /**< 0 */
} jacquard_touch_point;

/** The most points of one sample: four touches end and four begin. @since 0.1 */
#define JACQUARD_TOUCH_POINTS_MAX 8

/**
 * What rules have derived from touches. Distances are in lines. docs/touch.md has all thresholds.
 *
 * @since 0.1
 */
typedef enum jacquard_touch_gesture_kind {
  JACQUARD_TOUCH_GESTURE_TAP = 1,        /**< a finger rested for at most 300 ms. Reported when it is lifted */
  JACQUARD_TOUCH_GESTURE_DOUBLE_TAP = 2, /**< another tap within 300 ms and 2 lines, in place of its TAP. The first TAP
                                              was reported: a program that acts on it only if no other one follows
                                              waits for that */
  JACQUARD_TOUCH_GESTURE_HOLD = 3,       /**< a finger has rested for 500 ms. Reported while it rests */
  JACQUARD_TOUCH_GESTURE_PRESS = 4,      /**< a resting finger that had landed became 1.5 times as strong, before it
                                              was a HOLD. Reported while it rests */
  JACQUARD_TOUCH_GESTURE_SWIPE_IN = 5,   /**< a finger went at least 3 lines towards the first line, in at most 800 ms.
                                              Reported when it is lifted */
  JACQUARD_TOUCH_GESTURE_SWIPE_OUT = 6,  /**< the same towards the last line */
  JACQUARD_TOUCH_GESTURE_SCRUB = 7,      /**< a stroke of a finger that goes to and fro, from the second one on.
                                              Reported when the finger turns, for each stroke of at least 1.5 lines and
                                              at most 500 ms */
  JACQUARD_TOUCH_GESTURE_TWO_FINGER_TAP = 8, /**< two fingers rested, for at most 300 ms in all. Reported when both are
                                                  lifted */
  JACQUARD_TOUCH_GESTURE_SPREAD = 9,     /**< two fingers went at least 2 lines apart, in at most 1.5 s. Reported when
                                              one of them is lifted */
  JACQUARD_TOUCH_GESTURE_PINCH = 10,     /**< two fingers came at least 2 lines closer. Reported when one of them is
                                              lifted, or when they meet */
  JACQUARD_TOUCH_GESTURE_COVER = 11      /**< a palm has rested for 500 ms. Reported while it rests */
} jacquard_touch_gesture_kind;

/**
 * A gesture that a tracker has derived from touches. It is not a jacquard_gesture: tags report those by their own
 * rules, which are not known, and none in continuous mode. This struct keeps its size, 48 bytes on all machines, and
 * the places of its fields, so it may be stored and shared.
 *
 * It is not documented which line is at which end of a sleeve. "In" is towards the first line, "out" towards the last.
 *
 * @since 0.1
 */
typedef struct jacquard_touch_gesture {
  int64_t time_ns;      /**< time of the point that decided it */
  uint32_t kind;        /**< a jacquard_touch_gesture_kind; later versions may report others */
  uint32_t id;          /**< of the touch; the older one of two */
  uint32_t other_id;    /**< of the second touch of a TWO_FINGER_TAP, SPREAD or PINCH; 0: one finger */
  int32_t position;     /**< where the touch was last, in 1/256 line; where a SCRUB's stroke ended; between two
                             touches */
  int32_t distance;     /**< in 1/256 line: how far a SWIPE or the stroke of a SCRUB went, negative towards the first
                             line; how much farther apart two fingers are, negative for a PINCH; 0 for other kinds */
  int32_t speed;        /**< in 1/256 line per second: the mean speed over the distance, with its sign */
  uint32_t reserved[4]; /**< 0 */
} jacquard_touch_gesture;

/** The most gestures of one sample: one for each touch that there can be. @since 0.1 */
#define JACQUARD_TOUCH_GESTURES_MAX 4

/** Options of jacquard_touch_tracker_new(). @since 0.1 */
typedef struct jacquard_touch_tracker_options {
  uint32_t struct_size; /**< sizeof(jacquard_touch_tracker_options) */
  uint32_t reserved;    /**< 0 */
} jacquard_touch_tracker_options;

#define JACQUARD_TOUCH_TRACKER_OPTIONS_INIT { (uint32_t)sizeof(jacquard_touch_tracker_options), 0 }

/**
 * Creates a tracker, which turns the touch samples of one tag into touches and gestures. It needs no manager, and
 * allocates no memory after this.
 *
 * What it computes is described in docs/touch.md. It has been tested with generated touches only: no real sleeve has
 * been measured.
 *
 * @param options NULL for the defaults
 * @param tracker receives the tracker, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_SYSTEM (too many handles)
 * @since 0.1
 */
int jacquard_touch_tracker_new(const jacquard_touch_tracker_options *options, jacquard_touch_tracker **tracker);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_touch_tracker *jacquard_touch_tracker_ref(jacquard_touch_tracker *tracker);

/** Releases a reference. @return NULL @since 0.1 */
jacquard_touch_tracker *jacquard_touch_tracker_unref(jacquard_touch_tracker *tracker);

/**
 * Reads a sample, and writes a point for each touch that it contains and for each touch that has ended: first those
 * that ended, then the others from the first line to the last one. A touch has exactly one point that BEGAN, and one
 * that ENDED or is CANCELLED.
 *
 * All touches end when the sequence number is smaller than the last one. A sample with the last number is a copy and is
 * ignored. A touch continues when samples are lost, and ends when none has arrived for 250 ms. A tag sends nothing
 * while it is not touched, so call this function without a sample to notice that. Two fingers that are at least three
 * lines apart are two touches. If they come closer, the older touch continues and the newer one ends; if they part
 * again, a new touch begins.
 *
 * @param sequence the sequence number of a sample, as in jacquard_touch
 * @param lines the sample's lines, as in jacquard_touch; copied. NULL: only time has passed; `sequence` and
 *   `line_count` are ignored
 * @param line_count 12
 * @param time_ns when the sample arrived, usually its `arrival_ns`; without a sample, the present time of
 *   CLOCK_BOOTTIME. If it is earlier than the previous time, that time is used
 * @param points receives the points
 * @param room points that fit into `points`: JACQUARD_TOUCH_POINTS_MAX or more
 * @return the number of points, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_touch_tracker_process(jacquard_touch_tracker *tracker, uint32_t sequence, const uint8_t *lines,
                                   size_t line_count, int64_t time_ns, jacquard_touch_point *points, size_t room);

/**
 * Cancels all touches, and writes a point for each. Call it when the link is lost or the gear is detached: the next
 * sample may have any sequence number, and the lines are no longer known.
 *
 * @param time_ns the time of the points, as for jacquard_touch_tracker_process()
 * @param points receives the points
 * @param room points that fit into `points`: JACQUARD_TOUCH_POINTS_MAX or more
 * @return the number of points, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_touch_tracker_cancel(jacquard_touch_tracker *tracker, int64_t time_ns, jacquard_touch_point *points,
                                  size_t room);

/**
 * Writes the gestures that the last call of jacquard_touch_tracker_process() or jacquard_touch_tracker_cancel() has
 * recognised, in the order of its points; the same ones until the next call. Gestures are derived from points only, so
 * there are no timers: what a touch has been is decided when its last point is reported.
 *
 * Each gesture is reported once. A touch, or a pair of touches, makes at most one, except that each stroke of a SCRUB
 * is one. Two touches are a pair if the second one begins while the first one is alone and has made no gesture. A touch
 * that begins beside other touches otherwise spoils all of them: they may only become a COVER. Touches that are
 * CANCELLED make none, and a touch whose mean width is more than 1.75 lines is a palm, which makes a COVER or none.
 *
 * @param gestures receives the gestures
 * @param room gestures that fit into `gestures`: JACQUARD_TOUCH_GESTURES_MAX or more
 * @return the number of gestures, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_touch_tracker_gestures(jacquard_touch_tracker *tracker, jacquard_touch_gesture *gestures, size_t room);

/** What a tracker knows of a line of the sleeve. @since 0.1 */
typedef enum jacquard_line_health {
  JACQUARD_LINE_GOOD = 1, /**< nothing is known against it */
  JACQUARD_LINE_WEAK = 2, /**< it reads less than half of what others read of the same fingers, which is corrected */
  JACQUARD_LINE_DEAD = 3, /**< it reads nothing while fingers pass over it: touches are found without it */
  JACQUARD_LINE_STUCK = 4 /**< it always reads the same, more than nothing: touches are found without it */
} jacquard_line_health;

/** What a tracker knows of all lines of the sleeve. @since 0.1 */
typedef struct jacquard_sleeve_health {
  uint32_t struct_size; /**< sizeof(jacquard_sleeve_health), set by the caller */
  uint32_t lines[12];   /**< a jacquard_line_health for each line; later versions may report others */
} jacquard_sleeve_health;

#define JACQUARD_SLEEVE_HEALTH_INIT { (uint32_t)sizeof(jacquard_sleeve_health), { 0 } }

/**
 * Reads what a tracker knows of the lines of the sleeve. It learns this from the samples, within a second or from the
 * first strokes, and forgets it with jacquard_touch_tracker_cancel().
 *
 * @param health filled up to its struct_size
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_touch_tracker_get_health(jacquard_touch_tracker *tracker, jacquard_sleeve_health *health);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Name, link and configuration of a tag                                                                              */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * Renames a tag. The tag then drops the link and reconnects under the new name. Completes when the link is down: this
 * tag handle is stale then, and the connection has the next one when it is CONNECTED again. If the tag keeps the link,
 * completes 5 s later. The new name of a bound tag is stored. See "Commands" above.
 *
 * @param name 1 to 21 bytes of UTF-8, neither blank nor with control characters
 * @param callback its error may also be JACQUARD_ERROR_UNCHANGED: the tag already has this name
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

/** A configuration value: one field is used, the others are 0. @since 0.1 */
typedef struct jacquard_value {
  uint32_t struct_size; /**< sizeof(jacquard_value) */
  uint32_t type;        /**< selects the field: a jacquard_value_type */
  uint64_t number;      /**< a BOOL, UINT32 or UINT64 */
  int64_t integer;      /**< an INT32 or INT64 */
  double real;          /**< a FLOAT or DOUBLE */
  const char *text;     /**< a STRING */
} jacquard_value;

#define JACQUARD_VALUE_INIT { (uint32_t)sizeof(jacquard_value), JACQUARD_VALUE_BOOL, 0, 0, 0, NULL }

/**
 * Receives a configuration value. If `error` and `value` are both NULL, nothing is stored under the key.
 *
 * @since 0.1
 */
typedef void (*jacquard_value_callback)(const jacquard_value *value, const jacquard_error *error, void *user_data);

/**
 * Stores an application value on the tag. See "Commands" above.
 *
 * @param vendor_id and product_id: the owner of the key; both 0: the tag itself
 * @param key must not be empty
 * @param value copied
 * @since 0.1
 */
int jacquard_tag_set_value(jacquard_tag *tag, uint32_t vendor_id, uint32_t product_id, const char *key,
                           const jacquard_value *value, const jacquard_request_options *options,
                           jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                           jacquard_request **request);

/** Reads a value stored with jacquard_tag_set_value(). See "Commands" above. @since 0.1 */
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
 * The tag's configuration: how it advertises, and how motion wakes it. `fields` selects the fields that are used.
 *
 * @since 0.1
 */
typedef struct jacquard_configuration {
  uint32_t struct_size;                 /**< sizeof(jacquard_configuration) */
  uint32_t fields;                      /**< sum of jacquard_configuration_field */
  const char *name;                     /**< advertised name; use jacquard_tag_rename() to change it immediately */
  int32_t tx_power;                     /**< dBm */
  int32_t tx_power_maximum;             /**< dBm */
  float fast_interval_ms;               /**< advertising interval in the fast stage */
  uint32_t fast_duration_s;             /**< length of the fast stage */
  float medium_interval_ms;             /**< advertising interval in the medium stage */
  uint32_t medium_duration_s;           /**< length of the medium stage */
  float slow_interval_ms;               /**< advertising interval in the slow stage */
  uint32_t slow_duration_s;             /**< length of the slow stage */
  uint32_t connection_interval_minimum; /**< in units of 1.25 ms */
  uint32_t connection_interval_maximum; /**< in units of 1.25 ms */
  uint32_t queue_depth;                 /**< notifications that the tag queues; set by the touch mode */
  uint32_t motion_enabled;              /**< 1: motion wakes the tag */
  uint32_t motion_sensitivity;          /**< sampling rate, 0 (0.78 Hz) doubling to 11 (1600 Hz) */
  uint32_t motion_threshold;            /**< motion threshold, in units of the sensor */
  uint32_t motion_timeout_ms;           /**< the tag sleeps after this time without motion */
  uint32_t motion_gear_power;           /**< gear power during sleep: 0 on, 1 low power, 2 off */
  uint32_t motion_link;                 /**< link during sleep: 0 kept, 1 low power, 2 off */
  uint32_t reserved;                    /**< 0 */
} jacquard_configuration;

#define JACQUARD_CONFIGURATION_INIT \
  { (uint32_t)sizeof(jacquard_configuration), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Receives the tag's configuration: exactly one of `configuration` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_configuration_callback)(const jacquard_configuration *configuration,
                                                const jacquard_error *error, void *user_data);

/** Reads the tag's configuration. See "Commands" above. @since 0.1 */
int jacquard_tag_read_configuration(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_configuration_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Writes the selected `fields` of the tag's configuration; the others stay unchanged. See "Commands" above.
 *
 * @param configuration copied
 * @param callback receives the sections that were written, as the tag now reports them; a tag may report none
 * @since 0.1
 */
int jacquard_tag_write_configuration(jacquard_tag *tag, const jacquard_configuration *configuration,
                                     const jacquard_request_options *options,
                                     jacquard_configuration_callback callback, void *user_data,
                                     jacquard_destroy_callback destroy, jacquard_request **request);

/* Modules ---------------------------------------------------------------------------------------------------------- */

/** A loadable firmware module. It is identified by vendor, product and module ID. @since 0.1 */
typedef struct jacquard_module {
  uint32_t struct_size; /**< sizeof(jacquard_module) */
  uint32_t vendor_id;   /**< vendor of the module */
  uint32_t product_id;  /**< product that the module belongs to */
  uint32_t module_id;   /**< number of the module within that product */
  const char *name;     /**< may be "" or NULL */
  uint32_t version[3];  /**< major, minor, point; ignored on input */
  uint32_t enabled;     /**< 1: loaded; ignored on input */
  uint32_t size;        /**< in bytes; ignored on input */
  uint32_t reserved;    /**< 0 */
} jacquard_module;

#define JACQUARD_MODULE_INIT { (uint32_t)sizeof(jacquard_module), 0, 0, 0, NULL, { 0, 0, 0 }, 0, 0, 0 }

/** Receives the tag's modules as an array of `count` pointers, or an error. @since 0.1 */
typedef void (*jacquard_modules_callback)(const jacquard_module *const *modules, size_t count,
                                          const jacquard_error *error, void *user_data);

/** Lists the modules installed on a tag. See "Commands" above. @since 0.1 */
int jacquard_tag_list_modules(jacquard_tag *tag, const jacquard_request_options *options,
                              jacquard_modules_callback callback, void *user_data, jacquard_destroy_callback destroy,
                              jacquard_request **request);

/**
 * Loads a module. Completes when the tag reports that the module runs; until then no other command is sent. See
 * "Commands" above.
 *
 * @since 0.1
 */
int jacquard_tag_load_module(jacquard_tag *tag, const jacquard_module *module, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/** Unloads a module; it stays installed. See "Commands" above. @since 0.1 */
int jacquard_tag_unload_module(jacquard_tag *tag, const jacquard_module *module,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** Deletes a module from the tag. See "Commands" above. @since 0.1 */
int jacquard_tag_delete_module(jacquard_tag *tag, const jacquard_module *module,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** A tag's report that it has loaded a module, or failed to. @since 0.1 */
typedef struct jacquard_module_load {
  jacquard_connection *connection; /**< borrowed */
  const jacquard_module *module;   /**< as reported; an ID that the tag omits is 0, and an omitted name is "" */
  int32_t tag_status;              /**< JACQUARD_TAG_STATUS_OK: the module runs; else why it does not, usually a
                                        jacquard_tag_status */
  uint32_t reserved;               /**< 0 */
} jacquard_module_load;

/** Receives reports on modules. @since 0.1 */
typedef void (*jacquard_module_load_callback)(const jacquard_module_load *load, void *user_data);

/**
 * Delivers each report of the tag that it has loaded a module, whichever program requested it, also this one. The
 * subscription outlives the link.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_module_load(jacquard_connection *connection, jacquard_module_load_callback callback,
                                       void *user_data, jacquard_destroy_callback destroy,
                                       jacquard_subscription **subscription);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Motion                                                                                                             */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * Prepares the tag to record and stream the samples of its accelerometer and gyroscope, by loading the motion module if
 * it is not loaded. While the module is loaded, motion does not wake the tag, the tag does not fall asleep, and its
 * battery drains quickly. The time limit applies to each request. See "Commands" above; additional error:
 * JACQUARD_ERROR_MODULE_MISSING.
 *
 * @since 0.1
 */
int jacquard_tag_prepare_motion(jacquard_tag *tag, const jacquard_request_options *options,
                                jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                jacquard_request **request);

/**
 * Unloads the motion module if it is loaded, so that motion wakes the tag again. The command fails while the tag is
 * using the module, possibly for another program, because a recording would be lost. See "Commands" above; additional
 * errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS, _BUSY (the tag is transferring or erasing).
 *
 * @since 0.1
 */
int jacquard_tag_release_motion(jacquard_tag *tag, const jacquard_request_options *options,
                                jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                jacquard_request **request);

/** The low-pass filter of the motion sensor. @since 0.1 */
typedef enum jacquard_motion_filter {
  JACQUARD_MOTION_FILTER_NORMAL = 0,        /**< the full bandwidth */
  JACQUARD_MOTION_FILTER_OVERSAMPLING2 = 1, /**< half the bandwidth */
  JACQUARD_MOTION_FILTER_OVERSAMPLING4 = 2  /**< a quarter of the bandwidth, and the lowest noise */
} jacquard_motion_filter;

/**
 * Settings of the motion sensor. All of them are written for each capture, so no settings of another program remain.
 *
 * @since 0.1
 */
typedef struct jacquard_motion_settings {
  uint32_t struct_size;       /**< sizeof(jacquard_motion_settings) */
  uint32_t filter;            /**< a jacquard_motion_filter, for both sensors */
  double accelerometer_rate;  /**< 0.78, 1.56, 3.12, 6.25, 12.5, 25, 50, 100, 200, 400, 800 or 1600 Hz; 0: 25 */
  double gyroscope_rate;      /**< 25, 50, 100, 200, 400, 800, 1600 or 3200 Hz; 0: 25 */
  double accelerometer_range; /**< 2, 4, 8 or 16 g; 0: 16 */
  double gyroscope_range;     /**< 125, 250, 500, 1000 or 2000 degrees per second; 0: 2000 */
} jacquard_motion_settings;

#define JACQUARD_MOTION_SETTINGS_INIT \
  { (uint32_t)sizeof(jacquard_motion_settings), JACQUARD_MOTION_FILTER_NORMAL, 0, 0, 0, 0 }

/** A recording on the tag, identified by five strings of 1 to 30 bytes. @since 0.1 */
typedef struct jacquard_session {
  uint32_t struct_size; /**< sizeof(jacquard_session) */
  uint32_t reserved;    /**< 0 */
  const char *name;     /**< trial_id in the tag's protocol; never NULL */
  const char *campaign; /**< NULL: "jacquard", here and in the next three fields */
  const char *group;    /**< session_id in the tag's protocol */
  const char *subject;  /**< the person or thing that moves */
  const char *product;  /**< the product that the tag is attached to */
  uint32_t size;        /**< in bytes; 0 for a new recording, which cannot be downloaded */
  int32_t checksum;     /**< CRC-16 with polynomial 0x1021, -1 if the tag reported none; 0 for a new recording */
} jacquard_session;

#define JACQUARD_SESSION_INIT { (uint32_t)sizeof(jacquard_session), 0, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/**
 * Starts a recording on the tag. The recording continues, even without a link, until jacquard_tag_stop_motion() is
 * called or the tag stops it by itself; jacquard_tag_read_motion_status() shows whether it is running. Do not attach or
 * detach gear during a recording. See "Commands" above; additional errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS,
 * _LOW_BATTERY, _LOW_STORAGE, _BUSY (the tag is transferring or erasing).
 *
 * @param session the strings that identify the recording; copied
 * @param settings NULL for the defaults; copied
 * @since 0.1
 */
int jacquard_tag_start_recording(jacquard_tag *tag, const jacquard_session *session,
                                 const jacquard_motion_settings *settings, const jacquard_request_options *options,
                                 jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                 jacquard_request **request);

/** Stops a recording, a stream or a download that any program has started. See "Commands" above. @since 0.1 */
int jacquard_tag_stop_motion(jacquard_tag *tag, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/** The current activity of a tag's motion capture. @since 0.1 */
typedef enum jacquard_motion_activity {
  JACQUARD_MOTION_IDLE = 0,         /**< none */
  JACQUARD_MOTION_RECORDING = 1,    /**< recording */
  JACQUARD_MOTION_STREAMING = 2,    /**< streaming */
  JACQUARD_MOTION_CAPTURING = 3,    /**< recording or streaming; the program that started it did not note which */
  JACQUARD_MOTION_TRANSFERRING = 4, /**< sending a session */
  JACQUARD_MOTION_ERASING = 5,      /**< erasing sessions */
  JACQUARD_MOTION_FAILED = 6        /**< failed: see code and text */
} jacquard_motion_activity;

/** The state of a tag's motion capture. @since 0.1 */
typedef struct jacquard_motion_status {
  uint32_t activity; /**< a jacquard_motion_activity */
  uint32_t code;     /**< the status number that the tag reported */
  const char *text;  /**< the meaning of that number, such as "low storage" */
} jacquard_motion_status;

/** Receives the state: exactly one of `status` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_motion_status_callback)(const jacquard_motion_status *status, const jacquard_error *error,
                                                void *user_data);

/** Reads the state of the motion capture. See "Commands" above. @since 0.1 */
int jacquard_tag_read_motion_status(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_motion_status_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/** Receives the stored sessions as an array of `count` pointers, or an error. @since 0.1 */
typedef void (*jacquard_sessions_callback)(const jacquard_session *const *sessions, size_t count,
                                           const jacquard_error *error, void *user_data);

/** Lists the recordings on the tag, oldest first. See "Commands" above. @since 0.1 */
int jacquard_tag_list_sessions(jacquard_tag *tag, const jacquard_request_options *options,
                               jacquard_sessions_callback callback, void *user_data,
                               jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Erases a recording on the tag. The command completes when the recording has been erased, which may take a minute; the
 * time limit applies only to the tag's response, which some tags may send only then. The library never erases
 * recordings otherwise. See "Commands" above; additional errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS, _BUSY.
 *
 * @param session from jacquard_tag_list_sessions(); copied
 * @since 0.1
 */
int jacquard_tag_erase_session(jacquard_tag *tag, const jacquard_session *session,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/** Erases all recordings on the tag: see jacquard_tag_erase_session(). @since 0.1 */
int jacquard_tag_erase_all_sessions(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_done_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/** Options of jacquard_connection_download_session(). @since 0.1 */
typedef struct jacquard_download_options {
  uint32_t struct_size;    /**< sizeof(jacquard_download_options) */
  uint32_t to_descriptor;  /**< 1: writes to `descriptor`, after the bytes that the file already contains */
  int32_t descriptor;      /**< a regular file, open for reading and writing; the library uses a duplicate */
  uint32_t reserved;       /**< 0 */
  const uint8_t *received; /**< without a descriptor: the bytes that an earlier download received; copied */
  size_t received_size;    /**< number of these bytes */
} jacquard_download_options;

#define JACQUARD_DOWNLOAD_OPTIONS_INIT { (uint32_t)sizeof(jacquard_download_options), 0, 0, 0, NULL, 0 }

/** Bytes of a session that have arrived. @since 0.1 */
typedef struct jacquard_download_data {
  const uint8_t *data; /**< valid during the callback */
  size_t size;         /**< number of bytes */
  uint32_t received;   /**< bytes received so far, including `data` and earlier downloads */
  uint32_t total;      /**< size of the session in bytes */
} jacquard_download_data;

/**
 * Receives the bytes of a session, in order and each byte once, even if the download takes several links.
 *
 * @return 0; or another number if the bytes could not be stored: they stay on the tag, and the download ends with
 *   JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
typedef int (*jacquard_download_data_callback)(const jacquard_download_data *data, void *user_data);

/** A session that was downloaded completely. @since 0.1 */
typedef struct jacquard_download {
  uint32_t size;         /**< in bytes */
  int32_t checksum_seed; /**< initial value with which the checksum matched, 0 or 0xffff; -1: the tag reported none */
} jacquard_download;

/** Completes a download: exactly one of `download` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_download_callback)(const jacquard_download *download, const jacquard_error *error,
                                           void *user_data);

/**
 * Downloads a recording, and verifies its size and checksum. If the link is lost, the download continues on the next
 * one. If the file already contains the beginning of the recording, the download continues after these bytes, also in
 * another process or on another machine. The recording stays on the tag. A packet is acknowledged after it has been
 * written to the file and on_data has returned. Cancelling the request, or the end of the connection or manager, stops
 * the transfer.
 *
 * Errors: those of jacquard_tag_prepare_motion(), and JACQUARD_ERROR_CLOSED (or the connection's reason) when the
 * connection ends, _DAMAGED_SESSION (wrong size or checksum, or the file contains another recording; nothing is
 * overwritten), _SYSTEM (such as a full disk; the bytes received before are in the file), _CAPTURE_IN_PROGRESS, _BUSY.
 *
 * @param session from jacquard_tag_list_sessions(); copied
 * @param options NULL: from the beginning, to the callback only
 * @param on_data NULL only with a descriptor
 * @param callback called once when the download has completed or failed
 * @param request receives a handle to cancel it, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED,
 *   JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_connection_download_session(jacquard_connection *connection, const jacquard_session *session,
                                         const jacquard_download_options *options,
                                         jacquard_download_data_callback on_data, jacquard_download_callback callback,
                                         void *user_data, jacquard_destroy_callback destroy,
                                         jacquard_request **request);

/** A sample of a motion stream. Its layout of 40 bytes does not change. @since 0.1 */
typedef struct jacquard_motion_sample {
  int16_t acceleration[3]; /**< x, y, z; 32768 counts are the range of the accelerometer */
  int16_t rotation[3];     /**< roll, pitch, yaw; 32768 counts are the range of the gyroscope */
  uint32_t raw_ticks;      /**< the tag's clock, which wraps after about 38 hours */
  int64_t ticks;           /**< the tag's clock since its last restart, without wrapping */
  int64_t arrival_ns;      /**< when this library, or the service, received it: see "Time" above */
  int64_t time_ns;         /**< fitted time of the measurement plus the link's shortest delay, on the same clock */
} jacquard_motion_sample;

/** Type of a motion event. @since 0.1 */
typedef enum jacquard_motion_event_type {
  JACQUARD_MOTION_EVENT_SAMPLES = 1, /**< `samples` and `count` are set */
  JACQUARD_MOTION_EVENT_GAP = 2,     /**< samples were lost: `missing` has their number */
  JACQUARD_MOTION_EVENT_RESTART = 3  /**< the tag's clock was reset: ticks cannot be compared with earlier ones */
} jacquard_motion_event_type;

/** An event of a motion stream. @since 0.1 */
typedef struct jacquard_motion_event {
  jacquard_connection *connection;       /**< borrowed */
  uint32_t type;                         /**< selects the fields: a jacquard_motion_event_type */
  uint32_t reserved;                     /**< 0 */
  const jacquard_motion_sample *samples; /**< in order; valid during the callback */
  size_t count;                          /**< number of samples */
  double ticks_per_second;               /**< estimated from the samples so far; about 31250 */
  double samples_per_second;             /**< estimated as well; 0 until enough samples have arrived */
  uint64_t missing;                      /**< number of samples lost between the previous and the next sample */
  uint64_t missing_uncertainty;          /**< possible error of `missing`; 0: exact */
} jacquard_motion_event;

/** Receives a motion event. @since 0.1 */
typedef void (*jacquard_motion_callback)(const jacquard_motion_event *event, void *user_data);

/**
 * Streams motion until the request is cancelled, or the connection or manager ends, which also stops the stream on the
 * tag. A program need not wait for that, unless the tag has not yet responded to another request at its end: the tag
 * may then continue to stream. Commands that follow the cancellation do not fail because of the stream. The stream
 * continues on the next link after a lost link, and is started again if the tag stops it without an error; missing
 * samples are reported as a gap. If the tag is recording, the stream ends with JACQUARD_ERROR_CAPTURE_IN_PROGRESS and
 * the recording continues.
 *
 * @param settings NULL for the defaults; copied
 * @param on_motion receives samples and gaps, in the order of the tag's clock
 * @param callback receives the error that ends the stream, never NULL: an error of jacquard_tag_prepare_motion() or
 *   jacquard_tag_start_recording(), or the reason for the end of the connection
 * @param request receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_stream_motion(jacquard_connection *connection, const jacquard_motion_settings *settings,
                                      jacquard_motion_callback on_motion, jacquard_done_callback callback,
                                      void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* Motion files ----------------------------------------------------------------------------------------------------- */

/** A sample in a motion file: 16 bytes, whose layout does not change. @since 0.1 */
typedef struct jacquard_motion_counts {
  int16_t acceleration[3]; /**< x, y, z; 32768 counts are the range of the accelerometer */
  int16_t rotation[3];     /**< roll, pitch, yaw; 32768 counts are the range of the gyroscope */
  uint32_t ticks;          /**< the tag's clock */
} jacquard_motion_counts;

/** Type of a part of a motion file. @since 0.1 */
typedef enum jacquard_motion_part_type {
  JACQUARD_MOTION_PART_HEADER = 1,  /**< the file's header, in `session` and `settings` */
  JACQUARD_MOTION_PART_START = 2,   /**< an action begins; `number` is its ID */
  JACQUARD_MOTION_PART_SAMPLES = 3, /**< samples of the current action, in `samples` and `count` */
  JACQUARD_MOTION_PART_END = 4,     /**< the action ends; `number` is its result */
  JACQUARD_MOTION_PART_STRAY = 5    /**< stray units of 16 bytes outside of any action, in `samples` and `count` */
} jacquard_motion_part_type;

/** A part of a motion file. @since 0.1 */
typedef struct jacquard_motion_part {
  uint32_t type;                            /**< selects the fields: a jacquard_motion_part_type */
  uint32_t number;                          /**< ID or result of an action; the result 1 means success */
  const jacquard_session *session;          /**< the strings that identify it; size and checksum are 0 */
  const jacquard_motion_settings *settings; /**< rates and ranges; 0 for those that are unknown */
  const jacquard_motion_counts *samples;    /**< valid during the callback, like all other fields */
  size_t count;                             /**< number of samples */
} jacquard_motion_part;

/** Receives a part of a motion file. @since 0.1 */
typedef void (*jacquard_motion_part_callback)(const jacquard_motion_part *part, void *user_data);

/** How a motion file ends. @since 0.1 */
typedef enum jacquard_motion_ending {
  JACQUARD_MOTION_ENDING_COMPLETE = 0,   /**< the last action has an end marker */
  JACQUARD_MOTION_ENDING_INCOMPLETE = 1, /**< the recording or its download was cut off */
  JACQUARD_MOTION_ENDING_DAMAGED = 2     /**< the file contains stray units */
} jacquard_motion_ending;

/** Options of jacquard_motion_reader_new(). @since 0.1 */
typedef struct jacquard_motion_reader_options {
  uint32_t struct_size; /**< sizeof(jacquard_motion_reader_options) */
  uint32_t reserved;    /**< 0 */
} jacquard_motion_reader_options;

#define JACQUARD_MOTION_READER_OPTIONS_INIT { (uint32_t)sizeof(jacquard_motion_reader_options), 0 }

/**
 * Creates a reader for one motion file: a downloaded session, or a saved stream. It does not need a manager.
 *
 * @param options NULL for the defaults
 * @param reader receives the reader, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_motion_reader_new(const jacquard_motion_reader_options *options, jacquard_motion_reader **reader);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_motion_reader *jacquard_motion_reader_ref(jacquard_motion_reader *reader);

/** Releases a reference. @return NULL @since 0.1 */
jacquard_motion_reader *jacquard_motion_reader_unref(jacquard_motion_reader *reader);

/**
 * Reads the next bytes of the file, in pieces of any size. The parts are delivered in order and inside this function.
 * The callback must not use the reader. Damaged files are read as far as possible.
 *
 * @param data `size` bytes; may be NULL if there are none
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_MISUSE (called by the
 *   callback, or by two threads), JACQUARD_ERROR_DAMAGED_SESSION (not a motion file; nothing more can be read)
 * @since 0.1
 */
int jacquard_motion_reader_read(jacquard_motion_reader *reader, const uint8_t *data, size_t size,
                                jacquard_motion_part_callback callback, void *user_data);

/**
 * Returns how the file ends if no more bytes follow.
 *
 * @param offset receives the offset of the first stray unit, else 0; may be NULL
 * @return a jacquard_motion_ending, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_MISUSE, JACQUARD_ERROR_DAMAGED_SESSION (the header is incomplete)
 * @since 0.1
 */
int jacquard_motion_reader_get_ending(jacquard_motion_reader *reader, uint64_t *offset);

/**
 * Creates a writer for a motion file, for example for the samples of a stream.
 *
 * @param session the strings that identify it; copied
 * @param settings NULL for the defaults; copied
 * @param writer receives the writer, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_motion_writer_new(const jacquard_session *session, const jacquard_motion_settings *settings,
                               jacquard_motion_writer **writer);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_motion_writer *jacquard_motion_writer_ref(jacquard_motion_writer *writer);

/** Releases a reference. @return NULL @since 0.1 */
jacquard_motion_writer *jacquard_motion_writer_unref(jacquard_motion_writer *writer);

/** Starts an action. @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE @since 0.1 */
int jacquard_motion_writer_start(jacquard_motion_writer *writer, uint32_t action);

/**
 * Writes samples of an action.
 *
 * @return 0, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_INVALID_ARGUMENT (also if no action has been started, or if
 *   a sample would be read as a marker; the samples before it are written)
 * @since 0.1
 */
int jacquard_motion_writer_add(jacquard_motion_writer *writer, const jacquard_motion_counts *samples,
                               size_t samples_count);

/**
 * Ends an action.
 *
 * @param result at most 65535; 1 means success
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_motion_writer_end(jacquard_motion_writer *writer, uint32_t result);

/**
 * Returns the bytes that were written since the last call; append them to the file.
 *
 * @param data receives the bytes, valid until the next call with this writer
 * @param size receives their number
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_motion_writer_take(jacquard_motion_writer *writer, const uint8_t **data, size_t *size);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Firmware                                                                                                           */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * The source of a firmware image, and the component and version that it is for. Set exactly one of `path`, `data` and
 * `from_descriptor`. An image at a path can have a manifest beside it, in a file with the same name and ".json"
 * appended: a JSON object with vendor_id, product_id and module_id ("11-78-30-c8"), version ("1.97.0"), size, sha256
 * and crc16. Values that are stated by both the caller and a manifest must be equal.
 *
 * Firmware updates have only been tested with software tags, never with a real tag. The library contains no images, and
 * an image cannot be read back from a tag: keep the images that you have.
 *
 * @since 0.1
 */
typedef struct jacquard_firmware_source {
  uint32_t struct_size;     /**< sizeof(jacquard_firmware_source) */
  uint32_t from_descriptor; /**< 1: reads `descriptor`, from the beginning of the file */
  int32_t descriptor;       /**< of a regular file; the caller closes it */
  uint32_t identified;      /**< 1: the following IDs and `version` are set; 0: they are read from the manifest */
  uint32_t vendor_id;       /**< vendor ID of the tag, the gear or the module */
  uint32_t product_id;      /**< product ID of the tag, the gear or the module */
  uint32_t module_id;       /**< ID of the module; 0 if the image is for the tag or gear */
  uint32_t version[3];      /**< major, minor, point; compared with the version that is read back after the update */
  const char *path;         /**< path of a regular file */
  const uint8_t *data;      /**< the image; copied */
  size_t data_size;         /**< size of `data` in bytes, 1 to 4194304 */
  const char *manifest;     /**< JSON text of a manifest, in addition to one beside the image; NULL: none */
} jacquard_firmware_source;

#define JACQUARD_FIRMWARE_SOURCE_INIT \
  { (uint32_t)sizeof(jacquard_firmware_source), 0, -1, 0, 0, 0, 0, { 0, 0, 0 }, NULL, NULL, 0, NULL }

/**
 * Reads a firmware image into memory, and compares it with its manifest. Requires no manager.
 *
 * @param source the image to read; copied
 * @param firmware receives the image, with one reference
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT (also if `identified` is 0 and there is no manifest),
 *   JACQUARD_ERROR_FIRMWARE_IMAGE, JACQUARD_ERROR_FIRMWARE_MANIFEST, JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_firmware_new(const jacquard_firmware_source *source, jacquard_firmware **firmware);

/** Takes one more reference and returns the same handle. @since 0.1 */
jacquard_firmware *jacquard_firmware_ref(jacquard_firmware *firmware);

/** Releases a reference. @return NULL @since 0.1 */
jacquard_firmware *jacquard_firmware_unref(jacquard_firmware *firmware);

/** The description of a firmware image. @since 0.1 */
typedef struct jacquard_firmware_info {
  uint32_t vendor_id;  /**< vendor ID of the tag, the gear or the module */
  uint32_t product_id; /**< product ID of the tag, the gear or the module */
  uint32_t module_id;  /**< ID of the module; 0 if the image is for the tag or gear */
  uint32_t version[3]; /**< major, minor, point */
  uint32_t size;       /**< size in bytes */
  uint32_t checksum;   /**< CRC-16 with polynomial 0x1021 and initial value 0, as computed by the tag */
  uint8_t sha256[32];  /**< SHA-256 */
} jacquard_firmware_info;

/**
 * Returns the description of a firmware image.
 *
 * @param info receives a pointer that is valid as long as the handle
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE
 * @since 0.1
 */
int jacquard_firmware_get_info(jacquard_firmware *firmware, const jacquard_firmware_info **info);

/** The steps that an update performs. @since 0.1 */
typedef enum jacquard_update_mode {
  JACQUARD_UPDATE_MODE_INSTALL = 0, /**< check, transfer and install the images, and verify the versions */
  JACQUARD_UPDATE_MODE_CHECK = 1,   /**< check only: a dry run, which writes nothing to the tag */
  JACQUARD_UPDATE_MODE_TRANSFER = 2 /**< check and transfer, without installing; modules are omitted */
} jacquard_update_mode;

/** Options of an update. @since 0.1 */
typedef struct jacquard_update_options {
  uint32_t struct_size;     /**< sizeof(jacquard_update_options) */
  uint32_t mode;            /**< the steps to perform: a jacquard_update_mode */
  uint32_t allow_downgrade; /**< 1: also installs images that are older than the installed firmware */
  uint32_t overwrite;       /**< 1: overwrites another image that is partly on the tag */
  uint32_t least_battery;   /**< required battery level in percent, 10 to 100; 0: 20. A tag that charges needs 10 */
  uint32_t reserved;        /**< 0 */
} jacquard_update_options;

#define JACQUARD_UPDATE_OPTIONS_INIT \
  { (uint32_t)sizeof(jacquard_update_options), JACQUARD_UPDATE_MODE_INSTALL, 0, 0, 0, 0 }

/** The current step of an update. @since 0.1 */
typedef enum jacquard_update_phase {
  JACQUARD_UPDATE_CHECKING = 0,     /**< asking the tag for its versions and what it has stored */
  JACQUARD_UPDATE_TRANSFERRING = 1, /**< transferring an image */
  JACQUARD_UPDATE_EXECUTING = 2,    /**< the tag or gear installs the image; this cannot be cancelled */
  JACQUARD_UPDATE_RESTARTING = 3,   /**< waiting for the tag to restart with the new firmware */
  JACQUARD_UPDATE_WAITING = 4       /**< the link is lost; the update continues on the next one */
} jacquard_update_phase;

/** The progress of an update. @since 0.1 */
typedef struct jacquard_update_progress {
  uint32_t phase;          /**< current step: a jacquard_update_phase */
  uint32_t image;          /**< index of the current image */
  uint32_t stored;         /**< bytes of this image that the tag has stored */
  uint32_t total;          /**< size of this image in bytes; 0 while checking */
  double bytes_per_second; /**< average of the last seconds; 0: not known */
  double seconds_left;     /**< remaining time of the transfer of this image; -1: not known */
} jacquard_update_progress;

/** Receives the progress of an update. @since 0.1 */
typedef void (*jacquard_update_progress_callback)(const jacquard_update_progress *progress, void *user_data);

/** The outcome of an update for one image. @since 0.1 */
typedef enum jacquard_update_outcome {
  JACQUARD_UPDATE_PENDING = 0,          /**< not transferred: the update only checked, or it is a module */
  JACQUARD_UPDATE_TRANSFERRED = 1,      /**< the tag has stored the whole image; it is not installed */
  JACQUARD_UPDATE_INSTALLED = 2,        /**< installed; the version was read back */
  JACQUARD_UPDATE_ALREADY_INSTALLED = 3 /**< this version was already installed; nothing was changed */
} jacquard_update_outcome;

/** The result of an update for one image. @since 0.1 */
typedef struct jacquard_update_result {
  uint32_t outcome;        /**< a jacquard_update_outcome */
  uint32_t before[3];      /**< version before the update; zeros for a module that was not installed */
  uint32_t after[3];       /**< version after the update */
  uint32_t stored;         /**< bytes of the image that the tag has stored */
  uint32_t stale_services; /**< 1: bluetoothd still uses the GATT services of the previous firmware. The tag works, but
                                commands are slower: restart bluetoothd, or bind the tag again */
} jacquard_update_result;

/** Receives the results in the order of the images, or an error; `results` is then NULL. @since 0.1 */
typedef void (*jacquard_update_callback)(const jacquard_update_result *const *results, size_t count,
                                         const jacquard_error *error, void *user_data);

/**
 * Updates the firmware of gear, of the tag, and of modules, in this order. The update continues after a lost link, a
 * restart of the tag or of bluetoothd, and, if it is started again, after the end of the program, also from another
 * program or machine that has the same image. The state of a transfer is kept by the tag: on every link the library
 * asks which version is installed and how much of the image is stored. A block is only sent again if the tag has not
 * stored it, and the request to install an image is sent once. The installed firmware keeps running until the tag has
 * verified the image.
 *
 * Modules that are loaded are unloaded, and loaded again afterwards. logind, if available, keeps the machine from
 * suspending during the update. An update can be cancelled until the phase is JACQUARD_UPDATE_EXECUTING; the tag keeps
 * the part that was transferred. Cancelling it later only stops waiting for the result; the next update waits for it
 * first. A tag or gear that keeps its old version is reported 60 s after the request to install the image: it may
 * restart later.
 *
 * These errors are returned before anything is written to the tag: JACQUARD_ERROR_WRONG_PRODUCT, _GEAR_MISSING,
 * _LOW_BATTERY, _CAPTURE_IN_PROGRESS, _BUSY (the tag transfers or erases a recording), _UPDATE_IN_PROGRESS,
 * _OTHER_IMAGE, _DOWNGRADE. Later errors: _LOW_BATTERY (before the installation), _GEAR_MISSING, _OTHER_IMAGE (stored
 * by another program while the link was lost), _DAMAGED_FIRMWARE, _NOT_INSTALLED (the tag or gear has another version,
 * did not return, or reported a failure), _TAG_STATUS, and the reason of a connection that ends.
 *
 * @param images `images_count` images, each for another component; referenced
 * @param images_count 1 to 16
 * @param options NULL for the defaults
 * @param on_progress receives the progress after every block; may be NULL
 * @param callback receives the results
 * @param request receives a handle to cancel the update, or NULL
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_update_firmware(jacquard_connection *connection, jacquard_firmware *const *images,
                                        size_t images_count, const jacquard_update_options *options,
                                        jacquard_update_progress_callback on_progress,
                                        jacquard_update_callback callback, void *user_data,
                                        jacquard_destroy_callback destroy, jacquard_request **request);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Protocol-level access                                                                                              */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Bytes from a tag. @since 0.1 */
typedef struct jacquard_bytes {
  jacquard_connection *connection; /**< borrowed */
  const uint8_t *data;             /**< valid during the callback */
  size_t size;                     /**< number of bytes */
} jacquard_bytes;

/** Receives bytes. @since 0.1 */
typedef void (*jacquard_bytes_callback)(const jacquard_bytes *bytes, void *user_data);

/** Receives a serialised Response: exactly one of `response` and `error` is not NULL. @since 0.1 */
typedef void (*jacquard_response_callback)(const jacquard_bytes *response, const jacquard_error *error,
                                           void *user_data);

/**
 * Sends a serialised Request, as described in protocol.md, in the order of the other commands. The library fills in
 * the ID. A response with an error status is delivered like any other. See "Commands" above.
 *
 * @param data copied; 1 to 1024 bytes that decode and have a domain and an opcode
 * @since 0.1
 */
int jacquard_tag_send_request(jacquard_tag *tag, const uint8_t *data, size_t size,
                              const jacquard_request_options *options, jacquard_response_callback callback,
                              void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Delivers every serialised Notification, including those that the library also delivers decoded.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_notification(jacquard_connection *connection, jacquard_bytes_callback callback,
                                        void *user_data, jacquard_destroy_callback destroy,
                                        jacquard_subscription **subscription);

/**
 * Delivers the payloads of the raw data channel. The library acknowledges each packet; a packet that the tag repeats
 * because the acknowledgement was lost is delivered once. With a service, packets are delivered as soon as it has
 * processed this call, which it does before it sends a later request of this program to the tag.
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_raw_data(jacquard_connection *connection, jacquard_bytes_callback callback,
                                    void *user_data, jacquard_destroy_callback destroy,
                                    jacquard_subscription **subscription);

/**
 * Delivers each value of the raw data characteristic as received, including the fragment header. With a service, as
 * jacquard_connection_on_raw_data().
 *
 * @param subscription receives a handle to cancel it, or NULL: active until the connection ends
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_connection_on_raw_value(jacquard_connection *connection, jacquard_bytes_callback callback,
                                     void *user_data, jacquard_destroy_callback destroy,
                                     jacquard_subscription **subscription);

/**
 * Sends a packet on the raw data channel. Completes when its last fragment has been written; timeout_ms is ignored. See
 * "Commands" above.
 *
 * @param data copied; 1 to 1024 bytes
 * @since 0.1
 */
int jacquard_tag_send_raw_data(jacquard_tag *tag, const uint8_t *data, size_t size,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

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

/* ------------------------------------------------------------------------------------------------------------------ */
/* The service                                                                                                        */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Options of jacquard_service_run(). @since 0.1 */
typedef struct jacquard_service_options {
  uint32_t struct_size;    /**< sizeof(jacquard_service_options) */
  uint32_t reserved;       /**< 0 */
  const char *bus_address; /**< as in jacquard_manager_options */
  const char *socket_path; /**< absolute path of the socket, which only this user can connect to; NULL: socket_fd */
  int32_t socket_fd;       /**< a listening SOCK_SEQPACKET socket, as from socket activation, which is closed at the
                                end; -1: at the usual path of the user's service */
  int32_t stop_fd;         /**< the service ends when this descriptor is readable; -1: none. It stays open */
  uint32_t linger_ms;      /**< how long the link to a tag stays after its last program; 0: not at all */
  uint32_t idle_ms;        /**< the service ends when it has had no program for this time; 0: never */
} jacquard_service_options;

#define JACQUARD_SERVICE_OPTIONS_INIT { (uint32_t)sizeof(jacquard_service_options), 0, NULL, NULL, -1, -1, 10000, 0 }

/**
 * Runs the service that shares tags among programs, in the calling thread, until it ends: see "Sharing". This is the
 * whole program jacquardd. It notifies a supervisor: READY, STOPPING and WATCHDOG as described in sd_notify(3).
 *
 * @param callback receives log messages up to JACQUARD_LOG_INFO, in this thread; may be NULL
 * @return 0 after stop_fd or idle_ms, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_BUS_ADDRESS,
 *   JACQUARD_ERROR_BUSY (another service already listens there), JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_service_run(const jacquard_service_options *options, jacquard_log_callback callback, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
