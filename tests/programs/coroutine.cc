// A C++20 coroutine that works each time it is resumed: work → spin, called by drive.
#include <coroutine>
#include <cstdint>
#include <cstdlib>

#define APART __attribute__((noinline))

volatile uint64_t sink;

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

APART void spin(uint64_t n) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum = sum + i;
}
Task work(uint64_t rounds) {
  for (int i = 0; i < 10; ++i) {
    spin(rounds / 10);
    sink = sink + 1;
    co_await std::suspend_always();
  }
}
APART void drive(uint64_t rounds) {
  Task task = work(rounds);
  while (!task.handle.done()) task.handle.resume();
  task.handle.destroy();
}

int main(int argc, char** argv) {
  drive(argc > 1 ? strtoull(argv[1], nullptr, 10) : 100000000);
  sink = sink + 1;
  return 0;
}
