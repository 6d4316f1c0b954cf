/**
 * libjacquard: the service that shares tags among programs, as a function.
 *
 * What this header declares is stable, as in jacquard.h, whose conventions apply. Programs that use tags do not need
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JACQUARD_SERVICE_H
#define JACQUARD_SERVICE_H

#include <jacquard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ */
/* The service                                                                                                        */
/* ------------------------------------------------------------------------------------------------------------------ */

/** Options of jacquard_service_run(). @since 0.1 */
typedef struct jacquard_service_options {
  uint32_t struct_size;    /**< sizeof(jacquard_service_options) */
  uint32_t reserved;       /**< 0 */
  const char *bus_address; /**< as in jacquard_manager_options */
  const char *socket_path; /**< absolute path of the socket, which only this user can connect to; NULL: `socket`, or
                                the usual path of the user's service */
  uint32_t has_socket;     /**< 1: listens at `socket` */
  int32_t socket;          /**< a listening SOCK_SEQPACKET socket, as from socket activation, which is closed at the
                                end */
  uint32_t has_stop;       /**< 1: ends when `stop` is readable */
  int32_t stop;            /**< a descriptor, which stays open */
  uint32_t linger_ms;      /**< how long the link to a tag stays after its last program; 0: not at all */
  uint32_t idle_ms;        /**< the service ends when it has had no program for this time; 0: never */
} jacquard_service_options;

#define JACQUARD_SERVICE_OPTIONS_INIT { (uint32_t)sizeof(jacquard_service_options), 0, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/**
 * Runs the service that shares tags among programs, in the calling thread, until it ends: see "Sharing" in jacquard.h.
 * This is the whole program jacquardd. It notifies a supervisor: READY, STOPPING and WATCHDOG as described in
 * sd_notify(3).
 *
 * @param options NULL for the defaults
 * @param callback receives log messages up to JACQUARD_LOG_LEVEL_INFO, in this thread; may be NULL
 * @return 0 after `stop` or idle_ms, JACQUARD_ERROR_INVALID_ARGUMENT, JACQUARD_ERROR_BUS_ADDRESS,
 *   JACQUARD_ERROR_BUSY (another service already listens there), JACQUARD_ERROR_SYSTEM
 * @since 0.1
 */
int jacquard_service_run(const jacquard_service_options *options, jacquard_log_callback callback, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
