#include "output/profile/speedscope.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/profile/folded_stacks.h"
#include "analysis/profile/tracks.h"
#include "output/json/json_line.h"

namespace peregrine {
namespace {

class SpeedscopePrinter {
 public:
  SpeedscopePrinter(Sink& out, const Profile& profile, bool by_count)
      : out_(out), profile_(profile), by_count_(by_count) {}

  void print() {
    out_.append("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
    out_.format("\"exporter\":\"{}\",\"name\":\"{}\",\"activeProfileIndex\":0,\n", json_escaped(profile_.creator),
                json_escaped(profile_.command));
    profile_.timed ? print_tracks() : print_sums();
    out_.append("}\n");
  }

 private:
  void print_frame(std::string_view name, const ProfileFrame* frame);
  void print_tracks();
  void print_sums();
  void print_track(const Track& track);
  void begin_profile(std::string_view name, bool nanoseconds, u64 start, u64 end);
  void print_stack(const ChainTree& stacks, ChainId stack, const u32* root = nullptr);
  void print_sum(const FoldedStacks& folded, const ProfileEvent& event);
  u64 weight(const ProfileSample& sample) const { return by_count_ ? sample.samples : sample.period; }

  Sink& out_;
  const Profile& profile_;
  const bool by_count_;
  std::vector<u32> path_;
};

void SpeedscopePrinter::print_frame(std::string_view name, const ProfileFrame* frame) {
  std::string text = "\n{";
  JsonLine line(text);
  line.string("name", name);
  if (frame != nullptr) {
    const std::string_view file = frame->file.valid() ? profile_.text(frame->file) : profile_.dsos[frame->dso].path;
    if (file != "[unknown]") line.string("file", file);
    if (frame->line != 0) line.number("line", frame->line);
  }
  out_.append(text).append('}');
}

void SpeedscopePrinter::begin_profile(std::string_view name, bool nanoseconds, u64 start, u64 end) {
  std::string text = "{";
  JsonLine line(text);
  line.string("type", "sampled");
  line.string("name", name);
  line.string("unit", nanoseconds ? "nanoseconds" : "none");
  line.number("startValue", start);
  line.number("endValue", end);
  out_.append(text).append(",\n\"samples\":[");
}

void SpeedscopePrinter::print_stack(const ChainTree& stacks, ChainId stack, const u32* root) {
  path_.clear();
  for (ChainId at = stack; at != kRootChain; at = stacks.parent(at)) path_.push_back(stacks.frame(at).value);
  if (root != nullptr) path_.push_back(*root);
  out_.append('[');
  for (std::size_t at = path_.size(); at-- > 0;) {
    out_.decimal(path_[at]);
    if (at != 0) out_.append(',');
  }
  out_.append(']');
}

void SpeedscopePrinter::print_track(const Track& track) {
  const ProfileEvent& event = profile_.events[track.event];
  const ProfileThread& thread = profile_.threads[track.thread];
  const bool clock = event.nanoseconds && !by_count_;
  const u64 origin = profile_.samples.front().time;
  // Viewers lay out weights end to end. For clocks, gaps without samples therefore get a weight, too.
  std::vector<std::pair<ChainId, u64>> steps;
  u64 start = 0, end = 0;
  for (const u32 at : track.samples) {
    const ProfileSample& sample = profile_.samples[at];
    const u64 to = sample.time - origin + (clock ? profile_.samples.front().period : 0);
    const u64 from = to - std::min(to, sample.period);
    if (steps.empty()) start = end = clock ? from : 0;
    if (clock && from > end) {
      steps.emplace_back(kRootChain, from - end);
      end = from;
    }
    steps.emplace_back(sample.stack, weight(sample));
    end += weight(sample);
  }
  begin_profile(fmt::format("{} {}/{} {}", profile_.text(thread.comm), static_cast<i32>(thread.pid),
                            static_cast<i32>(thread.tid), event.name),
                clock, start, end);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (at > 0) out_.append(at % 16 == 0 ? ",\n" : ",");
    print_stack(profile_.stacks, steps[at].first);
  }
  out_.append("],\n\"weights\":[");
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (at > 0) out_.append(at % 64 == 0 ? ",\n" : ",");
    out_.decimal(steps[at].second);
  }
  out_.append("]}");
}

void SpeedscopePrinter::print_tracks() {
  out_.append("\"shared\":{\"frames\":[");
  for (std::size_t at = 0; at < profile_.frames.size(); ++at) {
    if (at > 0) out_.append(',');
    print_frame(frame_name(profile_, profile_.frames[at]), &profile_.frames[at]);
  }
  out_.append("]},\n\"profiles\":[");
  bool first = true;
  for (const Track& track : tracks_of(profile_)) {
    if (!first) out_.append(",\n");
    first = false;
    print_track(track);
  }
  out_.append("]");
}

void SpeedscopePrinter::print_sum(const FoldedStacks& folded, const ProfileEvent& event) {
  begin_profile(event.name, event.nanoseconds && !by_count_, 0, by_count_ ? event.samples : event.period);
  bool first = true;
  for (const FoldedStacks::Row& row : folded.rows) {
    if (!first) out_.append(",\n");
    first = false;
    print_stack(folded.stacks, row.stack, &row.root);
  }
  out_.append("],\n\"weights\":[");
  for (std::size_t at = 0; at < folded.rows.size(); ++at) {
    if (at > 0) out_.append(at % 64 == 0 ? ",\n" : ",");
    out_.decimal(by_count_ ? folded.rows[at].samples : folded.rows[at].period);
  }
  out_.append("]}");
}

void SpeedscopePrinter::print_sums() {
  out_.append("\"profiles\":[");
  FoldedStacks folded;
  bool first = true;
  for (u32 event = 0; event < profile_.events.size(); ++event) {
    if (profile_.events[event].samples == 0) continue;
    folded = fold(profile_, {.event = event});
    if (!first) out_.append(",\n");
    first = false;
    print_sum(folded, profile_.events[event]);
  }
  out_.append("],\n\"shared\":{\"frames\":[");
  for (std::size_t at = 0; at < folded.labels.size(); ++at) {
    if (at > 0) out_.append(',');
    print_frame(folded.labels[at], folded.example[at] == ~0u ? nullptr : &profile_.frames[folded.example[at]]);
  }
  out_.append("]}");
}

}  // namespace

void print_speedscope(Sink& out, const Profile& profile, bool by_count) {
  SpeedscopePrinter(out, profile, by_count).print();
}

}  // namespace peregrine
