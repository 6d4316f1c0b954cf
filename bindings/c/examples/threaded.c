/* Lists the tags in range for ten seconds. Callbacks run on the library's thread; this one only waits for the end. */
#include <jacquard.h>
#include <pthread.h>
#include <stdio.h>

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int ended, failed;
} search;

static void on_advertisement(const jacquard_advertisement *found, void *user_data) {
  (void)user_data;
  printf("%s %s %d dBm %s\n", found->serial, found->name, (int)found->rssi, found->identifier);
}

static void on_scan_end(const jacquard_scan_result *result, void *user_data) {
  search *self = user_data;
  if (result->error) fprintf(stderr, "scan: %s %s\n", result->error->message, result->error->advice);
  self->failed = result->error != NULL; /* read only after on_destroy */
}

/* The library no longer uses user_data. */
static void on_destroy(void *user_data) {
  search *self = user_data;
  pthread_mutex_lock(&self->mutex);
  self->ended = 1;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->mutex);
}

int main(void) {
  search self = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
  jacquard_manager *manager = NULL;
  jacquard_scan_options options = JACQUARD_SCAN_OPTIONS_INIT;
  options.timeout_ms = 10000;
  int status = jacquard_manager_new(NULL, &manager);
  if (status == 0) status = jacquard_manager_start(manager);
  if (status == 0)
    status = jacquard_manager_scan(manager, &options, on_advertisement, on_scan_end, &self, on_destroy, NULL);
  if (status < 0) fprintf(stderr, "%s\n", jacquard_last_error()->message);

  pthread_mutex_lock(&self.mutex);
  while (status == 0 && !self.ended) pthread_cond_wait(&self.changed, &self.mutex);
  pthread_mutex_unlock(&self.mutex);
  jacquard_manager_unref(manager);
  return status < 0 || self.failed;
}
