/* Loadable modules. */
#include "feature.h"

static struct outcome last;

struct list {
  struct outcome outcome;
  size_t count;
  jacquard_module first;
  char name[32];
};

static void on_list(const jacquard_module *const *modules, size_t count, const jacquard_error *error, void *user_data) {
  struct list *list = user_data;
  EXPECT(!error || (modules == NULL && count == 0));
  list->count = count;
  if (count > 0) {
    COPY(&list->first, modules[0]);
    snprintf(list->name, sizeof list->name, "%s", modules[0]->name);
    list->first.name = NULL;
    EXPECT_SIZE(sizeof list->first, modules[0]->struct_size);
  }
  note_error(&list->outcome, error);
}

static int list_modules(struct list *list) {
  memset(list, 0, sizeof *list);
  return finish(&list->outcome, jacquard_tag_list_modules(tag, NULL, on_list, list, on_destroy, NULL));
}

static jacquard_module motion(void) {
  jacquard_module module = JACQUARD_MODULE_INIT;
  module.vendor_id = 0x117830c8;
  module.product_id = 0xef3e5b88;
  module.module_id = 0x3d0be753;
  return module;
}

typedef int (*verb)(jacquard_tag *, const jacquard_module *, const jacquard_request_options *, jacquard_done_callback,
                    void *, jacquard_destroy_callback, jacquard_request **);

static int act(verb verb, const jacquard_module *module, const jacquard_request_options *options) {
  memset(&last, 0, sizeof last);
  return finish(&last, verb(tag, module, options, on_done, &last, on_destroy, NULL));
}

static uint32_t enabled(void) {
  struct list list;
  EXPECT_NUMBER(JACQUARD_OK, list_modules(&list));
  EXPECT_NUMBER(1, list.count);
  return list.first.enabled;
}

static void are_listed(void) {
  struct list list;
  EXPECT_NUMBER(JACQUARD_OK, list_modules(&list));
  EXPECT_NUMBER(1, list.count);
  EXPECT_TEXT("IMU", list.name);
  EXPECT_NUMBER(0x117830c8, list.first.vendor_id);
  EXPECT_NUMBER(0xef3e5b88, list.first.product_id);
  EXPECT_NUMBER(0x3d0be753, list.first.module_id);
  EXPECT_NUMBER(0, list.first.version[0]);
  EXPECT_NUMBER(17, list.first.version[1]);
  EXPECT_NUMBER(0, list.first.version[2]);
  EXPECT_NUMBER(0, list.first.enabled);
}

static void are_loaded_and_unloaded(void) {
  jacquard_module module = motion();
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(1, enabled());
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_unload_module, &module, NULL));
  EXPECT_NUMBER(0, enabled());
}

static void the_report_may_overtake_the_answer(void) {
  jacquard_module module = motion();
  module.name = "IMU";
  tell("load-report before");
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(1, enabled());
  tell("on request load-module once: delay 100ms");
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_unload_module, &module, NULL));
}

/* No other command is sent to the tag before the report. */
static void await_load(void) {
  for (int i = 0; i < 100 && requests("load-module") == 0; i++) run_for(50);
  EXPECT_NUMBER(1, requests("load-module"));
  run_for(200);
}

static void the_answer_alone_is_not_enough(void) {
  jacquard_module module = motion();
  struct outcome outcome = {0};
  tell("load-report never");
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_load_module(tag, &module, NULL, on_done, &outcome, on_destroy, NULL));
  await_load();
  EXPECT_NUMBER(0, outcome.completed);
  /* domain 0, opcode 18, component 0: status 0 of another module, then of this one */
  tell("send notification c0 0f 08 00 10 12 18 00 82 4b 06 08 00 12 02 20 07");
  run_for(200);
  EXPECT_NUMBER(0, outcome.completed);
  tell("send notification c0 13 08 00 10 12 18 00 82 4b 0a 08 00 12 06 20 d3 ce af e8 03");
  EXPECT(run_until(&outcome.destroyed, 1));
  EXPECT_NUMBER(JACQUARD_OK, outcome.code);
  EXPECT_NUMBER(1, outcome.completed);
}

static void a_failed_load_is_told(void) {
  jacquard_module module = motion();
  tell("load-report status 4");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(4, last.tag_status);
  tell("load-report after");
  tell("on request load-module once: status 3");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(3, last.tag_status);
}

struct loads {
  int events;
  uint32_t module_id, status;
  char name[32];
};

static void on_load(const jacquard_module_load *load, void *user_data) {
  struct loads *loads = user_data;
  EXPECT(load->connection == connection);
  loads->events++;
  loads->module_id = load->module->module_id;
  loads->status = load->tag_status;
  snprintf(loads->name, sizeof loads->name, "%s", load->module->name);
}

