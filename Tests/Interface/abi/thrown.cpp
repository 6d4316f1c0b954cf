// An exception that leaves a callback passes through dispatch. The manager becomes unusable, and reports that.
#include <jacquard.h>

#include <cstdio>
#include <cstring>
#include <poll.h>

static void on_adapter(const jacquard_adapter *, void *) { throw 1; }

int main() {
  jacquard_manager *manager = nullptr;
  bool caught = false;
  if (jacquard_manager_new(nullptr, &manager) ||
      jacquard_manager_on_adapter(manager, on_adapter, nullptr, nullptr, nullptr))
    return 2;
  while (!caught) {
    struct pollfd loop = {jacquard_manager_get_fd(manager), POLLIN, 0};
    if (poll(&loop, 1, 10000) != 1) return 3;
    try {
      if (jacquard_manager_dispatch(manager)) return 4;
    } catch (int) {
      caught = true;
    }
  }
  if (jacquard_manager_dispatch(manager) != JACQUARD_ERROR_MISUSE) return 5;
  std::puts(jacquard_last_error()->message);
  return 0;
}
