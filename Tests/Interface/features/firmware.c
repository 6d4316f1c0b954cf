/* Firmware: images, checks, transfers and installations. */
#define _POSIX_C_SOURCE 200809L
#include "feature.h"

#include <stdlib.h>
#include <unistd.h>

#define VENDOR 0x117830c8
#define TAG 0x283be7a0
#define MOTION 0xef3e5b88
#define MOTION_MODULE 0x3d0be753

static uint8_t bytes[1000];

struct update {
  struct outcome outcome;
  size_t count;
  jacquard_update_result results[4];
  int phases[5];
  uint32_t last_done, last_image;
  jacquard_request *cancelled_at_half;
};

static void on_progress(const jacquard_update_progress *progress, void *user_data) {
  struct update *update = user_data;
  EXPECT(progress->phase <= JACQUARD_UPDATE_PHASE_WAITING);
  EXPECT(progress->stored <= progress->total);
  update->phases[progress->phase]++;
  update->last_done = progress->stored;
  update->last_image = progress->image;
  if (update->cancelled_at_half && progress->stored >= progress->total / 2 && progress->total)
    jacquard_request_cancel(update->cancelled_at_half);
}

static void on_update(const jacquard_update_result *const *results, size_t count, const jacquard_error *error,
                      void *user_data) {
  struct update *update = user_data;
  EXPECT(!error == !!results);
  update->count = count;
  for (size_t i = 0; i < count && i < 4; i++) update->results[i] = *results[i];
  note_error(&update->outcome, error);
}

static jacquard_firmware *image(uint32_t product, uint32_t module, uint32_t major, uint32_t minor) {
  jacquard_firmware_source source = JACQUARD_FIRMWARE_SOURCE_INIT;
  jacquard_firmware *firmware = NULL;
  source.data = bytes;
  source.data_size = sizeof bytes;
  source.identified = 1;
  source.vendor_id = VENDOR;
  source.product_id = product;
  source.module_id = module;
  source.version[0] = major;
  source.version[1] = minor;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_firmware_new(&source, &firmware));
  return firmware;
}

static int install(struct update *update, jacquard_firmware *const *images, size_t count, uint32_t mode) {
  jacquard_update_options options = JACQUARD_UPDATE_OPTIONS_INIT;
  options.mode = mode;
  memset(update, 0, sizeof *update);
  return finish(&update->outcome, jacquard_connection_update_firmware(connection, images, count, &options, on_progress,
                                                                      on_update, update, on_destroy, NULL));
}

static void an_image_is_described(void) {
  const jacquard_firmware_info *info = NULL;
  jacquard_firmware *firmware = image(TAG, 0, 1, 97);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_firmware_get_info(firmware, &info));
  EXPECT_NUMBER(sizeof bytes, info->size);
  /* The value in the reference SDK for iOS, whose test image this is. */
  EXPECT_NUMBER(0xd5b9, info->checksum);
  EXPECT_NUMBER(VENDOR, info->vendor_id);
  EXPECT_NUMBER(97, info->version[1]);
  EXPECT(jacquard_firmware_ref(firmware) == firmware);
  EXPECT(jacquard_firmware_unref(firmware) == NULL);
  EXPECT(jacquard_firmware_unref(firmware) == NULL);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_HANDLE, jacquard_firmware_get_info(firmware, &info));
}

static void write_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  EXPECT(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void an_image_and_its_manifest_agree(void) {
  static const char right[] =
      "{\"vendor_id\": \"11-78-30-c8\", \"product_id\": \"28-3b-e7-a0\", \"version\": \"1.97.0\", \"size\": 1000,"
      " \"crc16\": 54713, \"sha256\": \"%s\"}";
  char directory[] = "/tmp/jacquard-firmware-XXXXXX", path[64], manifest[80], text[512], digest[65] = "";
  const jacquard_firmware_info *info = NULL;
  jacquard_firmware_source source = JACQUARD_FIRMWARE_SOURCE_INIT;
  jacquard_firmware *firmware = image(TAG, 0, 1, 97);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_firmware_get_info(firmware, &info));
  for (int i = 0; i < 32; i++) snprintf(digest + 2 * i, 3, "%02x", info->sha256[i]);
  jacquard_firmware_unref(firmware);
  EXPECT(mkdtemp(directory) != NULL);
  snprintf(path, sizeof path, "%s/image", directory);
  snprintf(manifest, sizeof manifest, "%s.json", path);
  source.path = path;
  EXPECT_NUMBER(JACQUARD_ERROR_FIRMWARE_IMAGE, jacquard_firmware_new(&source, &firmware));
  write_file(path, bytes, sizeof bytes);
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_firmware_new(&source, &firmware));
  snprintf(text, sizeof text, right, digest);
  write_file(manifest, text, strlen(text));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_firmware_new(&source, &firmware));
  jacquard_firmware_unref(firmware);
  source.identified = 1;
  source.vendor_id = VENDOR;
  source.product_id = TAG;
  source.version[0] = 2;
  EXPECT_NUMBER(JACQUARD_ERROR_FIRMWARE_MANIFEST, jacquard_firmware_new(&source, &firmware));
  source.identified = 0;
  bytes[999] ^= 1;
  write_file(path, bytes, sizeof bytes);
  bytes[999] ^= 1;
  EXPECT_NUMBER(JACQUARD_ERROR_FIRMWARE_MANIFEST, jacquard_firmware_new(&source, &firmware));
  write_file(path, "", 0);
  EXPECT_NUMBER(JACQUARD_ERROR_FIRMWARE_IMAGE, jacquard_firmware_new(&source, &firmware));
  write_file(manifest, "{", 1);
  write_file(path, bytes, sizeof bytes);
  EXPECT_NUMBER(JACQUARD_ERROR_FIRMWARE_MANIFEST, jacquard_firmware_new(&source, &firmware));
  unlink(manifest);
  unlink(path);
  rmdir(directory);
}

