#include "output/text/system/junit_page.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Logs may contain bytes from recordings. XML 1.0 cannot represent most control characters, nor U+FFFE and U+FFFF.
bool is_xml_character(u32 character) {
  if (character < 0x20) return character == '\n' || character == '\t';
  return (character < 0x7f || character > 0x9f) && character != 0xfffe && character != 0xffff;
}

std::string escaped(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const unsigned length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max(length, 1u));
    if (character == "&")
      safe += "&amp;";
    else if (character == "<")
      safe += "&lt;";
    else if (character == ">")
      safe += "&gt;";
    else if (character == "\"")
      safe += "&quot;";
    else if (length > 0 && is_xml_character(utf8_value(text, length)))
      safe += character;
    else
      safe += '?';
    text.remove_prefix(character.size());
  }
  return safe;
}

void print_case(std::string_view suite, const JUnitCase& one, Sink& out) {
  out.format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", escaped(suite), escaped(one.name),
             one.seconds);
  if (one.outcome == JUnitCase::Outcome::Skipped)
    out.format("    <skipped message=\"{}\"/>\n", escaped(one.reason));
  else if (one.outcome == JUnitCase::Outcome::Failed)
    out.format("    <failure message=\"{}\"/>\n", escaped(one.reason));
  if (!one.log.empty()) out.format("    <system-out>{}</system-out>\n", escaped(one.log));
  out.append("  </testcase>\n");
}

}  // namespace

void print_junit(std::string_view suite, std::span<const JUnitCase> cases, Sink& out) {
  double seconds = 0;
  for (const JUnitCase& one : cases) seconds += one.seconds;
  const auto count = [&](JUnitCase::Outcome outcome) {
    return std::ranges::count(cases, outcome, &JUnitCase::outcome);
  };
  out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  out.format(" <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n", escaped(suite),
             cases.size(), count(JUnitCase::Outcome::Failed), count(JUnitCase::Outcome::Skipped), seconds);
  for (const JUnitCase& one : cases) print_case(suite, one, out);
  out.append(" </testsuite>\n</testsuites>\n");
}

}  // namespace peregrine
