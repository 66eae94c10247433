// One of two libraries that take each other's place: -DNAME=work_a, -DNAME=work_b.
#include <stdint.h>

void NAME(uint64_t rounds);
void NAME(uint64_t rounds) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; ++i) sum += i;
}
