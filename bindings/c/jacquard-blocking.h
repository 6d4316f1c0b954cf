/**
 * libjacquard without callbacks: functions that wait and return the result.
 *
 *   jb_error error = JB_ERROR_INIT;
 *   jb_session *session = jb_open(NULL, &error);
 *   jb_tag *tag = jb_connect_serial(session, "01ZK", 60000, &error);
 *   jacquard_battery battery = jb_battery(tag, 10000, &error);
 *   jb_close(session);
 *   if (error.code < 0) return jb_complain(&error);
 *   printf("battery %u%%\n", (unsigned)battery.percent);
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compile jacquard-blocking.c together with your program; it uses only the public header. C99 and C++11, POSIX threads.
 *
 * Purpose. For tools, tests and small programs: finding, connecting, binding, battery, light, vibration, name, gear,
 *   and events. It has no motion, firmware, modules, configuration, stored values or raw protocol: for these, call the
 *   functions of jacquard.h with jb_manager() and jb_connection(); their callbacks run on the session's thread.
 *
 * Errors. Every function takes a jb_error that the caller provides, and does nothing if this already contains an error;
 *   the result is then 0, NULL or a zeroed struct. A sequence of calls therefore needs only one check at the end, which
 *   reports the first failure. jb_clear() resets an error. Pass NULL to ignore errors.
 *
 * Time. Every function that waits takes a timeout in milliseconds, or JB_FOREVER. When it expires, the function cancels
 *   what it began (a command is cancelled, a connection dropped) and the error is JACQUARD_ERROR_TIMEOUT or a more
 *   specific one: JACQUARD_ERROR_NOT_FOUND for a search, the last reason for a connection.
 *
 * Interrupts. jb_interrupt() ends all waits of a session, from another thread or from a signal handler. They fail with
 *   JB_ERROR_INTERRUPTED, as do all later waits until jb_resume().
 *
 * Threads. A session has one thread, which runs the library's loop: it maintains links and collects events
 *   independently of the program. Every function may be called from any other thread; in a callback of the library,
 *   which runs on that thread, functions fail with JACQUARD_ERROR_MISUSE. When jb_close() is called, no other function
 *   of the session may be running.
 */
#ifndef JACQUARD_BLOCKING_H
#define JACQUARD_BLOCKING_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No timeout. */
#define JB_FOREVER (-1)

/** jb_interrupt() was called; an error code in addition to jacquard_status. */
#define JB_ERROR_INTERRUPTED (-1001)

/** The first error, in memory that the caller provides. There is nothing to free. */
typedef struct jb_error {
  int code;           /**< 0, a jacquard_status, or JB_ERROR_INTERRUPTED */
  int system_errno;   /**< as in jacquard_error; 0 if none */
  int att_code;       /**< as in jacquard_error; 0 if none */
  int tag_status;     /**< as in jacquard_error; 0 if none */
  char what[32];      /**< the operation that failed: "battery", "connect" */
  char message[256];  /**< what happened, in one sentence */
  char advice[256];   /**< what the user can do about it, in one sentence; may be "" */
} jb_error;

#define JB_ERROR_INIT { 0, 0, 0, 0, "", "", "" }

/** Resets an error. */
void jb_clear(jb_error *error);

/**
 * Writes an error to stderr, "battery: message advice", and returns 1; without an error writes nothing and returns 0.
 */
int jb_complain(const jb_error *error);

/* Sessions --------------------------------------------------------------------------------------------------------- */

/** A manager with a thread, and everything found through it. */
typedef struct jb_session jb_session;

/** Opens a session. `options` as in jacquard_manager_new(), NULL for the defaults. Does not wait. */
jb_session *jb_open(const jacquard_manager_options *options, jb_error *error);

/** Closes a session and all its tags: drops the links and ends the thread. NULL is allowed. Returns 0, or
 *  JACQUARD_ERROR_MISUSE in a callback of the library, which runs on that thread; the session then stays open. */
int jb_close(jb_session *session);

/** Ends all waits of a session, including later ones, until jb_resume(). May be called in a signal handler. */
void jb_interrupt(jb_session *session);

/** Allows a session to wait again after an interrupt. */
void jb_resume(jb_session *session);

/**
 * Returns the manager of a session, for functions that this layer does not have; borrowed. Its callbacks run on the
 * session's thread.
 */
jacquard_manager *jb_manager(jb_session *session);