static void loads_are_events(void) {
  struct loads loads = {0};
  jacquard_subscription *subscription = NULL;
  jacquard_module module = motion();
  EXPECT_NUMBER(JACQUARD_OK, jacquard_connection_on_module_load(connection, on_load, &loads, NULL, &subscription));
  /* As if another program had requested it: domain 0, opcode 18, component 0, status 0. */
  tell("send notification c0 13 08 00 10 12 18 00 82 4b 0a 08 00 12 06 20 d3 ce af e8 03");
  EXPECT(run_until(&loads.events, 1));
  EXPECT_NUMBER(0x3d0be753, loads.module_id);
  EXPECT_NUMBER(JACQUARD_TAG_STATUS_OK, loads.status);
  EXPECT_TEXT("", loads.name);
  EXPECT_NUMBER(0, requests("load-module"));
  tell("load-report status 4");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT(run_until(&loads.events, 2));
  EXPECT_NUMBER(JACQUARD_TAG_STATUS_HARDWARE_FAILURE, loads.status);
  /* A status without a name. */
  tell("load-report status 300");
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT(run_until(&loads.events, 3));
  EXPECT_NUMBER(300, loads.status);
  jacquard_subscription_unref(subscription);
  tell("load-report after");
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_unload_module, &module, NULL));
  EXPECT_NUMBER(3, loads.events);
}

static void a_missing_report_is_a_timeout(void) {
  jacquard_module module = motion();
  jacquard_request_options options = JACQUARD_REQUEST_OPTIONS_INIT;
  options.timeout_ms = 300;
  tell("load-report never");
  EXPECT_NUMBER(JACQUARD_ERROR_TIMEOUT, act(jacquard_tag_load_module, &module, &options));
  EXPECT_NUMBER(1, requests("load-module"));
  tell("load-report after");
}

static void a_lost_link_ends_the_wait(void) {
  jacquard_module module = motion();
  struct outcome outcome = {0};
  tell("load-report never");
  EXPECT_NUMBER(JACQUARD_OK, jacquard_tag_load_module(tag, &module, NULL, on_done, &outcome, on_destroy, NULL));
  await_load();
  tell("drop link");
  EXPECT(run_until(&outcome.destroyed, 1));
  EXPECT_NUMBER(JACQUARD_ERROR_CONNECTION_LOST, outcome.code);
  EXPECT(run_until(&losses, 1));
  await_link();
  tell("load-report after");
}

static void are_deleted(void) {
  jacquard_module module = motion();
  struct list list;
  EXPECT_NUMBER(JACQUARD_OK, act(jacquard_tag_delete_module, &module, NULL));
  EXPECT_NUMBER(JACQUARD_OK, list_modules(&list));
  EXPECT_NUMBER(0, list.count);
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_unload_module, &module, NULL));
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_delete_module, &module, NULL));
  tell("module installed");
  EXPECT_NUMBER(0, enabled());
}

static void all_three_numbers_count(void) {
  jacquard_module module = motion();
  module.vendor_id++;
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(2, last.tag_status);
  module = motion();
  module.product_id++;
  EXPECT_NUMBER(JACQUARD_ERROR_TAG_STATUS, act(jacquard_tag_load_module, &module, NULL));
  EXPECT_NUMBER(0, enabled());
}

static void bad_arguments_are_refused(void) {
  jacquard_module module = motion();
  struct list list = {{0}, 0, JACQUARD_MODULE_INIT, ""};
  static const verb verbs[] = {jacquard_tag_load_module, jacquard_tag_unload_module, jacquard_tag_delete_module};
  for (size_t i = 0; i < COUNT(verbs); i++) {
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, act(verbs[i], NULL, NULL));
    module.struct_size = 4;
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, act(verbs[i], &module, NULL));
    module = motion();
    module.name = "\xff";
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, act(verbs[i], &module, NULL));
    module = motion();
    EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, verbs[i](tag, &module, NULL, NULL, NULL, NULL, NULL));
  }
  EXPECT_NUMBER(JACQUARD_ERROR_INVALID_ARGUMENT, jacquard_tag_list_modules(tag, NULL, NULL, &list, on_destroy, NULL));
  EXPECT_NUMBER(0, list.outcome.destroyed);
  EXPECT_NUMBER(0, requests(NULL));
}

static void an_answer_without_payload_is_malformed(void) {
  struct list list;
  tell("on request list-modules once: without-payload");
  EXPECT_NUMBER(JACQUARD_ERROR_MALFORMED_RESPONSE, list_modules(&list));
}

int main(void) {
  begin("modules");
  connect_tag();
  test("modules are listed", are_listed);
  test("a module is loaded and unloaded", are_loaded_and_unloaded);
  test("the report may arrive before the response", the_report_may_overtake_the_answer);
  test("loading ends with the report on this module", the_answer_alone_is_not_enough);
  test("a failed load is reported", a_failed_load_is_told);
  test("the load of a module by any program is an event", loads_are_events);
  test("a missing report is a timeout", a_missing_report_is_a_timeout);
  test("a lost link ends the wait for the report", a_lost_link_ends_the_wait);
  test("a module is deleted", are_deleted);
  test("a module is identified by vendor, product and module ID", all_three_numbers_count);
  test("invalid arguments are refused before sending", bad_arguments_are_refused);
  test("a missing list is malformed", an_answer_without_payload_is_malformed);
  return end();
}
