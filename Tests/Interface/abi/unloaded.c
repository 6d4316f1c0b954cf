/* Loads the library, starts a manager, and unloads the library while the manager's thread runs. */
#include <jacquard.h>

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>

static int seen;

static void on_adapter(const jacquard_adapter *adapter, void *user_data) {
  __atomic_store_n(&seen, adapter->state != JACQUARD_ADAPTER_STATE_UNKNOWN, __ATOMIC_RELEASE);
}

int main(int count, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  int (*make)(const jacquard_manager_options *, jacquard_manager **);
  int (*start)(jacquard_manager *);
  int (*watch)(jacquard_manager *, jacquard_adapter_callback, void *, jacquard_destroy_callback,
               jacquard_subscription **);
  jacquard_manager *(*unref)(jacquard_manager *);
  jacquard_manager *manager = NULL;
  if (count != 2 || !library)
    return 2;
  *(void **)&make = dlsym(library, "jacquard_manager_new");
  *(void **)&start = dlsym(library, "jacquard_manager_start");
  *(void **)&watch = dlsym(library, "jacquard_manager_on_adapter");
  *(void **)&unref = dlsym(library, "jacquard_manager_unref");
  if (make(NULL, &manager) != 0 || watch(manager, on_adapter, NULL, NULL, NULL) != 0 || start(manager) != 0)
    return 3;
  dlclose(library);
  for (int waited = 0; !__atomic_load_n(&seen, __ATOMIC_ACQUIRE); waited++) {
    if (waited == 10000)
      return 4;
    poll(NULL, 0, 1);
  }
  unref(manager);
  return 0;
}