/* Finding ---------------------------------------------------------------------------------------------------------- */

/** A tag that was seen; like jacquard_advertisement, with its own copies of the strings. */
typedef struct jb_found {
  char identifier[40]; /**< pass it to jb_connect(), or store it */
  char serial[64];     /**< the end of the number printed on the tag */
  char name[256];      /**< advertised name */
  char address[24];    /**< Bluetooth address */
  int rssi;            /**< dBm, or JACQUARD_RSSI_UNKNOWN */
  int bonded;          /**< 1: this machine has a bond with it */
  int connected;       /**< 1: it is already connected to this machine */
} jb_found;

/** Returns the first tag found with this serial number, or any tag for NULL. */
jb_found jb_find(jb_session *session, const char *serial, int timeout_ms, jb_error *error);

/** Finds up to `room` different tags before the timeout; with JB_FOREVER, waits until `room` tags were found.
 *  Returns the number of tags found. */
size_t jb_find_all(jb_session *session, jb_found *found, size_t room, int timeout_ms, jb_error *error);

/* Connections ------------------------------------------------------------------------------------------------------ */

/**
 * A request to stay connected to one tag. It reconnects after a lost link; functions called while it is disconnected
 * wait for the tag.
 */
typedef struct jb_tag jb_tag;

/** Connects and waits until the tag is connected. The result is valid until jb_disconnect() or jb_close(). */
jb_tag *jb_connect(jb_session *session, const char *identifier, int timeout_ms, jb_error *error);

/** Finds a tag by its serial number, and connects to it like jb_connect(). */
jb_tag *jb_connect_serial(jb_session *session, const char *serial, int timeout_ms, jb_error *error);

/**
 * Binds a tag and waits until it is bound and connected; afterwards jb_connect() is enough. See
 * jacquard_manager_bind().
 *
 * @param identifier from jb_found; NULL: finds the tag by the code
 * @param code the number printed on the tag, or at least its last 4 characters
 * @param owner owner to store with the tag; NULL: none
 * @param profile data to store with the tag, `profile_count` entries; NULL: keeps the stored profile
 */
jb_tag *jb_bind(jb_session *session, const char *identifier, const char *code, const char *owner,
                const jacquard_profile_entry *profile, size_t profile_count, int timeout_ms, jb_error *error);

/**
 * A tag that is bound to this machine; like jacquard_known_tag, with its own copies of the strings and without the
 * profile.
 */
typedef struct jb_known {
  char identifier[40];    /**< as in jb_found */
  char address[24];       /**< Bluetooth address */
  char serial[64];        /**< the full serial number */
  char name[256];         /**< name at the last connection */
  char owner[260];        /**< "" if none */
  int64_t bound_at;       /**< seconds since 1970 */
  int64_t last_connected; /**< seconds since 1970 */
} jb_known;

/** Lists the tags bound to this machine, up to `room` tags. Does not need Bluetooth. Returns the total number. */
size_t jb_list_known(jb_session *session, jb_known *known, size_t room, int timeout_ms, jb_error *error);

/** Removes a bound tag from this machine and from BlueZ, and ends its connection. Returns 1 on success. */
int jb_unbind(jb_session *session, const char *identifier, int timeout_ms, jb_error *error);

/** Drops the link, waits until it is down (some seconds at most), and frees the tag. No other thread may be waiting for
 *  the tag at that time. NULL is allowed. */
void jb_disconnect(jb_tag *tag);

/** Waits until the tag is connected; returns immediately if it is. Returns 1 when it is connected. */
int jb_connected(jb_tag *tag, int timeout_ms, jb_error *error);

/** Returns the connection of a tag, for functions that this layer does not have; borrowed. */
jacquard_connection *jb_connection(jb_tag *tag);

/* Commands --------------------------------------------------------------------------------------------------------- */

/** A tag's report about itself; like jacquard_tag_info, with its own copies of the strings. */
typedef struct jb_info {
  char identifier[40];    /**< as in jb_found */
  char address[24];       /**< Bluetooth address */
  char name[256];         /**< name of the link */
  char serial[64];        /**< the full serial number */
  char vendor[64];        /**< "Google Inc." */
  char model[64];         /**< "UJT" */
  unsigned firmware[3];   /**< major, minor, point */
} jb_info;

/** Returns the tag's report about itself, made while connecting. */
jb_info jb_tag_info(jb_tag *tag, int timeout_ms, jb_error *error);

