/* LED patterns, on the tag and on gear. */
#include "feature.h"

static jacquard_component *component;
static jacquard_component *gear;
static struct outcome last;

static const jacquard_led_frame RED[] = {{255, 0, 0, 0, 1000}};

static jacquard_led_pattern red(void) {
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.frames = RED;
  pattern.frame_count = 1;
  return pattern;
}

static int play_on(jacquard_component *on, const jacquard_led_pattern *pattern) {
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_component_play_led(on, pattern, NULL, on_done, &last, on_destroy, NULL));
}

static int play(const jacquard_led_pattern *pattern) { return play_on(component, pattern); }

static void plays_all_types(void) {
  jacquard_led_pattern pattern = red();
  for (int type = JACQUARD_LED_SOLID; type <= JACQUARD_LED_CUSTOM; type++) {
    char expected[128];
    pattern.type = type;
    pattern.duration_ms = 2000;
    EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
    snprintf(expected, sizeof expected, "component 0 pattern %d duration 2000 intensity 100 frames 255,0,0:1000", type);
    EXPECT_TEXT(expected, noted("lights"));
  }
  EXPECT_NUMBER(7, requests("led"));
}

static void zeros_are_defaults(void) {
  static const jacquard_led_frame frames[] = {{255, 0, 0, 0, 200}, {0, 255, 0, 0, 300}, {1, 2, 3, 0, 500}};
  jacquard_led_pattern pattern;
  memset(&pattern, 0, sizeof pattern);
  pattern.struct_size = (uint32_t)sizeof pattern;
  pattern.frames = frames;
  pattern.frame_count = 3;
  EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
  EXPECT_TEXT("component 0 pattern 7 duration 1000 intensity 100 frames 255,0,0:200 0,255,0:300 1,2,3:500",
              noted("lights"));
}

static void sends_every_field(void) {
  jacquard_led_pattern pattern = red();
  pattern.type = JACQUARD_LED_BREATHING;
  pattern.duration_ms = UINT32_MAX;
  pattern.intensity = 1;
  pattern.resumable = 1;
  EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
  EXPECT_TEXT("component 0 pattern 2 duration 4294967295 intensity 1 resumable frames 255,0,0:1000", noted("lights"));
}

static void toggle_stops_the_same_pattern(void) {
  jacquard_led_pattern pattern = red();
  pattern.toggle = 1;
  EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
  EXPECT_TEXT("component 0 pattern 7 duration 1000 intensity 100 toggle frames 255,0,0:1000", noted("lights"));
  EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
  EXPECT_TEXT("component 0 pattern 7 duration 1000 intensity 100 toggle stopped frames 255,0,0:1000", noted("lights"));
}

static void halts_everything(void) {
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  pattern.halt_all = 1;
  EXPECT_NUMBER(JACQUARD_OK, play(&pattern));
  EXPECT_TEXT("component 0 pattern 7 duration 1000 intensity 100 halt frames 0,0,0:1000", noted("lights"));
}

static int refused(const jacquard_led_pattern *pattern) { return play(pattern) == JACQUARD_ERROR_INVALID_ARGUMENT; }

static void refuses_what_is_out_of_range(void) {
  static const jacquard_led_frame reserved[] = {{1, 2, 3, 4, 1000}}, empty[] = {{1, 2, 3, 0, 0}};
  static const jacquard_led_frame endless[] = {{1, 2, 3, 0, UINT32_MAX}, {1, 2, 3, 0, 1}};
  jacquard_led_pattern pattern;
  EXPECT(refused(NULL));
  EXPECT((pattern = red(), pattern.struct_size = 4, refused(&pattern)));
  EXPECT((pattern = red(), pattern.type = 8, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frames = NULL, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frame_count = 0, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frame_count = SIZE_MAX, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frames = reserved, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frames = empty, refused(&pattern)));
  EXPECT((pattern = red(), pattern.frames = endless, pattern.frame_count = 2, refused(&pattern)));
  EXPECT((pattern = red(), pattern.intensity = 101, refused(&pattern)));
  EXPECT((pattern = red(), pattern.toggle = 2, refused(&pattern)));
  EXPECT((pattern = red(), pattern.resumable = 2, refused(&pattern)));
  EXPECT((pattern = red(), pattern.halt_all = 2, refused(&pattern)));
  pattern = red();
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                jacquard_component_play_led(component, &pattern, NULL, NULL, &last, on_destroy, NULL));
  EXPECT_NUMBER(0, requests(NULL));
}

static void refuses_too_many_frames(void) {
  static jacquard_led_frame frames[200];
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  size_t most = 0;
  for (size_t i = 0; i < COUNT(frames); i++) frames[i] = (jacquard_led_frame){255, 255, 255, 0, 100};
  pattern.frames = frames;
  for (pattern.frame_count = 200; most == 0 && pattern.frame_count > 0; pattern.frame_count--)
    if (play(&pattern) == JACQUARD_OK) most = pattern.frame_count;
  EXPECT(most >= 55 && most <= 80);
  EXPECT_NUMBER(1, requests("led"));
  const char *entry = noted("lights");
  size_t played = 0;
  while ((entry = strstr(entry, "255,255,255:100"))) played++, entry++;
  EXPECT_NUMBER(most, played);
}

static void on_gear(const jacquard_gear *event, void *user_data) {
  jacquard_component_unref(gear);
  gear = jacquard_component_ref(event->component);
  if (gear) ++*(int *)user_data;
}

static int attached;

static void plays_on_gear(void) {
  const jacquard_component_info *info = NULL;
  jacquard_led_pattern pattern = red();
  char expected[128];
  tell("gear attach saint-laurent-backpack");
  EXPECT(run_until(&attached, 1));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(gear, &info));
  EXPECT_NUMBER(JACQUARD_OK, play_on(gear, &pattern));
  snprintf(expected, sizeof expected, "component %u pattern 7 duration 1000 intensity 100 frames 255,0,0:1000",
           (unsigned)info->id);
  EXPECT_TEXT(expected, noted("lights"));
  EXPECT_NUMBER(1, requests("gear-led"));
}

static void gear_without_led(void) {
  jacquard_led_pattern pattern = red();
  tell("gear attach levis-trucker");
  EXPECT(run_until(&attached, 2));
  EXPECT_NUMBER(JACQUARD_ERROR_UNSUPPORTED, play_on(gear, &pattern));
  EXPECT_NUMBER(0, requests("gear-led"));
}

int main(void) {
  begin("led");
  connect_tag();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, &attached, NULL, NULL));
  test("all seven types are played", plays_all_types);
  test("zeros mean the defaults", zeros_are_defaults);
  test("every field reaches the tag", sends_every_field);
  test("a toggled pattern sent again stops", toggle_stops_the_same_pattern);
  test("halt_all needs no frames", halts_everything);
  test("values out of range are refused before sending", refuses_what_is_out_of_range);
  test("the maximum number of frames is sent, more are refused", refuses_too_many_frames);
  test("gear with LEDs plays", plays_on_gear);
  test("nothing is sent to gear without LEDs", gear_without_led);
  jacquard_component_unref(gear);
  jacquard_component_unref(component);
  return end();
}
