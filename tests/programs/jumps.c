// longjmp out of a deep call, again and again, then work at the place jumped to: no frame of the deep ones may stay.
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

volatile uint64_t sink;
static jmp_buf place;

APART void spin(uint64_t n) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += i;
}
APART void deep(int depth) {
  if (depth == 0) longjmp(place, 1);
  deep(depth - 1);
  sink += 1;
}
APART void landing(uint64_t rounds) {
  for (volatile int i = 0; i < 10; ++i) {
    if (setjmp(place) == 0) deep(20);
    spin(rounds / 10);
  }
}

int main(int argc, char** argv) {
  landing(argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000);
  sink += 1;
  return 0;
}
