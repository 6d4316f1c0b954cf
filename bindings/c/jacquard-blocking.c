/* See jacquard-blocking.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime, pthread_condattr_setclock */
#endif
#include "jacquard-blocking.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 6, MOST_EVENTS = 256, LINK_DOWN_MS = 6000 };

struct jb_session {
  jacquard_manager *manager;
  pthread_t thread;
  pthread_mutex_t mutex; /* protects everything below, and the tags */
  pthread_cond_t changed;
  int wake; /* eventfd: the only member that a signal handler may use */
  int interrupted;
  int stopping;
  int failure; /* why the loop failed, or 0 */
  jb_tag *tags;
};

/* A ring of events of one kind; the oldest is at `first`. */
typedef struct ring {
  jb_event *events;
  unsigned long long *numbers; /* sequence numbers of the events, across all kinds */
  size_t first, count, room;
  unsigned lost; /* events dropped since the last one that was stored */
} ring;

struct jb_tag {
  jb_tag *next;
  jb_session *session;
  jacquard_connection *connection;
  jacquard_tag *link; /* the tag of the current link, else NULL */
  unsigned links;     /* number of links so far */
  jacquard_component *component;
  jb_gear gear;
  uint32_t phase;
  unsigned step, total_steps;
  jb_error reason; /* why the last attempt or link ended */
  ring rings[KINDS];
  unsigned long long number; /* sequence number of the last event */
};

/* Errors ----------------------------------------------------------------------------------------------------------- */

/* Truncates to the whole UTF-8 characters that fit. */
static void copy(char *to, size_t size, const char *from) {
  size_t length = from ? strlen(from) : 0;
  if (length >= size)
    for (length = size - 1; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80;) length--;
  if (length > 0) memcpy(to, from, length);
  to[length] = 0;
}

#define COPY(to, from) copy((to), sizeof(to), (from))

void jb_clear(jb_error *error) {
  if (error) memset(error, 0, sizeof *error);
}

int jb_complain(const jb_error *error) {
  if (!error || error->code == 0) return 0;
  fprintf(stderr, "%s: %s%s%s\n", error->what, error->message, *error->advice ? " " : "", error->advice);
  return 1;
}

static void fail(jb_error *error, const char *what, int code, const char *message, const char *advice) {
  if (!error) return;
  jb_clear(error);
  error->code = code;
  COPY(error->what, what);
  COPY(error->message, message);
  COPY(error->advice, advice);
}

static void fail_system(jb_error *error, const char *what, int number) {
  fail(error, what, JACQUARD_ERROR_SYSTEM, strerror(number), "");
  if (error) error->system_errno = number;
}

static void store_error(jb_error *error, const char *what, const jacquard_error *from) {
  fail(error, what, from->code, from->message, from->advice);
  if (!error) return;
  error->system_errno = from->system_errno;
  error->att_code = from->att_code;
  error->tag_status = from->tag_status;
}

/* Stores the error of a library call or of a wait. */
static void fail_status(jb_error *error, const char *what, int status) {
  const jacquard_error *last = jacquard_last_error();
  if (status == JB_ERROR_INTERRUPTED) fail(error, what, status, "The wait was interrupted.", "");
  else if (last && last->code == status) store_error(error, what, last);
  else fail(error, what, status, jacquard_status_text(status), "");
}

/* Returns whether a function may run. */
static int may_run(const jb_session *session, const char *what, jb_error *error) {
  if (error && error->code) return 0;
  if (!session) fail(error, what, JACQUARD_ERROR_INVALID_ARGUMENT, "session is NULL.", "Open a session first.");
  else if (pthread_equal(pthread_self(), session->thread))
    fail(error, what, JACQUARD_ERROR_MISUSE, "This function cannot be called in a callback of the library.",
         "Call it on another thread.");
  else return 1;
  return 0;
}

/* Waiting ---------------------------------------------------------------------------------------------------------- */

typedef struct deadline {
  int forever;
  struct timespec time;
} deadline;

static deadline deadline_in(int timeout_ms) {
  deadline it;
  it.forever = timeout_ms < 0;
  clock_gettime(CLOCK_MONOTONIC, &it.time);
  if (it.forever) return it;
  it.time.tv_sec += timeout_ms / 1000;
  it.time.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
  if (it.time.tv_nsec >= 1000000000) it.time.tv_sec++, it.time.tv_nsec -= 1000000000;
  return it;
}

typedef int (*condition)(void *subject);

