#include "auxtrace/itrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <limits>

#include "base/text/ascii.h"
#include "base/text/text_cursor.h"

namespace peregrine {
namespace {

struct Switch {
  char letter;
  bool ItraceOptions::* option;
};
constexpr auto kSwitches = std::to_array<Switch>({
    {'i', &ItraceOptions::instructions},
    {'b', &ItraceOptions::branches},
    {'c', &ItraceOptions::calls},
    {'r', &ItraceOptions::returns},
    {'x', &ItraceOptions::transactions},
    {'w', &ItraceOptions::ptwrites},
    {'p', &ItraceOptions::power},
    {'o', &ItraceOptions::other},
    {'I', &ItraceOptions::interrupts},
    {'e', &ItraceOptions::errors},
    {'d', &ItraceOptions::log},
    {'f', &ItraceOptions::first_level},
    {'m', &ItraceOptions::last_level},
    {'t', &ItraceOptions::tlb},
    {'a', &ItraceOptions::remote},
    {'M', &ItraceOptions::memory},
    {'g', &ItraceOptions::callchain},
    {'G', &ItraceOptions::add_callchain},
    {'l', &ItraceOptions::last_branch},
    {'L', &ItraceOptions::add_last_branch},
    {'A', &ItraceOptions::approximate_ipc},
    {'Z', &ItraceOptions::timeless},
});

u64 times(u64 value, u64 factor) {
  const u64 most = std::numeric_limits<u64>::max();
  return value > most / factor ? most : value * factor;
}

class ItraceParser {
 public:
  explicit ItraceParser(std::string_view words) : cursor_(words) {}

  bool parse();
  std::size_t at() const { return cursor_.at(); }
  const ItraceOptions& options() const { return options_; }

 private:
  bool has_digit() const { return is_digit(cursor_.peek()); }
  void skip_separators() {
    cursor_.take_while([](char c) { return c == ' ' || c == ','; });
  }
  // Parses decimal digits; saturates on overflow.
  u64 number() {
    u64 value = 0;
    for (const char c : cursor_.take_while(is_digit)) {
      const u64 digit = static_cast<u64>(c - '0');
      value = times(value, 10);
      value = value > std::numeric_limits<u64>::max() - digit ? std::numeric_limits<u64>::max() : value + digit;
    }
    return value;
  }
  bool letter();
  bool period();
  bool size(u32& out, u32 most);
  bool skipped();
  bool flags(ItraceFlags& out);

  TextCursor cursor_;
  ItraceOptions options_;
};

// [NUMBER[UNIT]] after 'i'. The unit may be left out only at the end of the text.
bool ItraceParser::period() {
  skip_separators();
  if (!has_digit()) return true;
  options_.period = number();
  skip_separators();
  if (cursor_.at_end()) return true;
  if (cursor_.take('i')) {
    options_.unit = ItraceUnit::Instructions;
    return true;
  }
  if (cursor_.take('t')) {
    options_.unit = ItraceUnit::Ticks;
    return true;
  }
  u64 nanoseconds = 0;
  if (cursor_.take('m'))
    nanoseconds = 1'000'000;
  else if (cursor_.take('u'))
    nanoseconds = 1000;
  else if (cursor_.take('n'))
    nanoseconds = 1;
  if (nanoseconds == 0 || !cursor_.take('s')) return false;
  options_.period = times(options_.period, nanoseconds);
  options_.unit = ItraceUnit::Nanoseconds;
  return true;
}

bool ItraceParser::size(u32& out, u32 most) {
  skip_separators();
  if (!has_digit()) return true;
  const u64 value = number();
  if (value == 0 || value > most) return false;
  out = static_cast<u32>(value);
  return true;
}

// The number after 's' in the syntax of strtoul(3): blanks and a sign may precede it.
bool ItraceParser::skipped() {
  cursor_.take_while([](char c) { return c == ' '; });
  const bool negative = cursor_.take('-');
  if (!negative) cursor_.take('+');
  if (!has_digit()) return false;
  const u64 value = number();
  options_.skip = negative ? 0 - value : value;
  return true;
}

bool ItraceParser::flags(ItraceFlags& out) {
  while (cursor_.peek() == '+' || cursor_.peek() == '-') {
    const bool plus = cursor_.take('+');
    if (!plus) cursor_.take('-');
    const char flag = cursor_.peek();
    if (flag < 'a' || flag > 'z') return false;
    (plus ? out.plus : out.minus) |= ItraceFlags::bit(flag);
    cursor_.take(flag);
  }
  return true;
}

bool ItraceParser::letter() {
  const char letter = cursor_.peek();
  const auto* known = std::ranges::find(kSwitches, letter, &Switch::letter);
  if (known == kSwitches.end() && letter != 's' && letter != 'q') return false;
  cursor_.take(letter);
  if (known != kSwitches.end()) options_.*(known->option) = true;
  switch (letter) {
    case 'i':
      return period();
    case 'c':
    case 'r':
      options_.branches = true;
      return true;
    case 'g':
    case 'G':
      options_.callers = ItraceOptions().callers;
      return size(options_.callers, kItraceMostCallers);
    case 'l':
    case 'L':
      options_.branch_count = ItraceOptions().branch_count;
      return size(options_.branch_count, kItraceMostBranches);
    case 'e':
      return flags(options_.error_flags);
    case 'd':
      return flags(options_.log_flags);
    case 's':
      return skipped();
    case 'q':
      ++options_.quick;
      return true;
    default:
      return true;
  }
}

bool ItraceParser::parse() {
  for (skip_separators(); !cursor_.at_end(); skip_separators()) {
    if (!letter()) return false;
  }
  return true;
}

}  // namespace

ItraceOptions default_itrace(bool sampled) {
  ItraceOptions options;
  for (bool ItraceOptions::* on :
       {&ItraceOptions::branches, &ItraceOptions::transactions, &ItraceOptions::ptwrites, &ItraceOptions::power,
        &ItraceOptions::other, &ItraceOptions::interrupts, &ItraceOptions::errors, &ItraceOptions::first_level,
        &ItraceOptions::last_level, &ItraceOptions::tlb, &ItraceOptions::remote, &ItraceOptions::memory})
    options.*on = true;
  if (sampled) {
    options.instructions = true;
  } else {
    options.calls = true;
    options.period = 1;
    options.unit = ItraceUnit::Instructions;
  }
  return options;
}

Result<ItraceOptions> parse_itrace(std::string_view words) {
  ItraceParser parser(words);
  if (parser.parse()) return parser.options();
  const std::string_view understood = words.substr(0, parser.at());
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("Bad Instruction Tracing options '{}'", words),
            understood.empty() ? fmt::format("unknown letter '{}'; `help report` lists the letters", words.substr(0, 1))
                               : fmt::format("parsed up to '{}'; `help report` lists the letters", understood)});
}

}  // namespace peregrine
