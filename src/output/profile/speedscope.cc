#include "output/profile/speedscope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/profile/folded_stacks.h"
#include "analysis/profile/tracks.h"
#include "base/types.h"
#include "output/json/json_document.h"

namespace peregrine {
namespace {

class SpeedscopePrinter {
 public:
  SpeedscopePrinter(Sink& out, const Profile& profile, bool by_count)
      : json_(out), profile_(profile), by_count_(by_count) {}

  void print() {
    json_.object([&] {
      json_.member("$schema", "https://www.speedscope.app/file-format-schema.json").line();
      json_.member("exporter", profile_.creator).member("name", profile_.command).member("activeProfileIndex", 0);
      json_.line();
      profile_.timed ? print_tracks() : print_sums();
    });
  }

 private:
  // A stack of the length that the viewer shows, and its weight. `root`: a frame above all others.
  struct Weighted {
    ChainId stack;
    u64 weight = 0;
    const u32* root = nullptr;
  };
  void print_frame(std::string_view name, const ProfileFrame* frame);
  void print_tracks();
  void print_sums();
  void print_track(const Track& track);
  void print_profile(std::string_view name, bool nanoseconds, u64 start, u64 end, const ChainTree& stacks,
                     std::span<const Weighted> samples);
  void print_stack(const ChainTree& stacks, ChainId stack, const u32* root);
  void print_sum(const FoldedStacks& folded, const ProfileEvent& event);
  u64 weight(const ProfileSample& sample) const { return by_count_ ? sample.samples : sample.period; }

  JsonDocument json_;
  const Profile& profile_;
  const bool by_count_;
  std::vector<u32> path_;
};

void SpeedscopePrinter::print_frame(std::string_view name, const ProfileFrame* frame) {
  json_.line().object([&] {
    json_.member("name", name);
    if (frame == nullptr) return;
    const std::string_view file = frame->file.valid() ? profile_.text(frame->file) : profile_.dsos[frame->dso].path;
    if (file != "[unknown]") json_.member("file", file);
    if (frame->line != 0) json_.member("line", frame->line);
  });
}

void SpeedscopePrinter::print_stack(const ChainTree& stacks, ChainId stack, const u32* root) {
  path_.clear();
  for (ChainId at = stack; at != kRootChain; at = stacks.parent(at)) path_.push_back(stacks.frame(at).value);
  if (root != nullptr) path_.push_back(*root);
  json_.array([&] {
    for (const u32 frame : path_ | std::views::reverse) json_.value(frame);
  });
}

void SpeedscopePrinter::print_profile(std::string_view name, bool nanoseconds, u64 start, u64 end,
                                      const ChainTree& stacks, std::span<const Weighted> samples) {
  json_.line().object([&] {
    json_.member("type", "sampled").member("name", name).member("unit", nanoseconds ? "nanoseconds" : "none");
    json_.member("startValue", start).member("endValue", end);
    json_.line().array("samples", [&] {
      for (std::size_t at = 0; at < samples.size(); ++at) {
        if (at % 16 == 0 && at > 0) json_.line();
        print_stack(stacks, samples[at].stack, samples[at].root);
      }
    });
    json_.line().array("weights", [&] {
      for (std::size_t at = 0; at < samples.size(); ++at) {
        if (at % 64 == 0 && at > 0) json_.line();
        json_.value(samples[at].weight);
      }
    });
  });
}

void SpeedscopePrinter::print_track(const Track& track) {
  const ProfileEvent& event = profile_.events[track.event];
  const ProfileThread& thread = profile_.threads[track.thread];
  const bool clock = event.nanoseconds && !by_count_;
  const u64 origin = profile_.samples.front().time;
  // Viewers place weights end to end. For clocks, gaps without samples therefore get a weight too.
  std::vector<Weighted> steps;
  u64 start = 0, end = 0;
  for (const u32 at : track.samples) {
    const ProfileSample& sample = profile_.samples[at];
    const u64 to = sample.time - origin + (clock ? profile_.samples.front().period : 0);
    const u64 from = to - std::min(to, sample.period);
    if (steps.empty()) start = end = clock ? from : 0;
    if (clock && from > end) {
      steps.push_back({kRootChain, from - end});
      end = from;
    }
    steps.push_back({sample.stack, weight(sample)});
    end += weight(sample);
  }
  const std::string name = fmt::format("{} {}/{} {}", profile_.text(thread.comm), static_cast<i32>(thread.pid),
                                       static_cast<i32>(thread.tid), event.name);
  print_profile(name, clock, start, end, profile_.stacks, steps);
}

void SpeedscopePrinter::print_tracks() {
  json_.object("shared", [&] {
    json_.array("frames", [&] {
      for (const ProfileFrame& frame : profile_.frames) print_frame(frame_name(profile_, frame), &frame);
    });
  });
  json_.line().array("profiles", [&] {
    for (const Track& track : tracks_of(profile_)) print_track(track);
  });
}

void SpeedscopePrinter::print_sum(const FoldedStacks& folded, const ProfileEvent& event) {
  std::vector<Weighted> sums;
  for (const FoldedStacks::Row& row : folded.rows)
    sums.push_back({row.stack, by_count_ ? row.samples : row.period, &row.root});
  print_profile(event.name, event.nanoseconds && !by_count_, 0, by_count_ ? event.samples : event.period, folded.stacks,
                sums);
}

void SpeedscopePrinter::print_sums() {
  FoldedStacks folded;
  json_.array("profiles", [&] {
    for (u32 event = 0; event < profile_.events.size(); ++event) {
      if (profile_.events[event].samples == 0) continue;
      folded = fold(profile_, {.event = event});
      print_sum(folded, profile_.events[event]);
    }
  });
  json_.line().object("shared", [&] {
    json_.array("frames", [&] {
      for (std::size_t at = 0; at < folded.labels.size(); ++at)
        print_frame(folded.labels[at], folded.example[at] == ~0u ? nullptr : &profile_.frames[folded.example[at]]);
    });
  });
}

}  // namespace

void print_speedscope(Sink& out, const Profile& profile, bool by_count) {
  SpeedscopePrinter(out, profile, by_count).print();
  out.append('\n');
}

}  // namespace peregrine
