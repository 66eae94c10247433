// Writes a journal in three steps: load() reads it, append() writes small lines, commit() waits for the disk.
#include <fcntl.h>
#include <unistd.h>

static int file;

__attribute__((noinline)) void load(void) {
  char part[4096];
  for (int i = 0; i < 100; i++)
    if (pread(file, part, sizeof part, 4096L * i) < 0) return;
}

__attribute__((noinline)) void append(void) {
  for (int i = 0; i < 2000; i++)
    if (write(file, "one small line\n", 15) < 0) return;
}

__attribute__((noinline)) void commit(void) { fsync(file); }

int main(void) {
  file = open("journal.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int round = 0; round < 20; round++) {
    load();
    append();
    commit();
    usleep(5000);
  }
  return 0;
}
