// A JIT compiler that tells of its code in /tmp/perf-PID.map, in entries that overlap as those of code that was replaced.
// `mapper ROUNDS [wait]`: with "wait" it runs on until it is killed.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
// xor eax, eax; 3: inc rax; cmp rax, rdi; jne 3; ret; nop
static const unsigned char code[] = {0x48, 0x31, 0xc0, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xf8, 0x75, 0xf8, 0xc3, 0x90};
#elif defined(__aarch64__)
// 0: subs x0, x0, #1; b.ne 0; ret
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

int main(int argc, char** argv) {
  const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  char* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", getpid());
  FILE* map = fopen(name, "w");
  if (map == NULL) return 1;
  const uintptr_t at = (uintptr_t)memory;
  fprintf(map, "%lx 40 old_same\n%lx 40 new_same\n", at, at);
  fprintf(map, "%lx 200 old_around\n%lx 20 new_inside\n", at + 0x80, at + 0x100);
  fprintf(map, "%lx 10 old_inside\n%lx 100 new_around\n", at + 0x400, at + 0x3f0);
  fclose(map);
  static const size_t places[] = {0, 0x100, 0x400};
  for (int i = 0; i < 3; ++i) memcpy(memory + places[i], code, sizeof code);
  __builtin___clear_cache(memory, memory + 4096);
  do {
    for (int i = 0; i < 3; ++i) ((void (*)(uint64_t))(at + places[i]))(rounds);
  } while (argc > 2 && strcmp(argv[2], "wait") == 0);
  return 0;
}