/* With the mutex held: 0 if the condition holds, otherwise the error. */
static int wait_until(jb_session *session, condition holds, void *subject, deadline until) {
  int late = 0;
  for (;;) {
    if (session->interrupted) return JB_ERROR_INTERRUPTED;
    if (holds(subject)) return 0;
    if (session->failure) return session->failure;
    if (late) return JACQUARD_ERROR_TIMEOUT;
    if (until.forever) pthread_cond_wait(&session->changed, &session->mutex);
    else late = pthread_cond_timedwait(&session->changed, &session->mutex, &until.time) == ETIMEDOUT;
  }
}

static void lock(jb_session *session) { pthread_mutex_lock(&session->mutex); }

static void unlock(jb_session *session) { pthread_mutex_unlock(&session->mutex); }

static void announce(jb_session *session) {
  pthread_cond_broadcast(&session->changed);
  unlock(session);
}

/* Sessions --------------------------------------------------------------------------------------------------------- */

static void *run(void *argument) {
  jb_session *session = (jb_session *)argument;
  struct pollfd loop[2];
  int status = 0, stopping = 0;
  memset(loop, 0, sizeof loop);
  loop[0].fd = jacquard_manager_get_fd(session->manager);
  loop[1].fd = session->wake;
  loop[0].events = loop[1].events = POLLIN;
  while (!stopping && status >= 0) {
    eventfd_t calls;
    if (poll(loop, 2, -1) < 0) continue; /* EINTR: the descriptors are valid */
    if (loop[0].revents) status = jacquard_manager_dispatch(session->manager);
    if (!loop[1].revents && status >= 0) continue;
    lock(session);
    if (loop[1].revents && eventfd_read(session->wake, &calls) == 0) session->interrupted = !session->stopping;
    if (status < 0) session->failure = status;
    stopping = session->stopping;
    announce(session);
  }
  return NULL;
}

static int start(jb_session *session) {
  pthread_condattr_t attributes;
  sigset_t all, before;
  int number;
  if (pthread_mutex_init(&session->mutex, NULL) || pthread_condattr_init(&attributes)) return ENOMEM;
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  number = pthread_cond_init(&session->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (number) return number;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  number = pthread_create(&session->thread, NULL, run, session);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return number;
}

jb_session *jb_open(const jacquard_manager_options *options, jb_error *error) {
  jb_session *session;
  int status, number;
  if (error && error->code) return NULL;
  session = (jb_session *)calloc(1, sizeof *session);
  if (!session) {
    fail_system(error, "open", ENOMEM);
    return NULL;
  }
  session->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  number = session->wake < 0 ? errno : 0;
  status = number ? 0 : jacquard_manager_new(options, &session->manager);
  if (!number && status == 0) number = start(session);
  if (!number && status == 0) return session;
  if (number) fail_system(error, "open", number);
  else fail_status(error, "open", status);
  if (session->wake >= 0) close(session->wake);
  jacquard_manager_unref(session->manager);
  free(session);
  return NULL;
}

static void forget(jb_tag *tag) {
  size_t index;
  jacquard_connection_unref(tag->connection); /* no further callback runs */
  jacquard_component_unref(tag->component);
  jacquard_tag_unref(tag->link);
  for (index = 0; index < KINDS; index++) {
    free(tag->rings[index].events);
    free(tag->rings[index].numbers);
  }
  free(tag);
}

int jb_close(jb_session *session) {
  if (!session) return 0;
  if (pthread_equal(pthread_self(), session->thread)) return JACQUARD_ERROR_MISUSE;
  lock(session);
  session->stopping = 1;
  unlock(session);
  eventfd_write(session->wake, 1);
  pthread_join(session->thread, NULL);
  while (session->tags) {
    jb_tag *tag = session->tags;
    session->tags = tag->next;
    forget(tag);
  }
  jacquard_manager_unref(session->manager);
  pthread_cond_destroy(&session->changed);
  pthread_mutex_destroy(&session->mutex);
  close(session->wake);
  free(session);
  return 0;
}

void jb_interrupt(jb_session *session) {
  int number = errno;
  if (session) eventfd_write(session->wake, 1);
  errno = number;
}

void jb_resume(jb_session *session) {
  if (!session) return;
  lock(session);
  session->interrupted = 0;
  unlock(session);
}

jacquard_manager *jb_manager(jb_session *session) { return session ? session->manager : NULL; }

/* Finding ---------------------------------------------------------------------------------------------------------- */

typedef struct search {
  jb_session *session;
  jb_found *found;
  size_t count, room;
  int ended;
  jb_error error;
} search;

static void on_advertisement(const jacquard_advertisement *from, void *user_data) {
  search *self = (search *)user_data;
  lock(self->session);
  if (self->count < self->room) {
    jb_found *to = &self->found[self->count++];
    memset(to, 0, sizeof *to);
    COPY(to->identifier, from->identifier);
    COPY(to->serial, from->serial);
    COPY(to->name, from->name);
    COPY(to->address, from->address);
    to->rssi = from->rssi;
    to->bonded = (int)from->bonded;
    to->connected = (int)from->connected;
  }
  announce(self->session);
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  search *self = (search *)user_data;
  lock(self->session);
  self->ended = 1;
  if (result->error) store_error(&self->error, "find", result->error);
  announce(self->session);
}

static int is_over(void *subject) {
  const search *self = (const search *)subject;
  return self->ended || self->count == self->room;
}

size_t jb_find_all(jb_session *session, jb_found *found, size_t room, int timeout_ms, jb_error *error) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  jacquard_scan *scan = NULL;
  search self;
  int status;
  if (!may_run(session, "find", error) || room == 0) return 0;
  memset(&self, 0, sizeof self);
  self.session = session, self.found = found, self.room = room;
  status = jacquard_manager_scan(session->manager, &options, on_advertisement, on_scan_end, &self, NULL, &scan);
  if (status == 0) {
    lock(session);
    status = wait_until(session, is_over, &self, deadline_in(timeout_ms));
    unlock(session);
    jacquard_scan_unref(scan);
  }
  if (self.error.code && error) *error = self.error;
  else if (status < 0 && status != JACQUARD_ERROR_TIMEOUT) fail_status(error, "find", status);
  return self.count;
}

