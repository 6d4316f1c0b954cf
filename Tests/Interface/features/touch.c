/* Touch modes and the stream of touch data. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"
#include <unistd.h>

#include <time.h>

static jacquard_component *gear;
static int attached;
static int gestures;
static int count;
static jacquard_touch touches[256];
static struct outcome last;

static void on_gear(const jacquard_gear *event, void *user_data) {
  (void)user_data;
  if (!event->component) return;
  jacquard_component_unref(gear);
  gear = jacquard_component_ref(event->component);
  attached++;
}

static void on_gesture(const jacquard_gesture *gesture, void *user_data) {
  (void)gesture, (void)user_data;
  gestures++;
}

static void on_touch(const jacquard_touch *touch, void *user_data) {
  (void)user_data;
  EXPECT(touch->connection == connection && count < 256);
  touches[count++] = *touch;
}

static jacquard_touch_mode_report report;
static int reports;

static void on_touch_mode(const jacquard_touch_mode_report *event, void *user_data) {
  (void)user_data;
  EXPECT(event->connection == connection);
  report = *event;
  reports++;
}

static int set_mode(jacquard_component *component, uint32_t mode) {
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_component_set_touch_mode(component, mode, NULL, on_done, &last, on_destroy, NULL));
}

struct depth {
  struct outcome outcome;
  uint32_t depth;
};

static void on_configuration(const jacquard_configuration *configuration, const jacquard_error *error,
                             void *user_data) {
  struct depth *depth = user_data;
  if (configuration) depth->depth = configuration->queue_depth;
  note_error(&depth->outcome, error);
}

static uint32_t queue_depth(void) {
  struct depth depth;
  memset(&depth, 0, sizeof depth);
  EXPECT_NUMBER(JACQUARD_OK, finish(&depth.outcome, jacquard_tag_read_configuration(tag, NULL, on_configuration, &depth,
                                                                                    on_destroy, NULL)));
  return depth.depth;
}

static void the_mode_is_reported_with_its_setter(void) {
  jacquard_subscription *subscription = NULL;
  int before = attached;
  reports = 0;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_touch_mode(connection, on_touch_mode, NULL, NULL, &subscription));
  EXPECT(run_until(&reports, 1));
  EXPECT_NUMBER(JACQUARD_TOUCH_MODE_GESTURE, report.mode);
  EXPECT_NUMBER(0, report.process);
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(2, reports);
  EXPECT_NUMBER(JACQUARD_TOUCH_MODE_CONTINUOUS, report.mode);
  EXPECT_NUMBER(getpid(), report.process);
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(2, reports);
  /* The mode is set again on the next link, for the same program. */
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  EXPECT(run_until(&reports, 3));
  EXPECT_NUMBER(JACQUARD_TOUCH_MODE_CONTINUOUS, report.mode);
  EXPECT_NUMBER(getpid(), report.process);
  tell("gear attach levis-trucker");
  EXPECT(run_until(&reports, 4));
  EXPECT_NUMBER(JACQUARD_TOUCH_MODE_GESTURE, report.mode);
  EXPECT_NUMBER(0, report.process);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  jacquard_subscription_unref(subscription);
}

static void gesture_mode_comes_first(void) {
  count = gestures = 0;
  tell("touch 1 2 3 4 5 6 7 8 9 10 11 12 13");
  tell("gesture cover");
  EXPECT(run_until(&gestures, 1));
  EXPECT_NUMBER(0, count);
  EXPECT_NUMBER(14, queue_depth());
}

static void continuous_mode_streams(void) {
  count = gestures = 0;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(1, requests("touch-mode"));
  EXPECT_NUMBER(1, requests("config-write"));
  EXPECT_NUMBER(2, queue_depth());
  int64_t before = boot_time_ns();
  tell("gesture cover");
  tell("touch 64 0 16 32 48 64 80 96 112 128 1 2 255");
  EXPECT(run_until(&count, 1));
  EXPECT_NUMBER(0, gestures);
  EXPECT(touches[0].arrival_ns >= before && touches[0].arrival_ns <= boot_time_ns());
  EXPECT_NUMBER(64, touches[0].proximity);
  for (int line = 0; line < 9; line++) EXPECT_NUMBER(16 * line, touches[0].lines[line]);
  EXPECT_NUMBER(1, touches[0].lines[9]);
  EXPECT_NUMBER(2, touches[0].lines[10]);
  EXPECT_NUMBER(255, touches[0].lines[11]);
}

