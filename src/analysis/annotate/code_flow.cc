#include "analysis/annotate/code_flow.h"

#include <algorithm>

namespace peregrine {

namespace {

double ratio(u64 instructions, u64 cycles) {
  return cycles == 0 ? 0 : static_cast<double>(instructions) / static_cast<double>(cycles);
}

}  // namespace

double LineFlow::speed() const { return ratio(instructions, cycles); }
double CodeFlow::speed() const { return ratio(instructions, cycles); }

double CodeFlow::covered() const {
  const auto passed = std::ranges::count_if(lines, [](const LineFlow& line) { return line.cycles != 0; });
  return lines.empty() ? 0 : static_cast<double>(passed) / static_cast<double>(lines.size());
}

std::size_t CodeFlow::next_left(std::size_t line) const {
  while (line + 1 < lines.size() && lines[line].left == 0) ++line;
  return line;
}

CodeFlow code_flow(const Listing& listing, const std::vector<CodeRun>& runs) {
  const std::vector<ListingLine>& lines = listing.lines;
  CodeFlow flow;
  if (runs.empty()) return flow;
  flow.lines.resize(lines.size());
  const auto line_at = [&](u64 offset) {
    const auto at = std::ranges::lower_bound(lines, offset, {}, &ListingLine::offset);
    return at != lines.end() && at->offset == offset ? static_cast<std::size_t>(at - lines.begin()) : lines.size();
  };
  for (const CodeRun& run : runs) {
    const std::size_t first = line_at(run.begin), last = line_at(run.end);
    if (first == lines.size() || last == lines.size()) continue;  // of other code than what is listed
    const u64 instructions = run.timed * (last - first + 1);
    flow.instructions += instructions;
    flow.cycles += run.cycles;
    flow.lines[first].entered += run.count;
    LineFlow& end = flow.lines[last];
    end.left += run.count;
    end.predicted += run.predicted;
    end.timed += run.timed;
    end.timed_cycles += run.cycles;
    end.least = std::min(end.least, run.least);
    end.most = std::max(end.most, run.most);
    for (std::size_t at = first; at <= last; ++at) {
      flow.lines[at].runs += run.count;
      flow.lines[at].instructions += instructions;
      flow.lines[at].cycles += run.cycles;
    }
  }
  return flow;
}

}  // namespace peregrine