/** Reads the battery level. */
jacquard_battery jb_battery(jb_tag *tag, int timeout_ms, jb_error *error);

/** The component to use: the tag itself, or the gear that it is attached to. */
typedef enum jb_part {
  JB_ON_TAG = 0, /**< the tag itself */
  JB_ON_GEAR = 1 /**< the gear; functions wait until gear is attached */
} jb_part;

/** Plays an LED pattern. Returns 1 when the tag has accepted it. */
int jb_led(jb_tag *tag, jb_part part, const jacquard_led_pattern *pattern, int timeout_ms, jb_error *error);

/**
 * Shows one colour, given as 0xRRGGBB. Returns 1 when the tag has accepted it.
 */
int jb_light(jb_tag *tag, jb_part part, uint32_t colour, uint32_t duration_ms, int timeout_ms, jb_error *error);

/** Makes the gear vibrate. Returns 1 when the tag has accepted it. */
int jb_haptic(jb_tag *tag, const jacquard_haptic *haptic, int timeout_ms, jb_error *error);

/** Selects what the gear reports: gestures (the default) or touch data. Returns 1 when the tag has accepted it. */
int jb_touch_mode(jb_tag *tag, uint32_t mode, int timeout_ms, jb_error *error);

/** Renames the tag and waits until it has reconnected under the new name. Returns 1 on success. */
int jb_rename(jb_tag *tag, const char *name, int timeout_ms, jb_error *error);

/* Gear and events -------------------------------------------------------------------------------------------------- */

/** A description of gear; like jacquard_component_info, with its own copies of the strings. */
typedef struct jb_gear {
  int attached;           /**< 0: no gear is attached, and all other fields are 0 */
  char vendor[64];        /**< "Levi's"; "" if unknown */
  char product[64];       /**< "Trucker Jacket"; "" if unknown */
  uint32_t vendor_id;     /**< the vendor's number, even if the name is unknown */
  uint32_t product_id;    /**< the product's number, even if the name is unknown */
  uint32_t capabilities;  /**< sum of jacquard_capability */
} jb_gear;

/** Waits until gear is attached; returns immediately if it is. */
jb_gear jb_wait_for_gear(jb_tag *tag, int timeout_ms, jb_error *error);

/** Kinds of events; a set is the sum of these. */
typedef enum jb_kind {
  JB_GESTURE = 1,    /**< `gesture`: a gesture */
  JB_TOUCH = 2,      /**< `touch`: a sample of a touch */
  JB_BATTERY = 4,    /**< `battery`: the tag reported its battery level */
  JB_GEAR = 8,       /**< `gear`: gear was attached or detached */
  JB_NAME = 16,      /**< `name`: the tag's name became known or changed */
  JB_LINK = 32,      /**< `link`: the state of the connection changed */
  JB_ANYTHING = 63   /**< all of them */
} jb_kind;

/** An event. `kind` selects the field that is set; the others are 0. */
typedef struct jb_event {
  jb_kind kind;                                   /**< what happened */
  unsigned lost; /**< number of earlier events of this kind that were dropped because they were not fetched in time */
  struct {
    uint32_t type;
    char name[32];
    uint32_t may_be_copy;
    int64_t arrival_ns;
  } gesture;                                                                  /**< as in jacquard_gesture */
  struct {
    uint32_t sequence;
    uint8_t proximity;
    uint8_t lines[12];
    int64_t arrival_ns;
  } touch;                                                                    /**< as in jacquard_touch */
  jacquard_battery battery;                                                   /**< the battery level */
  jb_gear gear;                                                               /**< the gear */
  char name[64];                                                              /**< the tag's name */
  struct { uint32_t phase, step, attempt; int reason; } link;  /**< `reason`: a jacquard_status or 0 */
} jb_event;

/**
 * Waits for the next event of these kinds. Events are collected since jb_connect(), up to 256 of each kind; events of
 * other kinds are kept for later calls. Returns 1 with an event, 0 without an error if the timeout expires, otherwise 0
 * with an error:
 *
 *   while (jb_next(tag, JB_GESTURE, JB_FOREVER, &event, &error)) puts(event.gesture.name);
 */
int jb_next(jb_tag *tag, unsigned kinds, int timeout_ms, jb_event *event, jb_error *error);

#ifdef __cplusplus
}
#endif

#endif
