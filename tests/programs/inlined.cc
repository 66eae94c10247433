// Three functions inlined into one another: outside → first → second → third, of which only outside has code.
#include <cstdint>
#include <cstdlib>

#define INSIDE __attribute__((always_inline)) static inline

volatile uint64_t sink;

INSIDE void third(uint64_t i) {
  sink = sink + i;  // hot
}
INSIDE void second(uint64_t i) {
  third(i);  // third is called here
}
INSIDE void first(uint64_t i) {
  second(i);  // second is called here
}
__attribute__((noinline)) void outside(uint64_t rounds) {
  volatile int kept = 0;  // has gcc make a frame
  for (uint64_t i = 0; i < rounds; ++i)
    first(i);  // first is called here
  kept = 1;
}

int main(int argc, char** argv) {
  outside(argc > 1 ? strtoull(argv[1], nullptr, 10) : 100000000);
  sink = sink + 1;
  return 0;
}