static void the_sequence_tells_touches_apart(void) {
  tell("touch lift");
  count = 0;
  for (int i = 0; i < 5; i++) tell("touch sweep");
  tell("touch lift");
  for (int i = 0; i < 3; i++) tell("touch sweep");
  EXPECT(run_until(&count, 8));
  for (int i = 1; i < 8; i++) EXPECT((touches[i].sequence > touches[i - 1].sequence) == (i != 5));
}

static jacquard_touch_gesture recognised[8];
static int gesture_count;

static int track(jacquard_touch_tracker *tracker, int first, jacquard_touch_point *points) {
  int made = 0;
  gesture_count = 0;
  for (int i = first; i < count; i++) {
    int written = jacquard_touch_tracker_process(tracker, touches[i].sequence, touches[i].lines, 12,
                                                 1000000000 + 16667000 * (int64_t)i, points + made,
                                                 JACQUARD_TOUCH_POINTS_MAX);
    EXPECT(written >= 0);
    made += written;
    int found = jacquard_touch_tracker_gestures(tracker, recognised + gesture_count, JACQUARD_TOUCH_GESTURES_MAX);
    EXPECT(found >= 0 && gesture_count + found <= 4);
    gesture_count += found;
  }
  return made;
}

static void samples_become_touches(void) {
  static const char *const samples[] = {
      "touch 64 0 11 52 86 52 11 0 0 0 0 0 0", "touch 64 0 0 11 52 86 52 11 0 0 0 0 0",
      "touch 64 0 0 11 52 86 52 11 0 0 52 86 52", "touch 64 0 0 0 0 0 0 0 0 0 52 86 52",
  };
  jacquard_touch_tracker *tracker = NULL;
  jacquard_touch_point points[64];
  EXPECT_NUMBER(48, sizeof *points);
  tell("touch lift");
  count = 0;
  for (int i = 0; i < 4; i++) tell(samples[i]);
  EXPECT(run_until(&count, 4));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_touch_tracker_new(NULL, &tracker));
  EXPECT_NUMBER(6, track(tracker, 0, points));
  static const struct {
    uint32_t id, phase;
    int line;
  } wanted[] = {
      {1, JACQUARD_TOUCH_PHASE_BEGAN, 3}, {1, JACQUARD_TOUCH_PHASE_MOVED, 4}, {1, JACQUARD_TOUCH_PHASE_MOVED, 4},
      {2, JACQUARD_TOUCH_PHASE_BEGAN, 10}, {1, JACQUARD_TOUCH_PHASE_ENDED, 4}, {2, JACQUARD_TOUCH_PHASE_MOVED, 10},
  };
  for (int i = 0; i < 6; i++) {
    EXPECT_NUMBER(wanted[i].id, points[i].id);
    EXPECT_NUMBER(wanted[i].phase, points[i].phase);
    EXPECT(points[i].position > 256 * wanted[i].line - 20 && points[i].position < 256 * wanted[i].line + 20);
    EXPECT(points[i].strength > 80 && points[i].strength < 95);
    EXPECT(points[i].width > 220 && points[i].width < 290);
  }
  EXPECT_NUMBER(1000000000, points[0].time_ns);
  EXPECT(points[1].speed > 256 * 55 && points[1].speed < 256 * 65);

  /* A lifted finger: no more samples arrive, then another sequence. */
  EXPECT_NUMBER(0, jacquard_touch_tracker_process(tracker, 0, NULL, 0, 1250000000, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT_NUMBER(1, jacquard_touch_tracker_process(tracker, 0, NULL, 0, 1400000000, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT_NUMBER(JACQUARD_TOUCH_PHASE_ENDED, points[0].phase);
  EXPECT_NUMBER(1050001000, points[0].time_ns);
  tell("touch lift");
  tell(samples[0]);
  EXPECT(run_until(&count, 5));
  EXPECT_NUMBER(1, track(tracker, 4, points));
  EXPECT_NUMBER(3, points[0].id);
  EXPECT_NUMBER(1, jacquard_touch_tracker_cancel(tracker, 1500000000, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT_NUMBER(JACQUARD_TOUCH_PHASE_CANCELLED, points[0].phase);
  EXPECT_NUMBER(1500000000, points[0].time_ns);
  EXPECT_NUMBER(0, jacquard_touch_tracker_cancel(tracker, 1500000000, points, JACQUARD_TOUCH_POINTS_MAX));
  jacquard_sleeve_health health = JACQUARD_SLEEVE_HEALTH_INIT;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_touch_tracker_get_health(tracker, &health));
  for (int line = 0; line < 12; line++) EXPECT_NUMBER(JACQUARD_LINE_HEALTH_GOOD, health.lines[line]);
  EXPECT(jacquard_touch_tracker_ref(tracker) == tracker);
  jacquard_touch_tracker_unref(tracker);
  EXPECT_NUMBER(0, jacquard_touch_tracker_process(tracker, 0, NULL, 0, 0, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT(jacquard_touch_tracker_unref(tracker) == NULL);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_HANDLE,
                jacquard_touch_tracker_process(tracker, 0, NULL, 0, 0, points, JACQUARD_TOUCH_POINTS_MAX));
}

static void touches_become_gestures(void) {
  jacquard_touch_tracker *tracker = NULL;
  jacquard_touch_point points[64];
  EXPECT_NUMBER(48, sizeof *recognised);
  tell("touch lift");
  count = 0;
  tell("touch 64 11 52 86 52 11 0 0 0 0 0 0 0");
  tell("touch 64 0 0 11 52 86 52 11 0 0 0 0 0");
  tell("touch 64 0 0 0 0 11 52 86 52 11 0 0 0");
  tell("touch 0 0 0 0 0 0 0 0 0 0 0 0 0");
  EXPECT(run_until(&count, 4));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_touch_tracker_new(NULL, &tracker));
  EXPECT_NUMBER(0, jacquard_touch_tracker_gestures(tracker, recognised, JACQUARD_TOUCH_GESTURES_MAX));
  EXPECT_NUMBER(4, track(tracker, 0, points));
  EXPECT_NUMBER(1, gesture_count);
  EXPECT_NUMBER(JACQUARD_TOUCH_GESTURE_SWIPE_OUT, recognised->type);
  EXPECT_NUMBER(1, recognised->id);
  EXPECT_NUMBER(0, recognised->other_id);
  EXPECT_NUMBER(1050001000, recognised->time_ns);
  EXPECT(recognised->position > 256 * 6 - 20 && recognised->position < 256 * 6 + 20);
  EXPECT(recognised->distance > 256 * 4 - 30 && recognised->distance < 256 * 4 + 30);
  EXPECT(recognised->speed > 256 * 115 && recognised->speed < 256 * 125);
  /* The same gestures are returned until the next call. */
  EXPECT_NUMBER(1, jacquard_touch_tracker_gestures(tracker, recognised, JACQUARD_TOUCH_GESTURES_MAX));
  EXPECT_NUMBER(0, jacquard_touch_tracker_process(tracker, 0, NULL, 0, 0, points, JACQUARD_TOUCH_POINTS_MAX));
  EXPECT_NUMBER(0, jacquard_touch_tracker_gestures(tracker, recognised, JACQUARD_TOUCH_GESTURES_MAX));
  EXPECT(jacquard_touch_tracker_unref(tracker) == NULL);
}

static void stale_samples_are_dropped(void) {
  count = 0;
  tell("touch lift");
  tell("air-time 20ms");
  for (int i = 0; i < 30; i++) tell("touch sweep");
  tell("air-time 0ms");
  settle();
  EXPECT(count >= 2 && count < 30);
  EXPECT_NUMBER(30, touches[count - 1].sequence);
  EXPECT(strstr(tell("stats"), "overflowed=0") == NULL);
}

static void samples_of_another_length_are_dropped(void) {
  jacquard_counters before = JACQUARD_COUNTERS_INIT, after = JACQUARD_COUNTERS_INIT;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_counters(connection, &before));
  count = 0;
  /* domain 8, opcode 7, component 101, data: touch data with sequence 1 and two bytes, then none */
  tell("send notification c0 11 08 08 10 07 18 65 aa 39 08 12 06 08 01 12 02 01 02");
  tell("send notification c0 0d 08 08 10 07 18 65 aa 39 04 12 02 08 01");
  settle();
  EXPECT_NUMBER(0, count);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_get_counters(connection, &after));
  EXPECT_NUMBER(2, after.dropped_notifications - before.dropped_notifications);
}

static void gesture_mode_ends_the_stream(void) {
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_GESTURE));
  EXPECT_NUMBER(14, queue_depth());
  count = gestures = 0;
  tell("touch sweep");
  tell("gesture double-tap");
  EXPECT(run_until(&gestures, 1));
  EXPECT_NUMBER(0, count);
}

