/**
 * libjacquard without callbacks: functions that wait and return what they waited for.
 *
 *   jb_error error = JB_ERROR_INIT;
 *   jb_session *session = jb_open(NULL, &error);
 *   jb_found found = jb_find(session, "01ZK", 30000, &error);
 *   jb_tag *tag = jb_connect(session, found.identifier, 60000, &error);
 *   jacquard_battery battery = jb_battery(tag, 10000, &error);
 *   jb_close(session);
 *   if (error.code < 0) return jb_complain(&error);
 *   printf("battery %u%%\n", (unsigned)battery.percent);
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One file to compile beside your own, on top of the public header alone: jacquard-blocking.c. C99 and C++11, POSIX
 * threads.
 *
 * Errors. Every function takes a jb_error of the caller's and does nothing while that holds an error already: its
 *   result is 0, NULL or a struct of zeros then. So a whole sequence needs one look at the end, and the first failure
 *   is what is seen there. jb_clear() makes it new. NULL for an error is an error that nobody sees.
 *
 * Time. Every function that waits takes a time-out in milliseconds, or JB_FOREVER. When it is over, the function gives
 *   up what it began (a command is cancelled, a connection dropped) and the error is JACQUARD_ERROR_TIMEOUT, or what is
 *   known better: JACQUARD_ERROR_NOT_FOUND of a search, the last reason of a connection.
 *
 * Interrupts. jb_interrupt() ends all waits of a session from another thread or from a signal handler: they fail with
 *   JB_ERROR_INTERRUPTED, and so does every further one until jb_resume().
 *
 * Threads. A session has one thread, which runs the library's loop: links are kept, and events collected, whatever the
 *   program does meanwhile. Every function may be called from every thread but that one (from a callback of the library
 *   itself: JACQUARD_ERROR_BUSY). jb_close() comes last: no other function of the session may be running then.
 */
#ifndef JACQUARD_BLOCKING_H
#define JACQUARD_BLOCKING_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No time-out. */
#define JB_FOREVER (-1)

/** jb_interrupt() was called; beside the numbers of jacquard_status. */
#define JB_ERROR_INTERRUPTED (-1001)

/** What went wrong first, in memory of the caller's. There is nothing to free. */
typedef struct jb_error {
  int code;           /**< 0, a jacquard_status, or JB_ERROR_INTERRUPTED */
  int system_errno;   /**< errno, ATT code and the tag's status, as in jacquard_error; 0 when there was none */
  int att_code;       /**< see system_errno */
  int tag_status;     /**< see system_errno */
  char what[32];      /**< what was being done: "battery", "connect" */
  char message[256];  /**< what happened, one sentence */
  char advice[256];   /**< what can be done about it, one sentence; may be "" */
} jb_error;

#define JB_ERROR_INIT { 0, 0, 0, 0, "", "", "" }

/** Makes an error new. */
void jb_clear(jb_error *error);

/** Writes an error to stderr, "battery: message advice", and returns 1; when there is none, nothing, and 0. */
int jb_complain(const jb_error *error);

/* Sessions --------------------------------------------------------------------------------------------------------- */

/** A manager with a thread, and everything found through it. */
typedef struct jb_session jb_session;

/** Opens a session. `options` as in jacquard_manager_new(), NULL for the defaults. Does not wait. */
jb_session *jb_open(const jacquard_manager_options *options, jb_error *error);

/** Closes a session and all its tags: links are dropped, the thread has ended. NULL is fine. Returns 0, or
 *  JACQUARD_ERROR_BUSY in a callback of the library, which runs on that thread: the session stays open. */
int jb_close(jb_session *session);

/** Ends all waits of a session, those to come as well, until jb_resume(). May be called in a signal handler. */
void jb_interrupt(jb_session *session);

/** Lets a session wait again after an interrupt. */
void jb_resume(jb_session *session);

/** The manager of a session, for what is not here; borrowed. Its callbacks run on the session's thread. */
jacquard_manager *jb_manager(jb_session *session);

/* Finding ---------------------------------------------------------------------------------------------------------- */

