// Names that C++ makes: a template of a template, a lambda, an operator, something anonymous, and an exception that is
// thrown and caught on the way.
#include <cstdint>
#include <cstdlib>
#include <vector>

#define APART __attribute__((noinline))

volatile uint64_t sink;

namespace {
APART uint64_t hidden(uint64_t rounds) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; ++i) sum = sum + i;
  return sum;
}
}  // namespace

template <class T>
struct Box {
  T value;
  template <class F>
  APART uint64_t apply(F&& function) {
    const uint64_t result = function(value);
    sink = sink + 1;
    return result;
  }
  APART uint64_t operator()(T by) {
    const uint64_t result = hidden(by);
    sink = sink + 1;
    return result;
  }
};

APART void thrower(uint64_t rounds) {
  if (rounds != 0) throw rounds;
}

APART uint64_t catcher(Box<std::vector<int>>& box, uint64_t rounds) {
  try {
    thrower(rounds);
  } catch (const uint64_t& thrown) {
    return box.apply([thrown](const std::vector<int>&) __attribute__((noinline)) {
      Box<uint64_t> inner{thrown};
      const uint64_t result = inner(thrown);
      sink = sink + 1;
      return result;
    }) + 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  Box<std::vector<int>> box{{1, 2, 3}};
  return catcher(box, argc > 1 ? strtoull(argv[1], nullptr, 10) : 100000000) == 1;
}
