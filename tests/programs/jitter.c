// A JIT compiler of one function: it writes jit-PID.dump into the current folder and runs the code that it dumps.
//   first, second    side by side
//   third            where first was
//   second           moved to another page
// Each runs for an equal number of rounds; `jitter ROUNDS`.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static FILE* dump;
static uint64_t next_index;

#if defined(__x86_64__)
enum { kMachine = 62 };
// xor eax, eax; 3: inc rax; cmp rax, rdi; jne 3; ret; nop
static const unsigned char code[] = {0x48, 0x31, 0xc0, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf8, 0x75, 0xf8, 0xc3, 0x90};
#elif defined(__aarch64__)
enum { kMachine = 183 };
// 0: subs x0, x0, #1; b.ne 0; ret
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
static void put32(uint32_t value) { fwrite(&value, sizeof value, 1, dump); }
static void put64(uint64_t value) { fwrite(&value, sizeof value, 1, dump); }
static void begin_record(uint32_t kind, size_t body) {
  put32(kind);
  put32((uint32_t)(16 + body));
  put64(now());
}

static void open_dump(void) {
  char name[64];
  snprintf(name, sizeof name, "jit-%d.dump", getpid());
  const int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
  dump = fdopen(fd, "w");
  put32(0x4a695444);
  put32(1);
  put32(40);
  put32(kMachine);
  put32(0);
  put32((uint32_t)getpid());
  put64(now());
  put64(0);
  fflush(dump);
  mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

static void dump_lines(const char* at, const char* file) {
  begin_record(2, 16 + 16 + strlen(file) + 1 + 16 + 2);
  put64((uintptr_t)at);
  put64(2);
  put64((uintptr_t)at);
  put32(10);
  put32(0);
  fwrite(file, strlen(file) + 1, 1, dump);
  put64((uintptr_t)at + 3);
  put32(12);
  put32(3);
  fwrite("\377", 2, 1, dump);
}

static void dump_code(const char* at, const char* name) {
  begin_record(0, 40 + strlen(name) + 1 + sizeof code);
  put32((uint32_t)getpid());
  put32((uint32_t)getpid());
  put64((uintptr_t)at);
  put64((uintptr_t)at);
  put64(sizeof code);
  put64(next_index++);
  fwrite(name, strlen(name) + 1, 1, dump);
  fwrite(code, sizeof code, 1, dump);
  fflush(dump);
}

static void dump_move(const char* from, const char* to, uint64_t index) {
  begin_record(1, 48);
  put32((uint32_t)getpid());
  put32((uint32_t)getpid());
  put64((uintptr_t)to);
  put64((uintptr_t)from);
  put64((uintptr_t)to);
  put64(sizeof code);
  put64(index);
  fflush(dump);
}

static void run(char* at, uint64_t rounds) {
  memcpy(at, code, sizeof code);
  __builtin___clear_cache(at, at + sizeof code);
  ((void (*)(uint64_t))(uintptr_t)at)(rounds);
}

int main(int argc, char** argv) {
  const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  open_dump();
  char* memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  dump_lines(memory, "first.js");
  dump_code(memory, "first");
  dump_code(memory + 256, "second");
  run(memory, rounds);
  run(memory + 256, rounds);
  dump_code(memory, "third");
  run(memory, rounds);
  dump_move(memory + 256, memory + 4096, 1);
  run(memory + 4096, rounds);
  begin_record(3, 0);
  fclose(dump);
  return 0;
}