jb_found jb_find(jb_session *session, const char *serial, int timeout_ms, jb_error *error) {
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  jacquard_scan *scan = NULL;
  jb_found found;
  search self;
  int status;
  memset(&found, 0, sizeof found);
  if (!may_run(session, "find", error)) return found;
  memset(&self, 0, sizeof self);
  self.session = session, self.found = &found, self.room = 1;
  options.serial = serial;
  status = jacquard_manager_scan(session->manager, &options, on_advertisement, on_scan_end, &self, NULL, &scan);
  if (status == 0) {
    lock(session);
    status = wait_until(session, is_over, &self, deadline_in(timeout_ms));
    unlock(session);
    jacquard_scan_unref(scan);
  }
  if (self.error.code && error) *error = self.error;
  else if (status == JACQUARD_ERROR_TIMEOUT)
    fail(error, "find", JACQUARD_ERROR_NOT_FOUND, "No matching tag was found in time.",
         "Hold the tag's button for three seconds until its light pulses, and bring it closer.");
  else if (status < 0) fail_status(error, "find", status);
  return found;
}

/* Events ----------------------------------------------------------------------------------------------------------- */

static void grow(ring *self) {
  size_t room = self->room ? self->room * 2 : 8, index;
  jb_event *events = (jb_event *)malloc(room * sizeof *events);
  unsigned long long *numbers = (unsigned long long *)malloc(room * sizeof *numbers);
  if (!events || !numbers) {
    free(events);
    free(numbers);
    return;
  }
  for (index = 0; index < self->count; index++) {
    events[index] = self->events[(self->first + index) % self->room];
    numbers[index] = self->numbers[(self->first + index) % self->room];
  }
  free(self->events);
  free(self->numbers);
  self->events = events, self->numbers = numbers, self->first = 0, self->room = room;
}

static jb_event *pop(ring *self) {
  jb_event *event = &self->events[self->first];
  self->first = (self->first + 1) % self->room;
  self->count--;
  return event;
}

/* With the mutex held: returns space for one more event, replacing the oldest of its kind if necessary; NULL without
 * memory. */
static jb_event *push(jb_tag *tag, jb_kind kind) {
  size_t index = 0, place;
  ring *self;
  while (kind >> (index + 1)) index++;
  self = &tag->rings[index];
  if (self->count == self->room && self->room < MOST_EVENTS) grow(self);
  if (self->count == self->room && self->count > 0) {
    self->lost += pop(self)->lost + 1;
    if (self->count > 0) self->events[self->first].lost += self->lost, self->lost = 0;
  }
  if (self->room == 0) {
    self->lost++;
    return NULL;
  }
  place = (self->first + self->count++) % self->room;
  memset(&self->events[place], 0, sizeof *self->events);
  self->events[place].kind = kind;
  self->events[place].lost = self->lost;
  self->lost = 0;
  self->numbers[place] = ++tag->number;
  return &self->events[place];
}

