// main → outer → middle → spin, each a function of its own whatever the optimiser would like; `chain ROUNDS`.
// With "wait" as second word it runs on until it is killed.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif

APART uint64_t spin(uint64_t rounds) {
  volatile uint64_t sum = 0;  // in memory: gcc gives no frame to who does not touch its stack
  for (uint64_t i = 0; i < rounds; ++i)
    sum += i;  // hot
  return sum;
}
APART uint64_t middle(uint64_t rounds) { return spin(rounds) + 1; }
APART uint64_t outer(uint64_t rounds) { return middle(rounds) + 1; }

int main(int argc, char** argv) {
  const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  do {
    outer(rounds);
  } while (argc > 2 && strcmp(argv[2], "wait") == 0);
  return 0;
}
