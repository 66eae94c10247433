// dlopen, work, dlclose of two libraries by turns: both lie at one address, one after the other. It ends with 77 when
// they did not.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void* use(const char* library, const char* name, uint64_t rounds) {
  void* handle = dlopen(library, RTLD_NOW);
  if (handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  void (*function)(uint64_t);
  *(void**)&function = dlsym(handle, name);
  function(rounds);
  void* where = (void*)(uintptr_t)function;
  dlclose(handle);
  return where;
}

int main(int argc, char** argv) {
  const uint64_t rounds = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000) / 4;
  int same = 1;
  for (int i = 0; i < 2; ++i) {
    void* a = use("./liba.so", "work_a", rounds);
    void* b = use("./libb.so", "work_b", rounds);
    same = same && a == b;
  }
  return same ? 0 : 77;
}
