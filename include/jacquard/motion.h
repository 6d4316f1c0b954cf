/**
 * libjacquard: recordings and streams of a tag's accelerometer and gyroscope, and motion files.
 *
 * What this header declares is stable, as in jacquard.h, whose conventions apply. Few programs need it, and recording
 * and streaming have been tested with software tags only.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JACQUARD_MOTION_H
#define JACQUARD_MOTION_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
/* Motion                                                                                                             */
/* ------------------------------------------------------------------------------------------------------------------ */

/**
 * Prepares the tag to record and stream the samples of its accelerometer and gyroscope, by loading the motion module if
 * it is not loaded. While the module is loaded, motion does not wake the tag, the tag does not fall asleep, and its
 * battery drains quickly. The time limit applies to each request. See "Commands" in jacquard.h; additional error:
 * JACQUARD_ERROR_MODULE_MISSING.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_prepare_motion(jacquard_tag *tag, const jacquard_request_options *options,
                                jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                jacquard_request **request);

/**
 * Unloads the motion module if it is loaded, so that motion wakes the tag again. The command fails while the tag is
 * using the module, possibly for another program, because a recording would be lost. See "Commands" in jacquard.h;
 * additional errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS, _BUSY (the tag is transferring or erasing).
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
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
 * detach gear during a recording. See "Commands" in jacquard.h; additional errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS,
 * _LOW_BATTERY, _LOW_STORAGE, _BUSY (the tag is transferring or erasing).
 *
 * @param session the strings that identify the recording; copied
 * @param settings NULL for the defaults; copied
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_start_recording(jacquard_tag *tag, const jacquard_session *session,
                                 const jacquard_motion_settings *settings, const jacquard_request_options *options,
                                 jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                                 jacquard_request **request);

/**
 * Stops a recording, a stream or a download that any program has started. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_stop_motion(jacquard_tag *tag, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/** The current activity of a tag's motion capture. @since 0.1 */
typedef enum jacquard_motion_activity {
  JACQUARD_MOTION_ACTIVITY_IDLE = 0,         /**< none */
  JACQUARD_MOTION_ACTIVITY_RECORDING = 1,    /**< recording */
  JACQUARD_MOTION_ACTIVITY_STREAMING = 2,    /**< streaming */
  JACQUARD_MOTION_ACTIVITY_CAPTURING = 3,    /**< recording or streaming; the program that started it did not note
                                                  which */
  JACQUARD_MOTION_ACTIVITY_TRANSFERRING = 4, /**< sending a session */
  JACQUARD_MOTION_ACTIVITY_ERASING = 5,      /**< erasing sessions */
  JACQUARD_MOTION_ACTIVITY_FAILED = 6        /**< failed: see code and text */
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

/**
 * Reads the state of the motion capture. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_read_motion_status(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_motion_status_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/** Receives the stored sessions as an array of `count` pointers, or an error. @since 0.1 */
typedef void (*jacquard_sessions_callback)(const jacquard_session *const *sessions, size_t count,
                                           const jacquard_error *error, void *user_data);

/**
 * Lists the recordings on the tag, oldest first. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_list_sessions(jacquard_tag *tag, const jacquard_request_options *options,
                               jacquard_sessions_callback callback, void *user_data,
                               jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Erases a recording on the tag. The command completes when the recording has been erased, which may take a minute; the
 * time limit applies only to the tag's response, which some tags may send only then. The library never erases
 * recordings otherwise. See "Commands" in jacquard.h; additional errors: JACQUARD_ERROR_CAPTURE_IN_PROGRESS, _BUSY.
 *
 * @param session from jacquard_tag_list_sessions(); copied
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_erase_session(jacquard_tag *tag, const jacquard_session *session,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Erases all recordings on the tag: see jacquard_tag_erase_session().
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
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
  int64_t arrival_ns;      /**< when this library, or the service, received it: see "Time" in jacquard.h */
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

/** Reads a motion file. @since 0.1 */
typedef struct jacquard_motion_reader jacquard_motion_reader;
/** Writes a motion file. @since 0.1 */
typedef struct jacquard_motion_writer jacquard_motion_writer;

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
typedef enum jacquard_motion_end {
  JACQUARD_MOTION_END_COMPLETE = 0,   /**< the last action has an end marker */
  JACQUARD_MOTION_END_INCOMPLETE = 1, /**< the recording or its download was cut off */
  JACQUARD_MOTION_END_DAMAGED = 2     /**< the file contains stray units */
} jacquard_motion_end;

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

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
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
 * @return a jacquard_motion_end, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE,
 *   JACQUARD_ERROR_MISUSE, JACQUARD_ERROR_DAMAGED_SESSION (the header is incomplete)
 * @since 0.1
 */
int jacquard_motion_reader_get_end(jacquard_motion_reader *reader, uint64_t *offset);

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

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
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

#ifdef __cplusplus
}
#endif

#endif
