// flags: -std=c++20
#include <coroutine>
#include <cstdio>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
    std::suspend_always yield_value(int x) {
      value = x;
      return {};
    }
    int value = 0;
  };
  std::coroutine_handle<promise_type> handle;
};

static Task counts(int n) {
  for (int i = 0; i < n; i++) co_yield i;
}

static int holds_one() {
  auto inner = [](int x) -> Task { co_yield x; };
  Task task = inner(4);
  task.handle.resume();
  const int value = task.handle.promise().value;
  task.handle.destroy();
  return value;
}

int main() {
  Task task = counts(3);
  task.handle.resume();
  task.handle.resume();
  std::printf("%d %d\n", task.handle.promise().value, holds_one());
  task.handle.destroy();
}
