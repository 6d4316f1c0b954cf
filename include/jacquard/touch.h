/**
 * libjacquard: touches along the sleeve, and gestures made of them, from the touch samples of a tag.
 *
 * This header may change until version 1.0: it has been tested with generated touches only, and no real sleeve has been
 * measured. The conventions of jacquard.h apply.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JACQUARD_TOUCH_H
#define JACQUARD_TOUCH_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
/* Touch tracking                                                                                                     */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Follows touches along the sleeve. @since 0.1 */
typedef struct jacquard_touch_tracker jacquard_touch_tracker;

/** What a point reports of its touch. @since 0.1 */
typedef enum jacquard_touch_phase {
  JACQUARD_TOUCH_PHASE_BEGAN = 1,    /**< the first point of a touch */
  JACQUARD_TOUCH_PHASE_MOVED = 2,    /**< the touch is in another sample, whether it has moved or not */
  JACQUARD_TOUCH_PHASE_ENDED = 3,    /**< the last point: the finger was lifted, or has joined an older touch */
  JACQUARD_TOUCH_PHASE_CANCELLED = 4 /**< the last point: it is not known how the touch ended */
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
typedef enum jacquard_touch_gesture_type {
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
} jacquard_touch_gesture_type;

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
  uint32_t type;        /**< a jacquard_touch_gesture_type; later versions may report others */
  uint32_t id;          /**< of the touch; the older one of two */
  uint32_t other_id;    /**< of the second touch of a TWO_FINGER_TAP, SPREAD or PINCH; 0: one finger */
  int32_t position;     /**< where the touch was last, in 1/256 line; where a SCRUB's stroke ended; between two
                             touches */
  int32_t distance;     /**< in 1/256 line: how far a SWIPE or the stroke of a SCRUB went, negative towards the first
                             line; how much farther apart two fingers are, negative for a PINCH; 0 for other types */
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

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
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
  JACQUARD_LINE_HEALTH_GOOD = 1, /**< nothing is known against it */
  JACQUARD_LINE_HEALTH_WEAK = 2, /**< it reads less than half of what others read of the same fingers, which is
                                      corrected */
  JACQUARD_LINE_HEALTH_DEAD = 3, /**< it reads nothing while fingers pass over it: touches are found without it */
  JACQUARD_LINE_HEALTH_STUCK = 4 /**< it always reads the same, more than nothing: touches are found without it */
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

#ifdef __cplusplus
}
#endif

#endif