static void is_checked(void) {
  struct update update;
  jacquard_firmware *firmware = image(TAG, 0, 1, 97);
  EXPECT_NUMBER(JACQUARD_OK, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_CHECK));
  EXPECT_NUMBER(1, update.count);
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_PENDING, update.results[0].outcome);
  EXPECT_NUMBER(96, update.results[0].before[1]);
  EXPECT_NUMBER(0, requests("dfu-prepare"));
  jacquard_firmware_unref(firmware);
}

static void is_refused(void) {
  struct update update;
  jacquard_firmware *older = image(TAG, 0, 1, 95), *other = image(7, 0, 1, 0), *newer = image(TAG, 0, 1, 97);
  EXPECT_NUMBER(JACQUARD_ERROR_DOWNGRADE, install(&update, &older, 1, JACQUARD_UPDATE_MODE_INSTALL));
  EXPECT_NUMBER(JACQUARD_ERROR_WRONG_PRODUCT, install(&update, &other, 1, JACQUARD_UPDATE_MODE_INSTALL));
  tell("battery 19 discharging");
  EXPECT_NUMBER(JACQUARD_ERROR_LOW_BATTERY, install(&update, &newer, 1, JACQUARD_UPDATE_MODE_INSTALL));
  tell("battery 80");
  EXPECT_NUMBER(0, requests("dfu-prepare"));
  EXPECT_NUMBER(0, requests("dfu-write"));
  jacquard_firmware_unref(older);
  jacquard_firmware_unref(other);
  jacquard_firmware_unref(newer);
}

static void is_transferred_cancelled_and_installed(void) {
  struct update update;
  jacquard_firmware *firmware = image(TAG, 0, 1, 97);
  jacquard_request *request = NULL;
  memset(&update, 0, sizeof update);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_update_firmware(connection, &firmware, 1, NULL, on_progress, on_update,
                                                                 &update, on_destroy, &request));
  update.cancelled_at_half = request;
  run_until(&update.outcome.destroyed, 1);
  EXPECT_NUMBER(0, update.outcome.completed);
  jacquard_request_unref(request);
  settle();
  EXPECT_NUMBER(JACQUARD_OK, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_TRANSFER));
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_TRANSFERRED, update.results[0].outcome);
  EXPECT_NUMBER(8, requests("dfu-write"));
  EXPECT_NUMBER(0, requests("dfu-execute"));
  tell("flash-time 200ms");
  EXPECT_NUMBER(JACQUARD_OK, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_INSTALL));
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_INSTALLED, update.results[0].outcome);
  EXPECT_NUMBER(97, update.results[0].after[1]);
  EXPECT_NUMBER(8, requests("dfu-write"));
  EXPECT_NUMBER(1, requests("dfu-execute"));
  EXPECT(update.phases[JACQUARD_UPDATE_PHASE_RESTARTING] > 0);
  EXPECT_NUMBER(JACQUARD_OK, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_INSTALL));
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_ALREADY_INSTALLED, update.results[0].outcome);
  jacquard_firmware_unref(firmware);
}

static void the_tag_and_a_module(void) {
  struct update update;
  jacquard_firmware *images[] = {image(MOTION, MOTION_MODULE, 0, 18), image(TAG, 0, 1, 98)};
  EXPECT_NUMBER(JACQUARD_OK, install(&update, images, 2, JACQUARD_UPDATE_MODE_INSTALL));
  EXPECT_NUMBER(2, update.count);
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_INSTALLED, update.results[0].outcome);
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_INSTALLED, update.results[1].outcome);
  EXPECT_NUMBER(0, update.last_image);
  jacquard_firmware_unref(images[0]);
  jacquard_firmware_unref(images[1]);
}

static void continues_after_a_lost_link(void) {
  struct update update;
  jacquard_firmware *firmware = image(TAG, 0, 1, 99);
  tell("on request dfu-write once: disconnect");
  EXPECT_NUMBER(JACQUARD_OK, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_INSTALL));
  EXPECT_NUMBER(JACQUARD_UPDATE_OUTCOME_INSTALLED, update.results[0].outcome);
  EXPECT_NUMBER(8, requests("dfu-write"));
  EXPECT(update.phases[JACQUARD_UPDATE_PHASE_WAITING] > 0);
  jacquard_firmware_unref(firmware);
}

static void a_failed_installation_is_reported(void) {
  struct update update;
  jacquard_firmware *firmware = image(TAG, 0, 1, 100);
  tell("next-firmware 1.50.0");
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_INSTALLED, install(&update, &firmware, 1, JACQUARD_UPDATE_MODE_INSTALL));
  jacquard_firmware_unref(firmware);
}

int main(void) {
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i % 255);
  begin("firmware");
  connect_tag();
  test("an image is described", an_image_is_described);
  test("an image and its manifest agree", an_image_and_its_manifest_agree);
  test("firmware is checked without a write", is_checked);
  test("a refused update has a distinct error", is_refused);
  test("firmware is transferred, cancelled and installed", is_transferred_cancelled_and_installed);
  test("the tag and a module are updated", the_tag_and_a_module);
  test("an update continues on the next link", continues_after_a_lost_link);
  test("a failed installation is reported", a_failed_installation_is_reported);
  return end();
}