static jb_tag *locked(void *user_data) {
  jb_tag *tag = (jb_tag *)user_data;
  lock(tag->session);
  return tag;
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  jb_tag *tag = locked(user_data);
  jb_event *event = push(tag, JB_GESTURE);
  if (event) {
    event->gesture.type = gesture->type;
    COPY(event->gesture.name, gesture->name);
    event->gesture.may_be_copy = gesture->may_be_copy;
    event->gesture.arrival_ns = gesture->arrival_ns;
  }
  announce(tag->session);
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  jb_tag *tag = locked(user_data);
  jb_event *event = push(tag, JB_TOUCH);
  if (event) {
    event->touch.sequence = touch->sequence;
    event->touch.proximity = touch->proximity;
    memcpy(event->touch.lines, touch->lines, sizeof event->touch.lines);
    event->touch.arrival_ns = touch->arrival_ns;
  }
  announce(tag->session);
}

/* Fields that every library has. */
static void copy_battery(jacquard_battery *to, const jacquard_battery *from) {
  to->percent = from->percent;
  to->charging = from->charging;
}

static void on_battery_event(const jacquard_battery_event *reported, void *user_data) {
  jb_tag *tag = locked(user_data);
  jb_event *event = push(tag, JB_BATTERY);
  if (event) copy_battery(&event->battery, reported->battery);
  announce(tag->session);
}

static void on_name(const jacquard_name *name, void *user_data) {
  jb_tag *tag = locked(user_data);
  jb_event *event = push(tag, JB_NAME);
  if (event) COPY(event->name, name->name);
  announce(tag->session);
}

static void on_gear(const jacquard_gear *gear, void *user_data) {
  const jacquard_component_info *info = NULL;
  jb_tag *tag = locked(user_data);
  jacquard_component *before = tag->component;
  jb_event *event = push(tag, JB_GEAR);
  tag->component = gear->component ? jacquard_component_ref(gear->component) : NULL;
  memset(&tag->gear, 0, sizeof tag->gear);
  if (gear->component && jacquard_component_get_info(gear->component, &info) == 0) {
    tag->gear.attached = 1;
    COPY(tag->gear.vendor, info->vendor);
    COPY(tag->gear.product, info->product);
    tag->gear.vendor_id = info->vendor_id;
    tag->gear.product_id = info->product_id;
    tag->gear.capabilities = info->capabilities;
  }
  if (event) event->gear = tag->gear;
  announce(tag->session);
  jacquard_component_unref(before);
}

static void on_state(const jacquard_connection_state *state, void *user_data) {
  jb_tag *tag = locked(user_data);
  jacquard_tag *before = tag->link;
  jb_event *event = push(tag, JB_LINK);
  if (event) {
    event->link.phase = state->phase;
    event->link.step = state->step;
    event->link.attempt = state->attempt;
    event->link.reason = state->reason ? state->reason->code : 0;
  }
  tag->phase = state->phase;
  tag->step = state->step;
  tag->total_steps = state->total_steps;
  tag->link = state->tag ? jacquard_tag_ref(state->tag) : NULL;
  if (tag->link) tag->links++;
  if (state->reason) store_error(&tag->reason, "connection", state->reason);
  else jb_clear(&tag->reason);
  announce(tag->session);
  jacquard_tag_unref(before);
}

/* Connections ------------------------------------------------------------------------------------------------------ */

static int has_ended(void *subject) { return ((jb_tag *)subject)->phase == JACQUARD_PHASE_DISCONNECTED; }

static int is_linked_or_ended(void *subject) { return ((jb_tag *)subject)->link || has_ended(subject); }

/* With the mutex held: stores why there is no link. */
static void fail_link(jb_tag *tag, const char *what, int status, jb_error *error) {
  char message[128];
  if (!error) return;
  if (status != 0 && status != JACQUARD_ERROR_TIMEOUT) {
    fail_status(error, what, status);
  } else if (tag->reason.code) {
    *error = tag->reason;
    COPY(error->what, what);
  } else if (has_ended(tag)) {
    fail(error, what, JACQUARD_ERROR_CLOSED, "The connection has been closed.", "Connect again.");
  } else {
    snprintf(message, sizeof message, "The tag was not connected in time; the last phase was %s, step %u of %u.",
             jacquard_phase_name(tag->phase), tag->step, tag->total_steps);
    fail(error, what, JACQUARD_ERROR_TIMEOUT, message,
         "Hold the tag's button for three seconds until its light pulses, and bring it closer.");
  }
}

