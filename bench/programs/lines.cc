// Template code of the standard library with deep inlining, for measuring source lines and inlined
// functions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

unsigned next_random() {
  static unsigned long state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<unsigned>(state >> 33);
}

std::string word() {
  std::string text;
  for (unsigned i = 0; i < 3 + next_random() % 8; ++i) text += static_cast<char>('a' + next_random() % 26);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 250;
  std::size_t sum = 0;
  const std::regex pattern("([a-m]+)([n-z]+)");
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> words(4000);
    for (std::string& each : words) each = word();
    std::sort(words.begin(), words.end());
    std::map<std::string, int> tree;
    std::unordered_map<std::string, int> table;
    for (const std::string& each : words) ++tree[each], ++table[each.substr(0, 3)];
    std::ostringstream out;
    for (const auto& [each, count] : tree) out << each << ':' << count << ',';
    for (unsigned i = 0; i < 400; ++i) sum += std::regex_search(words[i], pattern) ? 1 : 0;
    std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    sum += out.str().size() + table.size();
  }
  std::printf("%zu\n", sum);
}
