#include "output/text/diff/stream_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/row/graph_options.h"
#include "output/text/format/text_table.h"
#include "output/text/report/report_graph.h"

namespace peregrine {
namespace {

constexpr unsigned kStreamWidth = 35;
constexpr unsigned kRule = 26;

std::string sums_text(const HotStream& stream) {
  return fmt::format("cycles: {}, hits: {:.2f}%", stream.cycles, stream.share);
}
std::string frame_line(const StreamSide& side, HistFrameId frame) {
  return frame_text(side.faces, GraphKey::Address, frame);
}

void print_pair(Sink& out, const StreamSide& before, const HotStream& was, const StreamSide& after,
                const HotStream& is) {
  const TextTable table({{.width = kStreamWidth, .before = ""}, {.width = kStreamWidth, .before = "\t"}});
  table.row(out, {sums_text(was), sums_text(is)});
  table.row(out, {std::string(kRule + 1, '-'), std::string(kRule, '-')});
  for (std::size_t at = 0; at < was.frames.size(); ++at)
    table.row(out, {frame_line(before, was.frames[at]), frame_line(after, is.frames[at])});
}

void print_alone(Sink& out, const StreamSide& side, const HotStream& stream, bool behind) {
  const TextTable table({{.width = kStreamWidth, .before = behind ? std::string(kStreamWidth, ' ') + '\t' : ""}});
  const auto line = [&](std::string_view text) { table.row(out, {text}); };
  line(sums_text(stream));
  line(std::string(kRule, '-'));
  for (const HistFrameId frame : stream.frames) line(frame_line(side, frame));
}

void print_list(Sink& out, std::string_view title, const StreamSide& side, const std::vector<std::size_t>& places,
                bool behind) {
  out.format("\n[ {} ]\n", title);
  for (std::size_t at = 0; at < places.size(); ++at) {
    out.format("\nhot chain {}:\n", at + 1);
    print_alone(out, side, side.streams[places[at]], behind);
  }
}

}  // namespace

void print_streams(Sink& out, const StreamSide& before, const StreamSide& after) {
  const StreamPairs pairs = pair_streams(before.streams, before.faces, after.streams, after.faces);
  out.append("[ Matched hot streams ]\n");
  for (std::size_t at = 0; at < pairs.both.size(); ++at) {
    out.format("\nhot chain pair {}:\n", at + 1);
    print_pair(out, before, before.streams[pairs.both[at].first], after, after.streams[pairs.both[at].second]);
  }
  print_list(out, "Hot streams in old perf data only", before, pairs.first_only, false);
  print_list(out, "Hot streams in new perf data only", after, pairs.second_only, true);
}

}  // namespace peregrine