/* With the mutex held: returns whether there is a link. */
static int await_link(jb_tag *tag, const char *what, deadline until, jb_error *error) {
  int status = wait_until(tag->session, is_linked_or_ended, tag, until);
  if (status == 0 && tag->link) return 1;
  fail_link(tag, what, status, error);
  return 0;
}

static int subscribe(jb_tag *tag) {
  jacquard_connection *it = tag->connection;
  int status = jacquard_connection_on_gesture(it, on_gesture, tag, NULL, NULL);
  if (status == 0) status = jacquard_connection_on_touch(it, on_touch, tag, NULL, NULL);
  if (status == 0) status = jacquard_connection_on_battery(it, on_battery_event, tag, NULL, NULL);
  if (status == 0) status = jacquard_connection_on_name(it, on_name, tag, NULL, NULL);
  if (status == 0) status = jacquard_connection_on_gear(it, on_gear, tag, NULL, NULL);
  return status;
}

/* The time limit to pass to the library; 0 would select its default. */
static uint32_t milliseconds(int timeout_ms) {
  return timeout_ms < 0 ? UINT32_MAX : timeout_ms > 0 ? (uint32_t)timeout_ms : 1;
}

static int request_connection(jb_tag *tag, const char *identifier, const char *serial,
                              const jacquard_bind_options *binding, int timeout_ms) {
  jacquard_manager *manager = tag->session->manager;
  jacquard_connect_options options = JACQUARD_CONNECT_OPTIONS_INIT;
  options.timeout_ms = milliseconds(timeout_ms);
  options.serial = serial;
  return binding ? jacquard_manager_bind(manager, identifier, binding, on_state, tag, NULL, &tag->connection)
                 : jacquard_manager_connect(manager, identifier, &options, on_state, tag, NULL, &tag->connection);
}

/* Connects a tag, and binds it if requested. */
static jb_tag *follow(jb_session *session, const char *what, const char *identifier, const char *serial,
                      const jacquard_bind_options *binding, int timeout_ms, jb_error *error) {
  /* A little longer than the library's own limit, whose error says more. */
  deadline until = deadline_in(timeout_ms < 0 || timeout_ms > INT_MAX - 100 ? timeout_ms : timeout_ms + 100);
  jb_tag *tag;
  int status, linked;
  if (!may_run(session, what, error)) return NULL;
  tag = (jb_tag *)calloc(1, sizeof *tag);
  if (!tag) {
    fail_system(error, what, ENOMEM);
    return NULL;
  }
  tag->session = session;
  tag->phase = JACQUARD_PHASE_PREPARING; /* until the first state is delivered */
  status = request_connection(tag, identifier, serial, binding, timeout_ms);
  if (status == 0) status = subscribe(tag);
  if (status < 0) {
    fail_status(error, what, status);
    forget(tag);
    return NULL;
  }
  lock(session);
  linked = await_link(tag, what, until, error);
  if (linked) tag->next = session->tags, session->tags = tag;
  unlock(session);
  if (linked) return tag;
  forget(tag);
  return NULL;
}

jb_tag *jb_connect(jb_session *session, const char *identifier, int timeout_ms, jb_error *error) {
  return follow(session, "connect", identifier, NULL, NULL, timeout_ms, error);
}

jb_tag *jb_connect_serial(jb_session *session, const char *serial, int timeout_ms, jb_error *error) {
  return follow(session, "connect", NULL, serial, NULL, timeout_ms, error);
}

jb_tag *jb_bind(jb_session *session, const char *identifier, const char *code, const char *owner,
                const jacquard_profile_entry *profile, size_t profile_count, int timeout_ms, jb_error *error) {
  jacquard_bind_options options = JACQUARD_BIND_OPTIONS_INIT;
  options.timeout_ms = milliseconds(timeout_ms);
  options.code = code;
  options.owner = owner;
  options.profile = profile;
  options.profile_count = profile_count;
  return follow(session, "bind", identifier, NULL, &options, timeout_ms, error);
}

void jb_disconnect(jb_tag *tag) {
  jb_session *session = tag ? tag->session : NULL;
  deadline until = deadline_in(LINK_DOWN_MS);
  jb_tag **place;
  int status;
  if (!session || pthread_equal(pthread_self(), session->thread)) return;
  status = jacquard_connection_disconnect(tag->connection);
  lock(session);
  /* Even when interrupted, so that the link is fully dropped. */
  while (status == 0 && !session->failure && !has_ended(tag))
    if (pthread_cond_timedwait(&session->changed, &session->mutex, &until.time)) break;
  for (place = &session->tags; *place != tag;) place = &(*place)->next;
  *place = tag->next;
  unlock(session);
  forget(tag);
}

