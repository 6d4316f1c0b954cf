/* The tag and its gear as components. */
#include "feature.h"

#include <stdlib.h>

/* The events that a subscriber to the gear has received. */
struct gear {
  int events;
  int attached; /* events with gear */
  jacquard_component *component;
  const jacquard_component_info *info; /* of the latest component; valid as long as the component */
};

static struct gear gear;
static struct outcome last;

static void on_gear(const jacquard_gear *event, void *user_data) {
  struct gear *heard = user_data;
  heard->events++;
  EXPECT(event->connection == connection);
  if (event->component) {
    heard->attached++;
    jacquard_component_unref(heard->component);
    heard->component = jacquard_component_ref(event->component);
    EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(heard->component, &heard->info));
  } else {
    heard->component = jacquard_component_unref(heard->component);
    heard->info = NULL;
  }
}

/* Waits for gear. Ends the program if a lost link has detached it, because the caller reads its information. */
static void await_gear(int attached) {
  EXPECT(run_until(&gear.attached, attached));
  if (gear.info) return;
  printf("not ok components: the gear was detached\n");
  exit(1);
}

static jacquard_subscription *subscribe(struct gear *heard) {
  jacquard_subscription *subscription = NULL;
  memset(heard, 0, sizeof *heard);
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_gear(connection, on_gear, heard, NULL, &subscription));
  return subscription;
}

static void unsubscribe(struct gear *heard, jacquard_subscription *subscription) {
  jacquard_subscription_unref(subscription);
  heard->component = jacquard_component_unref(heard->component);
}

/* A component's information, copied out of the callback. */
struct answer {
  struct outcome outcome;
  char uuid[64];
  uint32_t firmware[3];
};

static void on_info(const jacquard_component_info *info, const jacquard_error *error, void *user_data) {
  struct answer *answer = user_data;
  EXPECT((info == NULL) != (error == NULL));
  if (info) {
    snprintf(answer->uuid, sizeof answer->uuid, "%s", info->uuid);
    memcpy(answer->firmware, info->firmware, sizeof answer->firmware);
  }
  note_error(&answer->outcome, error);
}

static int read_info(jacquard_component *component, struct answer *answer) {
  memset(answer, 0, sizeof *answer);
  return finish(&answer->outcome, jacquard_component_read_info(component, NULL, on_info, answer, on_destroy, NULL));
}

static jacquard_component *own_component(void) {
  jacquard_component *component = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_component(tag, &component));
  return component;
}

static void the_tag_is_one(void) {
  jacquard_component *component = own_component();
  const jacquard_component_info *info = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(component, &info));
  EXPECT_NUMBER(0, info->id);
  EXPECT_NUMBER(0x117830c8, info->vendor_id);
  EXPECT_NUMBER(0x283be7a0, info->product_id);
  EXPECT_TEXT("Google", info->vendor);
  EXPECT_TEXT("Jacquard Tag", info->product);
  EXPECT_TEXT("11-78-30-c8", info->vendor_text);
  EXPECT_TEXT("28-3b-e7-a0", info->product_text);
  EXPECT_NUMBER(JACQUARD_CAPABILITY_LED, info->capabilities);
  EXPECT_TEXT("0-07-0000AAAAA001ZK-0000", info->uuid);
  EXPECT_NUMBER(1, info->firmware[0]);
  EXPECT_NUMBER(96, info->firmware[1]);
  EXPECT_NUMBER(0, info->firmware[2]);
  EXPECT_NUMBER(0, requests(NULL));
  jacquard_component_unref(component);
}

static void tells_its_abilities(void) {
  jacquard_component *component = own_component();
  const jacquard_component_info *info = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(component, &info));
  EXPECT_NUMBER(JACQUARD_CAPABILITY_LED, info->capabilities);
  jacquard_component_unref(component);
}

static void is_asked_anew(void) {
  jacquard_component *component = own_component();
  struct answer answer;
  tell("firmware 1.97.3");
  EXPECT_NUMBER(JACQUARD_OK, read_info(component, &answer));
  EXPECT_TEXT("0-07-0000AAAAA001ZK-0000", answer.uuid);
  EXPECT_NUMBER(97, answer.firmware[1]);
  EXPECT_NUMBER(3, answer.firmware[2]);
  EXPECT_NUMBER(1, requests("device-info"));
  tell("on request device-info once: without-payload");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, read_info(component, &answer));
  jacquard_component_unref(component);
}

