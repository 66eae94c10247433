// Two clerks share one ledger. book() holds the lock for a moment, audit() for 20 ms.
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void audit(void) {
  pthread_mutex_lock(&ledger);
  usleep(20000);
  pthread_mutex_unlock(&ledger);
  usleep(1000);
}

__attribute__((noinline)) void book(void) {
  pthread_mutex_lock(&ledger);
  pthread_mutex_unlock(&ledger);
}

static void* run_auditor(void* unused) {
  pthread_setname_np(pthread_self(), "auditor");
  for (int i = 0; i < 40; i++) audit();
  return unused;
}

static void* run_clerk(void* unused) {
  pthread_setname_np(pthread_self(), "clerk");
  for (int i = 0; i < 400; i++) {
    book();
    usleep(1000);
  }
  return unused;
}

int main(void) {
  pthread_t auditor, clerk;
  pthread_create(&auditor, 0, run_auditor, 0);
  pthread_create(&clerk, 0, run_clerk, 0);
  pthread_join(clerk, 0);
  pthread_join(auditor, 0);
  return 0;
}