static void attaching_brings_gesture_mode_back(void) {
  int before = attached;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(14, queue_depth());
  gestures = 0;
  tell("gesture double-tap");
  EXPECT(run_until(&gestures, 1));
}

static void the_subscription_outlives_the_link(void) {
  int before = attached;
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  count = 0;
  tell("touch sweep");
  EXPECT(run_until(&count, 1));
}

static void the_mode_outlives_the_link(void) {
  int before = attached;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(2, requests("touch-mode"));
  EXPECT_NUMBER(2, queue_depth());
  count = 0;
  tell("touch sweep");
  EXPECT(run_until(&count, 1));
  tell("drop link");
  EXPECT(run_until(&attached, before + 2));
  EXPECT_NUMBER(2, queue_depth());
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_GESTURE));
  tell("drop link");
  EXPECT(run_until(&attached, before + 3));
  EXPECT_NUMBER(14, queue_depth());
}

static void a_link_lost_meanwhile_changes_nothing(void) {
  int before = attached;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  tell("on request touch-mode 2 times: disconnect");
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(4, requests("touch-mode"));
  EXPECT_NUMBER(2, queue_depth());
}

static void gear_put_on_again_starts_with_gestures(void) {
  int before = attached;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  tell("drop link");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(2, queue_depth());
  tell("gear detach");
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, before + 2));
  EXPECT_NUMBER(14, queue_depth());
  tell("drop link");
  EXPECT(run_until(&attached, before + 3));
  EXPECT_NUMBER(14, queue_depth());
}

