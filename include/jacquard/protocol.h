/**
 * libjacquard: the tag's protocol: requests, notifications and raw data, stored values, configuration, and modules.
 *
 * What this header declares is stable, as in jacquard.h, whose conventions apply. What it carries is defined by the
 * firmware of tags: other firmware may have other requests, values, fields and modules.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JACQUARD_PROTOCOL_H
#define JACQUARD_PROTOCOL_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * the ID. A response with an error status is delivered like any other. See "Commands" in jacquard.h.
 *
 * @param data copied; 1 to 1024 bytes that decode and have a domain and an opcode
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
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
 * "Commands" in jacquard.h.
 *
 * @param data copied; 1 to 1024 bytes
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_send_raw_data(jacquard_tag *tag, const uint8_t *data, size_t size,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/* ------------------------------------------------------------------------------------------------------------------ */
/* Values, configuration and modules of a tag                                                                         */
/* ------------------------------------------------------------------------------------------------------------------ */

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
 * Stores an application value on the tag. See "Commands" in jacquard.h.
 *
 * @param vendor_id and product_id: the owner of the key; both 0: the tag itself
 * @param key must not be empty
 * @param value copied
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_write_value(jacquard_tag *tag, uint32_t vendor_id, uint32_t product_id, const char *key,
                             const jacquard_value *value, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/**
 * Reads a value stored with jacquard_tag_write_value(). See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_read_value(jacquard_tag *tag, uint32_t vendor_id, uint32_t product_id, const char *key,
                            const jacquard_request_options *options, jacquard_value_callback callback, void *user_data,
                            jacquard_destroy_callback destroy, jacquard_request **request);

/** Fields of jacquard_configuration; a set is the sum of these. @since 0.1 */
typedef enum jacquard_configuration_field {
  JACQUARD_CONFIGURATION_FIELD_NAME = 0x1,                          /**< name */
  JACQUARD_CONFIGURATION_FIELD_TX_POWER = 0x2,                      /**< tx_power */
  JACQUARD_CONFIGURATION_FIELD_TX_POWER_MAXIMUM = 0x4,              /**< tx_power_maximum */
  JACQUARD_CONFIGURATION_FIELD_FAST_INTERVAL = 0x8,                 /**< fast_interval_ms */
  JACQUARD_CONFIGURATION_FIELD_FAST_DURATION = 0x10,                /**< fast_duration_s */
  JACQUARD_CONFIGURATION_FIELD_MEDIUM_INTERVAL = 0x20,              /**< medium_interval_ms */
  JACQUARD_CONFIGURATION_FIELD_MEDIUM_DURATION = 0x40,              /**< medium_duration_s */
  JACQUARD_CONFIGURATION_FIELD_SLOW_INTERVAL = 0x80,                /**< slow_interval_ms */
  JACQUARD_CONFIGURATION_FIELD_SLOW_DURATION = 0x100,               /**< slow_duration_s */
  JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MINIMUM = 0x200, /**< connection_interval_minimum */
  JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MAXIMUM = 0x400, /**< connection_interval_maximum */
  JACQUARD_CONFIGURATION_FIELD_QUEUE_DEPTH = 0x800,                 /**< queue_depth */
  JACQUARD_CONFIGURATION_FIELD_MOTION_ENABLED = 0x1000,             /**< motion_enabled */
  JACQUARD_CONFIGURATION_FIELD_MOTION_SENSITIVITY = 0x2000,         /**< motion_sensitivity */
  JACQUARD_CONFIGURATION_FIELD_MOTION_THRESHOLD = 0x4000,           /**< motion_threshold */
  JACQUARD_CONFIGURATION_FIELD_MOTION_TIMEOUT = 0x8000,             /**< motion_timeout_ms */
  JACQUARD_CONFIGURATION_FIELD_MOTION_GEAR_POWER = 0x10000,         /**< motion_gear_power */
  JACQUARD_CONFIGURATION_FIELD_MOTION_LINK = 0x20000                /**< motion_link */
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

/**
 * Reads the tag's configuration. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_read_configuration(jacquard_tag *tag, const jacquard_request_options *options,
                                    jacquard_configuration_callback callback, void *user_data,
                                    jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Writes the selected `fields` of the tag's configuration; the others stay unchanged. See "Commands" in jacquard.h.
 *
 * @param configuration copied
 * @param callback receives the sections that were written, as the tag now reports them; a tag may report none
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
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

/**
 * Lists the modules installed on a tag. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_list_modules(jacquard_tag *tag, const jacquard_request_options *options,
                              jacquard_modules_callback callback, void *user_data, jacquard_destroy_callback destroy,
                              jacquard_request **request);

/**
 * Loads a module. Completes when the tag reports that the module runs; until then no other command is sent. See
 * "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_load_module(jacquard_tag *tag, const jacquard_module *module, const jacquard_request_options *options,
                             jacquard_done_callback callback, void *user_data, jacquard_destroy_callback destroy,
                             jacquard_request **request);

/**
 * Unloads a module; it stays installed. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
int jacquard_tag_unload_module(jacquard_tag *tag, const jacquard_module *module,
                               const jacquard_request_options *options, jacquard_done_callback callback,
                               void *user_data, jacquard_destroy_callback destroy, jacquard_request **request);

/**
 * Deletes a module from the tag. See "Commands" in jacquard.h.
 *
 * @return 0, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_INVALID_HANDLE, JACQUARD_ERROR_CLOSED
 * @since 0.1
 */
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

#ifdef __cplusplus
}
#endif

#endif