static void silence_before_the_tag_has_spoken(void) {
  struct gear early;
  jacquard_subscription *subscription = subscribe(&early);
  settle();
  EXPECT_NUMBER(0, early.events);
  unsubscribe(&early, subscription);
}

/* Lists and releases the components, and returns their number. */
static int list_components(uint32_t ids[2], uint32_t products[2]) {
  const jacquard_component_info *info = NULL;
  jacquard_component *component = NULL;
  int count = 0;
  for (; jacquard_tag_get_component_at(tag, count, &component) == JACQUARD_OK; count++) {
    EXPECT(count < 2);
    if (count >= 2) break;
    EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(component, &info));
    ids[count] = info->id;
    products[count] = info->product_id;
    component = jacquard_component_unref(component);
  }
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, jacquard_last_error()->code);
  EXPECT(!component);
  return count;
}

static void all_are_listed(void) {
  uint32_t ids[2], products[2];
  jacquard_component *none = NULL;
  int before = requests(NULL);
  await_gear(gear.attached);
  EXPECT_NUMBER(2, list_components(ids, products));
  EXPECT_NUMBER(0, ids[0]);
  EXPECT_NUMBER(0x283be7a0, products[0]);
  EXPECT_NUMBER(gear.info->id, ids[1]);
  EXPECT_NUMBER(0x8a6650f4, products[1]);
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, jacquard_tag_get_component_at(tag, UINT32_MAX, &none));
  EXPECT(!none);
  EXPECT_NUMBER(before, requests(NULL));
}

static void only_gear_of_this_link_is_listed(void) {
  uint32_t ids[2], products[2];
  jacquard_tag *old = jacquard_tag_ref(tag);
  jacquard_component *none = NULL;
  int attached = gear.attached;
  tell("drop link");
  EXPECT(run_until(&losses, 1));
  EXPECT_NUMBER(1, list_components(ids, products));
  await_link();
  await_gear(attached + 1);
  EXPECT_NUMBER(2, list_components(ids, products));
  EXPECT_NUMBER(JACQUARD_ERROR_NOT_FOUND, jacquard_tag_get_component_at(old, 1, &none));
  jacquard_tag_unref(old);
}

static void attached_gear_is_announced(void) {
  struct answer answer;
  tell("gear attach levis-trucker");
  await_gear(1);
  EXPECT_NUMBER(1, gear.events);
  EXPECT_NUMBER(0x74a8ce54, gear.info->vendor_id);
  EXPECT_NUMBER(0x8a6650f4, gear.info->product_id);
  EXPECT_TEXT("Levi's", gear.info->vendor);
  EXPECT_TEXT("Trucker Jacket", gear.info->product);
  EXPECT_TEXT("74-a8-ce-54", gear.info->vendor_text);
  EXPECT_TEXT("8a-66-50-f4", gear.info->product_text);
  EXPECT_TEXT("1-02-0000GEAR00000-0001", gear.info->uuid);
  EXPECT_NUMBER(1, gear.info->firmware[0]);
  EXPECT_NUMBER(2, gear.info->firmware[1]);
  EXPECT_NUMBER(3, gear.info->firmware[2]);
  EXPECT(gear.info->id != 0);
  EXPECT_NUMBER(JACQUARD_CAPABILITY_GESTURE | JACQUARD_CAPABILITY_TOUCH | JACQUARD_CAPABILITY_HAPTIC,
                gear.info->capabilities);
  EXPECT_NUMBER(JACQUARD_OK, read_info(gear.component, &answer));
  EXPECT_TEXT("1-02-0000GEAR00000-0001", answer.uuid);
  EXPECT_NUMBER(2, answer.firmware[1]);
}