static void other_gear_starts_with_gestures(void) {
  int before = attached;
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  tell("drop link");
  tell("gear attach saint-laurent-backpack");
  EXPECT(run_until(&attached, before + 1));
  EXPECT_NUMBER(14, queue_depth());
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, before + 2));
}

static void the_answer_needs_no_payload(void) {
  tell("on request touch-mode once: without-payload");
  EXPECT_NUMBER(JACQUARD_OK, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
}

static void failures_are_told(void) {
  tell("on request touch-mode once: status 7");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(7, last.tag_status);
  EXPECT_NUMBER(0, requests("config-write"));
  tell("on request config-write once: status 10");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, set_mode(gear, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(10, last.tag_status);
}

static void who_cannot_is_not_asked(void) {
  jacquard_component *component = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  EXPECT_NUMBER(JACQUARD_ERROR_UNSUPPORTED, set_mode(component, JACQUARD_TOUCH_MODE_GESTURE));
  EXPECT_NUMBER(JACQUARD_ERROR_UNSUPPORTED, set_mode(component, JACQUARD_TOUCH_MODE_CONTINUOUS));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, set_mode(gear, 0));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, set_mode(gear, 3));
  EXPECT_NUMBER(0, requests(NULL));
  jacquard_component_unref(component);
}

int main(void) {
  begin("touch");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gesture(connection, on_gesture, NULL, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_touch(connection, on_touch, NULL, NULL, NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, NULL, NULL, NULL));
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, 1));
  test("the mode of the gear is reported with the process that has set it", the_mode_is_reported_with_its_setter);
  test("gear starts in gesture mode", gesture_mode_comes_first);
  test("continuous mode streams twelve lines and proximity", continuous_mode_streams);
  test("the sequence distinguishes touches", the_sequence_tells_touches_apart);
  test("samples become touches", samples_become_touches);
  test("touches become gestures", touches_become_gestures);
  test("stale samples are dropped by the tag, the latest is not", stale_samples_are_dropped);
  test("samples of another length are dropped", samples_of_another_length_are_dropped);
  test("gesture mode ends the stream", gesture_mode_ends_the_stream);
  test("attaching resets gesture mode", attaching_brings_gesture_mode_back);
  test("the subscription outlives the link", the_subscription_outlives_the_link);
  test("continuous mode outlives the link", the_mode_outlives_the_link);
  test("a link lost before the mode is set again does not change the mode", a_link_lost_meanwhile_changes_nothing);
  test("gear that is attached again starts in gesture mode", gear_put_on_again_starts_with_gestures);
  test("other gear starts in gesture mode", other_gear_starts_with_gestures);
  test("a response without payload is success", the_answer_needs_no_payload);
  test("a failure of either request is reported", failures_are_told);
  test("nothing is sent without the capability or with an invalid mode", who_cannot_is_not_asked);
  jacquard_component_unref(gear);
  return end();
}