int jb_connected(jb_tag *tag, int timeout_ms, jb_error *error) {
  int linked;
  if (!may_run(tag ? tag->session : NULL, "connection", error)) return 0;
  lock(tag->session);
  linked = await_link(tag, "connection", deadline_in(timeout_ms), error);
  unlock(tag->session);
  return linked;
}

jacquard_connection *jb_connection(jb_tag *tag) { return tag ? tag->connection : NULL; }

/* Gear ------------------------------------------------------------------------------------------------------------- */

static int has_gear_or_ended(void *subject) { return ((jb_tag *)subject)->component || has_ended(subject); }

/* With the mutex held: returns whether gear is attached. */
static int await_gear(jb_tag *tag, const char *what, deadline until, jb_error *error) {
  int status = wait_until(tag->session, has_gear_or_ended, tag, until);
  if (status == 0 && tag->component) return 1;
  if (status == JACQUARD_ERROR_TIMEOUT && tag->link)
    fail(error, what, status, "No gear is attached to the tag.", "Put the tag into its garment or bag.");
  else fail_link(tag, what, status, error);
  return 0;
}

jb_gear jb_wait_for_gear(jb_tag *tag, int timeout_ms, jb_error *error) {
  jb_gear gear;
  memset(&gear, 0, sizeof gear);
  if (!may_run(tag ? tag->session : NULL, "gear", error)) return gear;
  lock(tag->session);
  if (await_gear(tag, "gear", deadline_in(timeout_ms), error)) gear = tag->gear;
  unlock(tag->session);
  return gear;
}

/* Commands --------------------------------------------------------------------------------------------------------- */

typedef struct command {
  const char *what;
  jb_session *session;
  jb_tag *tag;
  const void *argument;
  uint32_t mode;
  jacquard_battery battery;
  unsigned links; /* number of links when it was sent */
  int done;
  jb_error outcome;
} command;

typedef int (*sender)(command *self, jacquard_tag *link, jacquard_component *component, jacquard_request **request);

static void complete(command *self, const jacquard_error *error) {
  lock(self->session);
  self->done = 1;
  if (error) store_error(&self->outcome, self->what, error);
  announce(self->session);
}

static void on_done(const jacquard_error *error, void *user_data) { complete((command *)user_data, error); }

static void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data) {
  command *self = (command *)user_data;
  if (battery) copy_battery(&self->battery, battery);
  complete(self, error);
}

static int is_done(void *subject) { return ((command *)subject)->done; }

/* Waits for a command that was accepted with this status; returns 1 on success, 0 with an error. */
static int finish(command *self, int status, jacquard_request *request, deadline until, jb_error *error) {
  if (status == 0) {
    lock(self->session);
    status = wait_until(self->session, is_done, self, until);
    unlock(self->session);
    jacquard_request_unref(request); /* cancels it, or waits for its callback */
  }
  if (self->done) {
    if (self->outcome.code && error) *error = self->outcome;
    return self->outcome.code == 0;
  }
  if (status == JACQUARD_ERROR_TIMEOUT)
    fail(error, self->what, status, "There was no response in time.", self->tag ? "Bring the tag closer." : "");
  else fail_status(error, self->what, status);
  return 0;
}

/* Sends a command on the current link; returns 1 if the tag accepted it, 0 with an error. */
static int attempt(command *self, sender send, int part, deadline until, jb_error *error) {
  jb_session *session = self->session;
  jacquard_component *component = NULL;
  jacquard_request *request = NULL;
  jacquard_tag *link = NULL;
  int status = 0, ready;
  self->done = 0;
  jb_clear(&self->outcome);
  lock(session);
  ready = await_link(self->tag, self->what, until, error);
  if (ready && part == JB_ON_GEAR) ready = await_gear(self->tag, self->what, until, error);
  if (ready && self->tag->link) link = jacquard_tag_ref(self->tag->link);
  if (ready && part == JB_ON_GEAR) component = jacquard_component_ref(self->tag->component);
  self->links = self->tag->links;
  unlock(session);
  if (!ready) return 0;
  if (part == JB_ON_TAG) status = jacquard_tag_get_component(link, &component);
  if (status == 0) status = send(self, link, component, &request);
  status = finish(self, status, request, until, error);
  jacquard_component_unref(component);
  jacquard_tag_unref(link);
  return status;
}

enum { NO_PART = -1 };