static void gear_starts_with_gestures(void) {
  tell("gear attach levis-trucker");
  await_gear(2);
  EXPECT(strstr(all_kinds(), "; touch-mode; config-write; gear-info"));
  /* Sent once for all programs. */
  EXPECT_NUMBER(1, requests("touch-mode"));
  EXPECT_NUMBER(1, requests("config-write"));
}

static void a_late_subscriber_hears_the_latest(void) {
  struct gear late;
  jacquard_subscription *subscription = subscribe(&late);
  EXPECT(run_until(&late.attached, 1));
  EXPECT(late.component == gear.component);
  EXPECT_NUMBER(1, late.events);
  unsubscribe(&late, subscription);
  settle();
  EXPECT_NUMBER(0, requests("gear-info"));
}

static void the_tag_alone_is_listed(void) {
  uint32_t ids[2], products[2];
  EXPECT_NUMBER(1, list_components(ids, products));
  EXPECT_NUMBER(0, ids[0]);
}

static void detached_gear_is_stale(void) {
  jacquard_component *old = jacquard_component_ref(gear.component);
  jacquard_haptic haptic = JACQUARD_HAPTIC_INIT;
  const jacquard_component_info *info = NULL;
  struct gear late;
  struct answer answer;
  int events = gear.events;
  jacquard_subscription *subscription;
  tell("gear detach");
  EXPECT(run_until(&gear.events, events + 1));
  EXPECT(gear.component == NULL);
  EXPECT_NUMBER(JACQUARD_ERROR_STALE_GEAR, read_info(old, &answer));
  memset(&last, 0, sizeof last);
  EXPECT_NUMBER(JACQUARD_ERROR_STALE_GEAR,
                finish(&last, jacquard_component_play_haptic(old, &haptic, NULL, on_done, &last, on_destroy, NULL)));
  memset(&last, 0, sizeof last);
  EXPECT_NUMBER(JACQUARD_ERROR_STALE_GEAR,
                finish(&last, jacquard_component_set_touch_mode(old, JACQUARD_TOUCH_MODE_GESTURE, NULL, on_done, &last,
                                                                on_destroy, NULL)));
  EXPECT_NUMBER(0, requests(NULL));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_component_get_info(old, &info));
  EXPECT_TEXT("Trucker Jacket", info->product);
  jacquard_component_unref(old);

  subscription = subscribe(&late);
  EXPECT(run_until(&late.events, 1));
  EXPECT(late.component == NULL);
  unsubscribe(&late, subscription);
}

static void all_known_gear(void) {
  static const struct {
    const char *word, *vendor, *product;
    uint32_t capabilities;
  } known[] = {
      {"levis-trucker", "Levi's", "Trucker Jacket", 14},   {"samsonite-konnect-i", "Samsonite", "Konnect-i", 14},
      {"saint-laurent-backpack", "Saint Laurent", "Cit-e Backpack", 15}, {"patch-a0", "Google", "Patch A0", 14},
      {"patch-b0", "Google", "Patch B0", 15},
  };
  for (size_t i = 0; i < COUNT(known); i++) {
    int attached = gear.attached;
    tell("gear attach %s", known[i].word);
    await_gear(attached + 1);
    EXPECT_TEXT(known[i].vendor, gear.info->vendor);
    EXPECT_TEXT(known[i].product, gear.info->product);
    EXPECT_NUMBER(known[i].capabilities, gear.info->capabilities);
  }
}

static void unknown_gear_has_its_numbers(void) {
  jacquard_led_pattern pattern = JACQUARD_LED_PATTERN_INIT;
  int attached = gear.attached;
  pattern.halt_all = 1;
  tell("gear attach unlisted 4660 22136");
  await_gear(attached + 1);
  EXPECT_NUMBER(0x1234, gear.info->vendor_id);
  EXPECT_NUMBER(0x5678, gear.info->product_id);
  EXPECT_TEXT("00-00-12-34", gear.info->vendor_text);
  EXPECT_TEXT("00-00-56-78", gear.info->product_text);
  EXPECT_TEXT("", gear.info->vendor);
  EXPECT_TEXT("", gear.info->product);
  EXPECT_NUMBER(0, gear.info->capabilities);
  EXPECT_NUMBER(1, gear.info->firmware[0]);
  memset(&last, 0, sizeof last);
  EXPECT_NUMBER(JACQUARD_ERROR_UNSUPPORTED,
                finish(&last, jacquard_component_play_led(gear.component, &pattern, NULL, on_done, &last, on_destroy,
                                                          NULL)));
  EXPECT_NUMBER(0, requests("gear-led"));
}

