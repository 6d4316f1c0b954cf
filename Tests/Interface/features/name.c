/* The name of a tag. */
#include "feature.h"

static struct outcome last;

static int names;
static char name[64];

static void on_name(const jacquard_name *event, void *user_data) {
  (void)user_data;
  EXPECT(event->connection == connection);
  snprintf(name, sizeof name, "%s", event->name);
  names++;
}

static int rename_tag(const char *to) {
  memset(&last, 0, sizeof last);
  return finish(&last, jacquard_tag_rename(tag, to, NULL, on_done, &last, on_destroy, NULL));
}

static void await_name(const char *wanted) {
  int seen = names;
  while (strcmp(name, wanted) != 0 && run_until(&names, seen + 1)) seen = names;
  EXPECT_TEXT(wanted, name);
}

static const char *name_of_tag(void) {
  const jacquard_tag_info *info = NULL;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_get_info(tag, &info));
  return info->name;
}

static void is_delivered(void) {
  await_name("Jacquard-01ZK");
  EXPECT_TEXT("Jacquard-01ZK", name_of_tag());
}

static void a_late_subscriber_hears_it(void) {
  jacquard_subscription *subscription = NULL;
  int before = names;
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_name(connection, on_name, NULL, NULL, &subscription));
  EXPECT(run_until(&names, before + 1));
  EXPECT_TEXT("Jacquard-01ZK", name);
  jacquard_subscription_unref(subscription);
}

static void renamed_it_comes_back_by_itself(void) {
  jacquard_tag *old = jacquard_tag_ref(tag);
  EXPECT_NUMBER(JACQUARD_OK, rename_tag("Left sleeve"));
  EXPECT(run_until(&losses, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_CONNECTION_LOST, last_reason);
  await_link();
  await_name("Left sleeve");
  EXPECT(tag != old);
  jacquard_tag_unref(old);
}

static void its_own_name_is_unchanged(void) {
  EXPECT_NUMBER(JACQUARD_ERROR_UNCHANGED, rename_tag("Left sleeve"));
  settle();
  EXPECT_NUMBER(0, requests("config-write"));
  EXPECT_NUMBER(0, requests("disconnect"));
  EXPECT_NUMBER(1, losses);
}

static void the_limit_is_21_bytes(void) {
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, rename_tag(NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, rename_tag(""));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, rename_tag("twenty-two bytes long!"));
  /* 11 characters, 22 bytes */
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT,
                rename_tag("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"));
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, rename_tag("\xc3"));
  EXPECT_NUMBER(0, requests(NULL));
  /* 7 characters, 21 bytes */
  static const char euros[] = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
  EXPECT_NUMBER(JACQUARD_OK, rename_tag(euros));
  EXPECT(run_until(&losses, 2));
  await_link();
  await_name(euros);
}

static void a_hasty_tag_is_renamed_too(void) {
  tell("on request disconnect once: disconnect");
  EXPECT_NUMBER(JACQUARD_OK, rename_tag("a"));
  EXPECT(run_until(&losses, 3));
  await_link();
  await_name("a");
}

static void a_tag_that_refuses_keeps_its_name(void) {
  tell("on request config-write once: status 2");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, rename_tag("b"));
  EXPECT_NUMBER(2, last.tag_status);
  EXPECT_NUMBER(0, requests("disconnect"));
  settle();
  EXPECT_TEXT("a", name);
}

static void a_tag_that_cannot_tell_is_renamed(void) {
  tell("on request config-read once: status 1");
  EXPECT_NUMBER(JACQUARD_OK, rename_tag("Jacquard-01ZK"));
  EXPECT(run_until(&losses, 4));
  await_link();
  await_name("Jacquard-01ZK");
}

int main(void) {
  begin("name");
  open_connection();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_name(connection, on_name, NULL, NULL, NULL));
  await_link();
  test("the name is delivered", is_delivered);
  test("a late subscriber receives it immediately", a_late_subscriber_hears_it);
  test("a renamed tag reconnects under its new name", renamed_it_comes_back_by_itself);
  test("its current name is refused as unchanged", its_own_name_is_unchanged);
  test("a name has 1 to 21 bytes of UTF-8", the_limit_is_21_bytes);
  test("a tag that disconnects before it responds is renamed too", a_hasty_tag_is_renamed_too);
  test("a tag that refuses keeps name and link", a_tag_that_refuses_keeps_its_name);
  test("a tag that cannot report its name is renamed", a_tag_that_cannot_tell_is_renamed);
  return end();
}