/* With the mutex held: returns whether the link that a command was sent on has ended. */
static int is_other_link(void *subject) {
  command *self = (command *)subject;
  return self->tag->links != self->links || !self->tag->link || has_ended(self->tag);
}

static int perform(command *self, sender send, int part, deadline until, jb_error *error) {
  jb_error unseen;
  int status;
  if (!may_run(self->session, self->what, error)) return 0;
  if (!error) jb_clear(error = &unseen);
  while (!attempt(self, send, part, until, error)) {
    if (!self->done || error->code != JACQUARD_ERROR_STALE_TAG) return 0;
    /* If the link was lost before anything was sent, use the next one. */
    jb_clear(error);
    lock(self->session);
    if ((status = wait_until(self->session, is_other_link, self, until)) != 0)
      fail_link(self->tag, self->what, status, error);
    unlock(self->session);
    if (status != 0) return 0;
  }
  return 1;
}

static command new_command(const char *what, jb_tag *tag, const void *argument) {
  command self;
  memset(&self, 0, sizeof self);
  self.what = what, self.session = tag ? tag->session : NULL, self.tag = tag, self.argument = argument;
  return self;
}

jb_info jb_tag_info(jb_tag *tag, int timeout_ms, jb_error *error) {
  const jacquard_tag_info *from = NULL;
  jb_info info;
  int part;
  memset(&info, 0, sizeof info);
  if (!may_run(tag ? tag->session : NULL, "info", error)) return info;
  lock(tag->session);
  if (await_link(tag, "info", deadline_in(timeout_ms), error) && jacquard_tag_get_info(tag->link, &from) == 0) {
    COPY(info.identifier, from->identifier);
    COPY(info.address, from->address);
    COPY(info.name, from->name);
    COPY(info.serial, from->serial);
    COPY(info.vendor, from->vendor);
    COPY(info.model, from->model);
    for (part = 0; part < 3; part++) info.firmware[part] = from->firmware[part];
  }
  unlock(tag->session);
  return info;
}

typedef struct listing {
  command reading;
  jb_known *known;
  size_t room, count;
} listing;

static void on_known(const jacquard_known_tag *const *tags, size_t count, const jacquard_error *error,
                     void *user_data) {
  listing *self = (listing *)user_data;
  size_t index;
  self->count = error ? 0 : count;
  for (index = 0; index < self->count && index < self->room; index++) {
    jb_known *to = &self->known[index];
    memset(to, 0, sizeof *to);
    COPY(to->identifier, tags[index]->identifier);
    COPY(to->address, tags[index]->address);
    COPY(to->serial, tags[index]->serial);
    COPY(to->name, tags[index]->name);
    COPY(to->owner, tags[index]->owner);
    to->bound_at = tags[index]->bound_at;
    to->last_connected = tags[index]->last_connected;
  }
  complete(&self->reading, error);
}

size_t jb_list_known(jb_session *session, jb_known *known, size_t room, int timeout_ms, jb_error *error) {
  jacquard_request *request = NULL;
  listing self;
  int status;
  if (!may_run(session, "known tags", error)) return 0;
  memset(&self, 0, sizeof self);
  self.reading = new_command("known tags", NULL, NULL);
  self.reading.session = session;
  self.known = known, self.room = room;
  status = jacquard_manager_list_known(session->manager, NULL, on_known, &self, NULL, &request);
  return finish(&self.reading, status, request, deadline_in(timeout_ms), error) ? self.count : 0;
}

int jb_unbind(jb_session *session, const char *identifier, int timeout_ms, jb_error *error) {
  command self = new_command("unbind", NULL, NULL);
  jacquard_request *request = NULL;
  int status;
  if (!may_run(session, "unbind", error)) return 0;
  self.session = session;
  status = jacquard_manager_unbind(session->manager, identifier, NULL, on_done, &self, NULL, &request);
  return finish(&self, status, request, deadline_in(timeout_ms), error);
}

static int send_battery(command *self, jacquard_tag *link, jacquard_component *component, jacquard_request **request) {
  (void)component;
  return jacquard_tag_read_battery(link, NULL, on_battery, self, NULL, request);
}

jacquard_battery jb_battery(jb_tag *tag, int timeout_ms, jb_error *error) {
  command self = new_command("battery", tag, NULL);
  jacquard_battery none;
  memset(&none, 0, sizeof none);
  return perform(&self, send_battery, NO_PART, deadline_in(timeout_ms), error) ? self.battery : none;
}

