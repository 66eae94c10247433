// A program with a name that would clear the screen and begin lines of its own; tests/live/hostile gives its functions,
// and its file, such names too.
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>

__attribute__((noinline)) void spin(uint64_t rounds) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; ++i) sum += i;
}
__attribute__((noinline)) void caller(uint64_t rounds) {
  spin(rounds);
  volatile int behind = 0;
  (void)behind;
}

int main(int argc, char** argv) {
  prctl(PR_SET_NAME, "a\n1 2: \033[2J\233x");
  caller(argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000);
  return 0;
}
