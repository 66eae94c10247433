#include "cli/frame/program_name.h"

#include <cstddef>

namespace peregrine {

std::string with_program_name(std::string_view program, std::string_view text) {
  constexpr std::string_view kName = "perf ", kBefore = " \n\t'\"`(";
  std::string result;
  for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName)) {
    const std::string_view behind = text.substr(at + kName.size());
    const bool begins = at == 0 ? result.empty() || kBefore.contains(result.back()) : kBefore.contains(text[at - 1]);
    const bool runs = !behind.empty() && ((behind[0] >= 'a' && behind[0] <= 'z') || behind[0] == '-');
    result += text.substr(0, at);
    result += begins && runs && !behind.starts_with("event") ? program : kName.substr(0, kName.size() - 1);
    result += ' ';
    text = behind;
  }
  return result.append(text);
}

}  // namespace peregrine