static void gear_that_refuses_is_gear(void) {
  int attached = gear.attached;
  tell("on request touch-mode once: status 2");
  tell("gear attach patch-a0");
  await_gear(++attached);
  EXPECT_TEXT("1-02-0000GEAR00000-0001", gear.info->uuid);
  /* Each program reads the information. */
  tell("on request gear-info: status 1");
  tell("gear attach patch-a0");
  await_gear(++attached);
  tell("heed");
  EXPECT_TEXT("Patch A0", gear.info->product);
  EXPECT_TEXT("", gear.info->uuid);
  EXPECT_NUMBER(0, gear.info->firmware[0] + gear.info->firmware[1] + gear.info->firmware[2]);
}

static void only_the_last_of_many_is_announced(void) {
  int events = gear.events;
  tell("gear attach patch-a0");
  tell("gear attach patch-b0");
  tell("gear detach");
  tell("gear attach levis-trucker");
  while (!gear.info || strcmp(gear.info->product, "Trucker Jacket") != 0)
    if (!run_until(&gear.events, ++events)) break;
  settle();
  EXPECT_TEXT("Trucker Jacket", gear.info ? gear.info->product : NULL);
}

static void a_lost_link_takes_the_gear_along(void) {
  jacquard_component *old = jacquard_component_ref(gear.component);
  int events = gear.events, attached = gear.attached;
  struct answer answer;
  tell("drop link");
  EXPECT(run_until(&gear.events, events + 1));
  EXPECT(gear.component == NULL);
  await_gear(attached + 1);
  EXPECT_TEXT("Trucker Jacket", gear.info->product);
  EXPECT(gear.component != old);
  EXPECT_NUMBER(JACQUARD_ERROR_STALE_GEAR, read_info(old, &answer));
  EXPECT_NUMBER(JACQUARD_OK, read_info(gear.component, &answer));
  jacquard_component_unref(old);
}

static void a_cancelled_subscription_is_silent(void) {
  struct gear other;
  jacquard_subscription *subscription = subscribe(&other);
  int events = gear.events;
  EXPECT(run_until(&other.events, 1));
  EXPECT_NUMBER(JACQUARD_OK, jacquard_subscription_cancel(subscription));
  tell("gear detach");
  EXPECT(run_until(&gear.events, events + 1));
  settle();
  EXPECT_NUMBER(1, other.events);
  unsubscribe(&other, subscription);
}

int main(void) {
  begin("components");
  connect_tag();
  test("the tag is a component", the_tag_is_one);
  test("a component reports its capabilities", tells_its_abilities);
  test("a component is queried again", is_asked_anew);
  test("gear is not reported before the tag has reported it", silence_before_the_tag_has_spoken);
  jacquard_subscription *subscription = subscribe(&gear);
  test("attached gear is announced with its information", attached_gear_is_announced);
  test("gear is set to gesture mode before it is announced", gear_starts_with_gestures);
  test("a late subscriber receives the gear immediately", a_late_subscriber_hears_the_latest);
  test("the tag and its gear are listed without a request", all_are_listed);
  test("a stale tag has no gear", only_gear_of_this_link_is_listed);
  test("detached gear is announced as none, and stale", detached_gear_is_stale);
  test("a tag without gear is its only component", the_tag_alone_is_listed);
  test("all known gear has its name and capabilities", all_known_gear);
  test("unknown gear is reported with its numbers", unknown_gear_has_its_numbers);
  test("gear that refuses to respond is announced in any case", gear_that_refuses_is_gear);
  test("if gear changes quickly, the last is announced", only_the_last_of_many_is_announced);
  test("a lost link removes the gear, the next link reports it", a_lost_link_takes_the_gear_along);
  test("a cancelled subscription receives nothing", a_cancelled_subscription_is_silent);
  unsubscribe(&gear, subscription);
  return end();
}
