// busy N [WORDS [DEPTH]]: recursion (30 deep), hashing and sorting (of 300 words) with frame pointers, the user-space
// half of the benchmark's load.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

static volatile unsigned long sink;

__attribute__((noinline)) unsigned long mix(unsigned long x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdUL;
  return x ^ (x >> 29);
}

__attribute__((noinline)) unsigned long descend(int depth, unsigned long x) {
  if (depth == 0) return mix(x);
  const unsigned long below = descend(depth - 1, x + 1);
  return mix(below) + x;
}

__attribute__((noinline)) void count_words(int n) {
  std::map<std::string, int> words;
  for (int i = 0; i < n; ++i) ++words[std::to_string(mix(static_cast<unsigned long>(i)) % 5000)];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [word, count] : words) order.emplace_back(count, word);
  std::sort(order.begin(), order.end());
  sink = sink + order.size();
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000, words = argc > 2 ? std::atoi(argv[2]) : 300;
  const int depth = argc > 3 ? std::atoi(argv[3]) : 30;
  for (int i = 0; i < n; ++i) {
    sink = sink + descend(depth, static_cast<unsigned long>(i));
    if (words > 0) count_words(words);
  }
  std::printf("%lu\n", sink);
}