static int send_led(command *self, jacquard_tag *link, jacquard_component *component, jacquard_request **request) {
  (void)link;
  return jacquard_component_play_led(component, (const jacquard_led_pattern *)self->argument, NULL, on_done, self, NULL,
                                     request);
}

int jb_led(jb_tag *tag, jb_part part, const jacquard_led_pattern *pattern, int timeout_ms, jb_error *error) {
  command self = new_command("led", tag, pattern);
  return perform(&self, send_led, part == JB_ON_GEAR ? JB_ON_GEAR : JB_ON_TAG, deadline_in(timeout_ms), error);
}

int jb_light(jb_tag *tag, jb_part part, uint32_t colour, uint32_t duration_ms, int timeout_ms, jb_error *error) {
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  jacquard_led_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.red = (uint8_t)(colour >> 16 & 0xff);
  frame.green = (uint8_t)(colour >> 8 & 0xff);
  frame.blue = (uint8_t)(colour & 0xff);
  frame.duration_ms = duration_ms;
  pattern.type = JACQUARD_LED_SOLID;
  pattern.frames = &frame;
  pattern.frame_count = 1;
  pattern.duration_ms = duration_ms;
  return jb_led(tag, part, &pattern, timeout_ms, error);
}

static int send_haptic(command *self, jacquard_tag *link, jacquard_component *component, jacquard_request **request) {
  (void)link;
  return jacquard_component_play_haptic(component, (const jacquard_haptic *)self->argument, NULL, on_done, self, NULL,
                                        request);
}

int jb_haptic(jb_tag *tag, const jacquard_haptic *haptic, int timeout_ms, jb_error *error) {
  command self = new_command("haptic", tag, haptic);
  return perform(&self, send_haptic, JB_ON_GEAR, deadline_in(timeout_ms), error);
}

static int send_touch_mode(command *self, jacquard_tag *link, jacquard_component *component,
                           jacquard_request **request) {
  (void)link;
  return jacquard_component_set_touch_mode(component, self->mode, NULL, on_done, self, NULL, request);
}

int jb_touch_mode(jb_tag *tag, uint32_t mode, int timeout_ms, jb_error *error) {
  command self = new_command("touch mode", tag, NULL);
  self.mode = mode;
  return perform(&self, send_touch_mode, JB_ON_GEAR, deadline_in(timeout_ms), error);
}

static int send_name(command *self, jacquard_tag *link, jacquard_component *component, jacquard_request **request) {
  (void)component;
  return jacquard_tag_rename(link, (const char *)self->argument, NULL, on_done, self, NULL, request);
}

static int is_next_link(void *subject) {
  command *self = (command *)subject;
  return (self->tag->link && self->tag->links != self->links) || has_ended(self->tag);
}

int jb_rename(jb_tag *tag, const char *name, int timeout_ms, jb_error *error) {
  command self = new_command("rename", tag, name);
  deadline until = deadline_in(timeout_ms);
  int status, back;
  if (!perform(&self, send_name, NO_PART, until, error)) return 0;
  lock(tag->session);
  status = wait_until(tag->session, is_next_link, &self, until);
  back = status == 0 && tag->link;
  if (!back) fail_link(tag, "rename", status, error);
  unlock(tag->session);
  return back;
}

/* Events, fetched -------------------------------------------------------------------------------------------------- */

typedef struct fetch {
  jb_tag *tag;
  unsigned kinds;
  ring *oldest; /* the ring whose first event is the oldest of those kinds */
} fetch;

static int has_event_or_ended(void *subject) {
  fetch *self = (fetch *)subject;
  size_t index;
  self->oldest = NULL;
  for (index = 0; index < KINDS; index++) {
    ring *it = &self->tag->rings[index];
    if (!(self->kinds >> index & 1) || it->count == 0) continue;
    if (!self->oldest || it->numbers[it->first] < self->oldest->numbers[self->oldest->first]) self->oldest = it;
  }
  return self->oldest || has_ended(self->tag);
}

int jb_next(jb_tag *tag, unsigned kinds, int timeout_ms, jb_event *event, jb_error *error) {
  fetch self;
  int status, fetched;
  if (!may_run(tag ? tag->session : NULL, "event", error)) return 0;
  self.tag = tag, self.kinds = kinds, self.oldest = NULL;
  lock(tag->session);
  status = wait_until(tag->session, has_event_or_ended, &self, deadline_in(timeout_ms));
  fetched = status == 0 && self.oldest;
  if (fetched) *event = *pop(self.oldest);
  else if (status != JACQUARD_ERROR_TIMEOUT) fail_link(tag, "event", status, error);
  unlock(tag->session);
  return fetched;
}
