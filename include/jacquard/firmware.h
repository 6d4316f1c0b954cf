/**
 * libjacquard: firmware images, and updates of tags, gear and modules.
 *
 * This header may change until version 1.0: updates have been tested with software tags only, never with a real tag.
 * The conventions of jacquard.h apply.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JACQUARD_FIRMWARE_H
#define JACQUARD_FIRMWARE_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
/* Firmware                                                                                                           */
/* ------------------------------------------------------------------------------------------------------------------ */

/** A firmware image. @since 0.1 */
typedef struct jacquard_firmware jacquard_firmware;

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
  { (uint32_t)sizeof(jacquard_firmware_source), 0, 0, 0, 0, 0, 0, { 0, 0, 0 }, NULL, NULL, 0, NULL }

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

/** Takes one more reference and returns the same handle. @return the handle; NULL if it is invalid @since 0.1 */
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
  JACQUARD_UPDATE_PHASE_CHECKING = 0,     /**< asking the tag for its versions and what it has stored */
  JACQUARD_UPDATE_PHASE_TRANSFERRING = 1, /**< transferring an image */
  JACQUARD_UPDATE_PHASE_EXECUTING = 2,    /**< the tag or gear installs the image; this cannot be cancelled */
  JACQUARD_UPDATE_PHASE_RESTARTING = 3,   /**< waiting for the tag to restart with the new firmware */
  JACQUARD_UPDATE_PHASE_WAITING = 4       /**< the link is lost; the update continues on the next one */
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
  JACQUARD_UPDATE_OUTCOME_PENDING = 0,          /**< not transferred: the update only checked, or it is a module */
  JACQUARD_UPDATE_OUTCOME_TRANSFERRED = 1,      /**< the tag has stored the whole image; it is not installed */
  JACQUARD_UPDATE_OUTCOME_INSTALLED = 2,        /**< installed; the version was read back */
  JACQUARD_UPDATE_OUTCOME_ALREADY_INSTALLED = 3 /**< this version was already installed; nothing was changed */
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
 * suspending during the update. An update can be cancelled until the phase is JACQUARD_UPDATE_PHASE_EXECUTING; the tag
 * keeps the part that was transferred. Cancelling it later only stops waiting for the result; the next update waits for
 * it first. A tag or gear that keeps its old version is reported 60 s after the request to install the image: it may
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

#ifdef __cplusplus
}
#endif

#endif
