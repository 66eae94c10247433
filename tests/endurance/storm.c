// storm THREADS-PER-SECOND SECONDS FIRST LOG: starts so many short-lived threads, each of which makes one close(2) of a descriptor
// from FIRST on, that nobody has: a number of events that is known exactly. SECONDS 0: until a signal ends it.
// LOG gets a line "NANOSECONDS CALLS" (CLOCK_MONOTONIC) every 10 ms: at that moment, so many calls were over.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong started, done;
static long first;
enum { kMostAtOnce = 256 };
static volatile sig_atomic_t stop;

static void on_signal(int number) {
  (void)number;
  stop = 1;
}

static void* thread(void* argument) {
  syscall(SYS_close, first + (long)argument);
  atomic_fetch_add(&done, 1);
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void write_log(FILE* log) {
  const unsigned long calls = atomic_load(&done);
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  fprintf(log, "%lld %lu\n", time.tv_sec * 1000000000LL + time.tv_nsec, calls);
  fflush(log);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  first = atol(argv[3]);
  const double rate = atof(argv[1]), seconds = atof(argv[2]);
  FILE* const log = fopen(argv[4], "w");
  if (!log) return 3;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const double begin = now();
  while (!stop && (seconds == 0 || now() < begin + seconds)) {
    const double due = (now() - begin) * rate;
    // On a busy machine, a storm falls behind instead of piling up threads.
    while (atomic_load(&started) < due && (long)(atomic_load(&started) - atomic_load(&done)) < kMostAtOnce) {
      pthread_t made;
      if (pthread_create(&made, &attributes, thread, (void*)atomic_load(&started)) != 0) break;
      atomic_fetch_add(&started, 1);
    }
    write_log(log);
    usleep(10000);
  }
  while (atomic_load(&done) < atomic_load(&started)) usleep(1000);
  write_log(log);
  return 0;
}
