/* Parses a motion file of a million samples, in pieces of 64 KiB, several times: prints the most samples per second of
 * processor time. */
#include <jacquard.h>
#include <jacquard/motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 1000000, PIECE = 65536, ROUNDS = 7 };

static size_t samples;
static uint64_t sum;

static void on_part(const jacquard_motion_part *part, void *user_data) {
  (void)user_data;
  if (part->type != JACQUARD_MOTION_PART_SAMPLES) return;
  for (size_t i = 0; i < part->count; i++) sum += part->samples[i].ticks;
  samples += part->count;
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double parse(const uint8_t *data, size_t size) {
  jacquard_motion_reader *reader = NULL;
  double begin = processor_time();
  jacquard_motion_reader_new(NULL, &reader);
  for (size_t place = 0; place < size; place += PIECE)
    jacquard_motion_reader_read(reader, data + place, size - place < PIECE ? size - place : PIECE, on_part, NULL);
  int ending = jacquard_motion_reader_get_end(reader, NULL);
  jacquard_motion_reader_unref(reader);
  double spent = processor_time() - begin;
  if (ending != JACQUARD_MOTION_END_COMPLETE) printf("the file does not end well: %d\n", ending);
  return spent;
}

int main(void) {
  jacquard_session session = JACQUARD_SESSION_INIT;
  jacquard_motion_writer *writer = NULL;
  const uint8_t *data = NULL;
  size_t size = 0;
  double least = 1e9;
  session.name = "long";
  jacquard_motion_writer_new(&session, NULL, &writer);
  jacquard_motion_writer_start(writer, 0);
  uint64_t expected = 0;
  for (uint32_t i = 0; i < SAMPLES; i++) {
    jacquard_motion_counts counts = {{(int16_t)i, 2, 2048}, {4, 5, 6}, i * 156};
    jacquard_motion_writer_add(writer, &counts, 1);
    expected += counts.ticks;
  }
  jacquard_motion_writer_end(writer, 1);
  jacquard_motion_writer_take(writer, &data, &size);
  for (int round = 0; round < ROUNDS; round++) {
    samples = 0;
    sum = 0;
    double spent = parse(data, size);
    if (spent < least) least = spent;
    if (samples != SAMPLES || sum != expected) printf("%zu samples were read\n", samples);
  }
  jacquard_motion_writer_unref(writer);
  printf("%.0f\n", SAMPLES / least);
  return 0;
}
