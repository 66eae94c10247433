// parent_work in the parent; child_work in its child, which then becomes ./chain.
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

volatile uint64_t sink;

APART void parent_work(uint64_t n) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += i;
}
APART void child_work(uint64_t n) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += i;
}

int main(int argc, char** argv) {
  const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  const pid_t child = fork();
  if (child == 0) {
    child_work(rounds);
    execl("./chain", "./chain", argc > 1 ? argv[1] : "100000000", (char*)NULL);
    _exit(1);
  }
  parent_work(rounds);
  waitpid(child, NULL, 0);
  return 0;
}
