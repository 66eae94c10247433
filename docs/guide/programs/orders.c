// A shop that handles orders: parse() reads the text, price() adds up, store() keeps a copy.
// With -DFAST, parse() looks at each character once instead of three times.
#include <string.h>

#ifdef FAST
enum { kPasses = 1 };
#else
enum { kPasses = 3 };
#endif

static char text[60000], copy[60000];
static volatile unsigned long total;

__attribute__((noinline)) void parse(void) {
  for (int pass = 0; pass < kPasses; pass++)
    for (unsigned i = 0; i < sizeof text; i++)
      if (text[i] < ' ') text[i] = ' ';
}

__attribute__((noinline)) void price(void) {
  for (unsigned i = 0; i < sizeof text; i++) total += text[i] * i;
}

__attribute__((noinline)) void store(void) {
  memmove(copy, text, sizeof text);
  total ^= copy[7];
}

__attribute__((noinline)) void handle_order(void) {
  parse();
  price();
  store();
}

int main(void) {
  for (int order = 0; order < 4000; order++) handle_order();
  return 0;
}
