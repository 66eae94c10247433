#include "output/text/system/junit_page.h"

#include <algorithm>

namespace peregrine {

namespace {

// XML 1.0 cannot represent most control characters, and logs may contain bytes from recordings.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if ((c >= ' ' && c < '\x7f') || c == '\n' || c == '\t')
      safe += c;
    else
      safe += '?';
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