/** A tag that was seen; as jacquard_advertisement, with texts of its own. */
typedef struct jb_found {
  char identifier[40]; /**< what to connect to and to store */
  char serial[64];     /**< the end of the number printed on the tag */
  char name[256];      /**< advertised name */
  char address[24];    /**< Bluetooth address */
  int rssi;            /**< dBm, or JACQUARD_RSSI_UNKNOWN */
  int bonded;          /**< 1: this machine has a bond with it */
  int connected;       /**< 1: it is connected to this machine already */
} jb_found;

/** The first tag seen; with a serial number, NULL for any. */
jb_found jb_find(jb_session *session, const char *serial, int timeout_ms, jb_error *error);

/** All tags seen in that time, each once, as many as there is room for.
 *  JB_FOREVER: until the room is full. Returns how many. */
size_t jb_find_all(jb_session *session, jb_found *found, size_t room, int timeout_ms, jb_error *error);

/* Connections ------------------------------------------------------------------------------------------------------ */

/**
 * The wish to stay connected to one tag. It comes back by itself after a lost link; functions called while it is away
 * wait for it.
 */
typedef struct jb_tag jb_tag;

/** Connects and waits until it is done. The result lives until jb_disconnect() or jb_close(). */
jb_tag *jb_connect(jb_session *session, const char *identifier, int timeout_ms, jb_error *error);

/**
 * Binds a tag and waits until it is bound and connected; jb_connect() is enough from then on. See
 * jacquard_manager_bind().
 *
 * @param code the number printed on the tag, or at least the last 4 characters of it
 * @param owner whose tag it is to be; NULL: no one in particular
 * @param profile what to keep with the tag, `profile_count` entries; NULL: what is kept already
 */
jb_tag *jb_bind(jb_session *session, const char *identifier, const char *code, const char *owner,
                const jacquard_profile_entry *profile, size_t profile_count, int timeout_ms, jb_error *error);

/** A tag that is bound to this machine; as jacquard_known_tag, with texts of its own, and without its profile. */
typedef struct jb_known {
  char identifier[40];    /**< as in jb_found */
  char address[24];       /**< Bluetooth address */
  char serial[64];        /**< the whole serial number */
  char name[256];         /**< as of the last connection */
  char owner[260];        /**< "" for nobody in particular */
  int64_t bound_at;       /**< seconds since 1970 */
  int64_t last_connected; /**< seconds since 1970 */
} jb_known;

/** The tags bound to this machine, as many as there is room for, without Bluetooth. Returns how many there are. */
size_t jb_list_known(jb_session *session, jb_known *known, size_t room, int timeout_ms, jb_error *error);

/** Forgets a tag that is bound, here and in BlueZ. Its connection ends. Returns 1 when it is forgotten. */
int jb_unbind(jb_session *session, const char *identifier, int timeout_ms, jb_error *error);

/** Drops the link, waits until it is down (some seconds at most), and forgets the tag, which no other thread may be
 *  waiting for then. NULL is fine. */
void jb_disconnect(jb_tag *tag);

/** Waits until the tag is connected; at once when it is. Returns 1 when it is. */
int jb_connected(jb_tag *tag, int timeout_ms, jb_error *error);

/** The connection of a tag, for what is not here; borrowed. */
jacquard_connection *jb_connection(jb_tag *tag);

/* Commands --------------------------------------------------------------------------------------------------------- */

/** What a tag says of itself; as jacquard_tag_info, with texts of its own. */
typedef struct jb_info {
  char identifier[40];    /**< as in jb_found */
  char address[24];       /**< Bluetooth address */
  char name[256];         /**< name of the link */
  char serial[64];        /**< the whole serial number */
  char vendor[64];        /**< "Google Inc." */
  char model[64];         /**< "UJT" */
  unsigned firmware[3];   /**< major, minor, point */
} jb_info;

/** What a tag said of itself while connecting. */
jb_info jb_tag_info(jb_tag *tag, int timeout_ms, jb_error *error);

/** Asks for the battery. */
jacquard_battery jb_battery(jb_tag *tag, int timeout_ms, jb_error *error);

