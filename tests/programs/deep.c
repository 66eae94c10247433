// Recursion 500 deep, then work.
#include <stdint.h>
#include <stdlib.h>

volatile uint64_t sink;

__attribute__((noinline)) void down(int depth, uint64_t rounds) {
  if (depth == 0) {
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < rounds; ++i) sum += i;
  } else {
    down(depth - 1, rounds);
  }
  sink += 1;
}

int main(int argc, char** argv) {
  down(499, argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000);
  sink += 1;
  return 0;
}
