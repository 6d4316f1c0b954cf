/* Vibrations, which only gear supports. */
#include "feature.h"

static jacquard_component *jacket;
static struct outcome last;
static int attached;

static void on_gear(const jacquard_gear *event, void *user_data) {
  (void)user_data;
  if (!event->component) return;
  jacquard_component_unref(jacket);
  jacket = jacquard_component_ref(event->component);
  attached++;
}

static int play_on(jacquard_component *component, const jacquard_haptic *haptic) {
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_component_play_haptic(component, haptic, NULL, on_done, &last, on_destroy, NULL));
}

static jacquard_haptic short_one(void) {
  jacquard_haptic haptic = JACQUARD_HAPTIC_INIT;
  haptic.type = JACQUARD_HAPTIC_SINE_INCREASE;
  haptic.on_ms = 170;
  haptic.amplitude = 60;
  return haptic;
}

static void plays_all_types(void) {
  for (int type = JACQUARD_HAPTIC_HALT; type <= JACQUARD_HAPTIC_CONSTANT; type++) {
    jacquard_haptic haptic = short_one();
    char expected[80];
    haptic.type = type;
    EXPECT_NUMBER(JACQUARD_OK, play_on(jacket, &haptic));
    snprintf(expected, sizeof expected, "pattern %d on 170 off 0 amplitude 60 repeats 0", type);
    EXPECT_TEXT(expected, noted("haptics"));
  }
  EXPECT_NUMBER(8, requests("haptic"));
}

static void sends_zeros(void) {
  jacquard_haptic haptic = JACQUARD_HAPTIC_INIT;
  EXPECT_NUMBER(JACQUARD_OK, play_on(jacket, &haptic));
  EXPECT_TEXT("pattern 0 on 0 off 0 amplitude 0 repeats 0", noted("haptics"));
}

static void sends_the_largest_values(void) {
  jacquard_haptic haptic = {(uint32_t)sizeof haptic, JACQUARD_HAPTIC_CONSTANT, 65535, 65535, 100, 255};
  EXPECT_NUMBER(JACQUARD_OK, play_on(jacket, &haptic));
  EXPECT_TEXT("pattern 7 on 65535 off 65535 amplitude 100 repeats 255", noted("haptics"));
}

static int refused(const jacquard_haptic *haptic) { return play_on(jacket, haptic) == JACQUARD_ERROR_INVALID_ARGUMENT; }

static void refuses_what_is_out_of_range(void) {
  jacquard_haptic haptic;
  EXPECT(refused(NULL));
  EXPECT((haptic = short_one(), haptic.struct_size = 4, refused(&haptic)));
  EXPECT((haptic = short_one(), haptic.type = 8, refused(&haptic)));
  EXPECT((haptic = short_one(), haptic.on_ms = 65536, refused(&haptic)));
  EXPECT((haptic = short_one(), haptic.off_ms = 65536, refused(&haptic)));
  EXPECT((haptic = short_one(), haptic.amplitude = 101, refused(&haptic)));
  EXPECT((haptic = short_one(), haptic.repeats = 256, refused(&haptic)));
  EXPECT_NUMBER(0, requests(NULL));
}

static void the_tag_cannot(void) {
  jacquard_component *component = NULL;
  jacquard_haptic haptic = short_one();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  EXPECT_NUMBER(JACQUARD_ERROR_UNSUPPORTED, play_on(component, &haptic));
  EXPECT_NUMBER(0, requests(NULL));
  jacquard_component_unref(component);
}

int main(void) {
  begin("haptic");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, NULL, NULL, NULL));
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, 1));
  test("all eight types are played", plays_all_types);
  test("zeros are sent, not omitted", sends_zeros);
  test("the largest values are sent", sends_the_largest_values);
  test("values out of range are refused before sending", refuses_what_is_out_of_range);
  test("nothing is sent for the tag itself", the_tag_cannot);
  jacquard_component_unref(jacket);
  return end();
}