/** On which part of it: the tag itself, or the gear that it sits in. */
typedef enum jb_part {
  JB_ON_TAG = 0, /**< the tag itself */
  JB_ON_GEAR = 1 /**< its gear; functions wait for it to be attached */
} jb_part;

/** Plays an LED pattern. Returns 1 when it is accepted. */
int jb_led(jb_tag *tag, jb_part part, const jacquard_led_pattern *pattern, int timeout_ms, jb_error *error);

/** Shows one colour, 0xRRGGBB (a jacquard_led_frame has it as three numbers), for that long. Returns 1 when it is accepted. */
int jb_light(jb_tag *tag, jb_part part, uint32_t colour, uint32_t duration_ms, int timeout_ms, jb_error *error);

/** Vibrates the gear. Returns 1 when it is accepted. */
int jb_haptic(jb_tag *tag, const jacquard_haptic *haptic, int timeout_ms, jb_error *error);

/** Chooses what the gear reports: gestures, as at first, or touch data. Returns 1 when it is accepted. */
int jb_touch_mode(jb_tag *tag, jacquard_touch_mode mode, int timeout_ms, jb_error *error);

/** Renames the tag, and waits until it has come back under the new name. Returns 1 then. */
int jb_rename(jb_tag *tag, const char *name, int timeout_ms, jb_error *error);

/* Gear and events -------------------------------------------------------------------------------------------------- */

/** What gear is; as jacquard_component_info, with texts of its own. */
typedef struct jb_gear {
  int attached;           /**< 0: the tag sits in no gear; all others are 0 then */
  char vendor[64];        /**< "Levi's"; "" for one that is not known */
  char product[64];       /**< "Trucker Jacket"; "" for one that is not known */
  uint32_t vendor_id;     /**< its number, also when the name is not known */
  uint32_t product_id;    /**< likewise */
  uint32_t capabilities;  /**< sum of jacquard_capability */
} jb_gear;

/** Waits until the tag sits in gear; at once when it does. */
jb_gear jb_wait_for_gear(jb_tag *tag, int timeout_ms, jb_error *error);

/** What happened; the kinds to wait for are a sum of these. */
typedef enum jb_kind {
  JB_GESTURE = 1,    /**< `gesture`: a gesture */
  JB_TOUCH = 2,      /**< `touch`: a sample of a touch */
  JB_BATTERY = 4,    /**< `battery`: the tag tells its battery */
  JB_GEAR = 8,       /**< `gear`: gear was attached or taken off */
  JB_NAME = 16,      /**< `name`: the tag's name is known, or another one */
  JB_LINK = 32,      /**< `link`: the connection goes another step, to or fro */
  JB_ANYTHING = 63   /**< all of them */
} jb_kind;

/** An event. `kind` says which of the fields counts; the others are 0. */
typedef struct jb_event {
  jb_kind kind;                                   /**< what happened */
  unsigned lost; /**< events of this kind dropped before it, because nobody fetched them in time */
  struct { uint32_t number; char name[32]; } gesture;                         /**< as in jacquard_gesture */
  struct { uint32_t sequence; uint8_t proximity; uint8_t lines[12]; } touch;  /**< as in jacquard_touch */
  jacquard_battery battery;                                                   /**< as it is */
  jb_gear gear;                                                               /**< as it is */
  char name[64];                                                              /**< as it is */
  struct { jacquard_phase phase; uint32_t step, attempt; int reason; } link;  /**< `reason`: a jacquard_status or 0 */
} jb_event;

/**
 * Waits for the next event of these kinds. Events are collected from jb_connect() on, 256 of each kind; those of other
 * kinds are kept for another call. Returns 1 with an event, 0 when none came in time (no error), 0 with an error
 * otherwise:
 *
 *   while (jb_next(tag, JB_GESTURE, JB_FOREVER, &event, &error)) puts(event.gesture.name);
 */
int jb_next(jb_tag *tag, unsigned kinds, int timeout_ms, jb_event *event, jb_error *error);

#ifdef __cplusplus
}
#endif

#endif
