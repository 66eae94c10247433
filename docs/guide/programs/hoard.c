// Allocates memory in two places: cache() keeps large blocks, message() frees its small ones at once.
#include <stdlib.h>
#include <string.h>

static void* volatile latest;

__attribute__((noinline)) void* cache(size_t size) {
  void* block = malloc(size);
  if (block) memset(block, 1, size);
  latest = block;
  return block;
}

__attribute__((noinline)) void message(int number) {
  char* text = malloc(40);
  if (text) text[0] = (char)number;
  latest = text;
  free(text);
}

int main(void) {
  for (int i = 0; i < 200; i++) {
    for (int j = 0; j < 20; j++) message(j);
    if (!cache(256 << 10)) return 1;
  }
  return 0;
}
