#include "analysis/annotate/code_flow.h"

#include <algorithm>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

namespace {

double ratio(u64 instructions, u64 cycles) {
  return cycles == 0 ? 0 : static_cast<double>(instructions) / static_cast<double>(cycles);
}

}  // namespace

void LineFlow::add_passing(u64 more_runs, u64 more_instructions, u64 more_cycles) {
  runs += more_runs;
  instructions += more_instructions;
  cycles += more_cycles;
}

double LineFlow::speed() const { return ratio(instructions, cycles); }
double CodeFlow::speed() const { return ratio(instructions, cycles); }

double CodeFlow::covered() const {
  const auto passed = std::ranges::count_if(lines, [](const LineFlow& line) { return line.cycles != 0; });
  return lines.empty() ? 0 : static_cast<double>(passed) / static_cast<double>(lines.size());
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
    if (first == lines.size() || last == lines.size()) continue;  // outside the listed code
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
    flow.lines[first].add_passing(run.count, instructions, run.cycles);
    if (last + 1 < lines.size()) flow.lines[last + 1].add_passing(0 - run.count, 0 - instructions, 0 - run.cycles);
  }
  // `lines` holds differences so far: +n where runs begin, -n after they end. The prefix sum gives the runs through
  // each line, in linear time however long the runs are.
  for (std::size_t at = 1; at < flow.lines.size(); ++at) {
    const LineFlow& before = flow.lines[at - 1];
    flow.lines[at].add_passing(before.runs, before.instructions, before.cycles);
  }
  for (std::size_t at = flow.lines.size(); at-- > 0;) {
    LineFlow& line = flow.lines[at];
    line.next_runs = line.left != 0 || at + 1 == flow.lines.size() ? line.runs : flow.lines[at + 1].next_runs;
  }
  return flow;
}

}  // namespace peregrine
