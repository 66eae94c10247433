// A signal handler that works, while interrupted() waits for it: handled → spin inside, interrupted → main outside.
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#define APART __attribute__((noinline))

volatile uint64_t sink;
static volatile sig_atomic_t times;
static uint64_t rounds;

APART void spin(uint64_t n) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += i;
}
static void handled(int number) {
  (void)number;
  spin(rounds);
  ++times;
}
APART void interrupted(void) {
  volatile uint64_t sum = 0;
  while (times == 0) sum += 1;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  signal(SIGALRM, handled);
  const struct itimerval once = {{0, 0}, {0, 50000}};
  setitimer(ITIMER_REAL, &once, NULL);
  interrupted();
  sink += 1;
  return 0;
}
