#include "output/profile/chrome.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/profile/tracks.h"
#include "base/types.h"
#include "output/json/chrome_events.h"
#include "output/json/json_line.h"
#include "output/json/json_text.h"

namespace peregrine {
namespace {

class ChromePrinter {
 public:
  ChromePrinter(Sink& out, const Profile& profile) : events_(out), profile_(profile) {
    std::unordered_map<std::string, u32> known;
    for (u32 at = 0; at < profile.frames.size(); ++at) {
      names_.push_back(json_escaped(frame_name(profile, profile.frames[at])));
      alike_.push_back(known.try_emplace(names_.back(), at).first->second);
    }
  }

  void print() {
    events_.begin_document(profile_.creator, profile_.command);
    print_names();
    const std::vector<Track> tracks = tracks_of(profile_, TrackBy::Tid);
    const auto sliced = std::ranges::find_if(tracks, [&](const Track& track) {
      return !profile_.events[track.event].instant;
    });  // slices of two events would overlap
    for (const Track& track : tracks) {
      if (sliced != tracks.end() && track.event == sliced->event)
        print_slices(track, usual_interval(profile_, tracks, track.event));
      else
        print_instants(track);
    }
    events_.end_document();
  }

 private:
  static void put_place(JsonLine& line, const ProfileThread& thread) {
    ChromeEvents::put_place(line, static_cast<i32>(thread.pid), static_cast<i32>(thread.tid));
  }
  void print_name(std::string_view what, const ProfileThread& thread) {
    events_.put_name(what, static_cast<i32>(thread.pid), static_cast<i32>(thread.tid), profile_.text(thread.comm));
  }
  void print_names();
  struct Slice {
    u32 frame = 0;
    u64 begin = 0, end = 0;  // ns
  };
  void print_slices(const Track& track, u64 interval);
  std::vector<Slice> slices_of(const Track& track, u64 interval) const;
  void print_instants(const Track& track);

  ChromeEvents events_;
  const Profile& profile_;
  std::vector<std::string> names_;  // by frame, escaped
  std::vector<u32> alike_;          // by frame: the first frame with the same name
};

// Viewers show the last name that they read: for a thread its last comm, and for a process the comm of its main thread,
// or of its first thread if the main thread has no samples.
void ChromePrinter::print_names() {
  std::set<u32> processes;
  for (const ProfileThread& thread : profile_.threads) {
    if (thread.pid == thread.tid || processes.insert(thread.pid).second) {
      processes.insert(thread.pid);
      print_name("process_name", thread);
    }
    print_name("thread_name", thread);
  }
}

// Writes complete events ("X"), callers before callees. Chrome's reader would pair separate begin and end events across
// threads.
void ChromePrinter::print_slices(const Track& track, u64 interval) {
  const ProfileThread& thread = profile_.threads[track.thread];
  const std::string category = json_escaped(profile_.events[track.event].name);
  for (const Slice& slice : slices_of(track, interval)) {
    JsonLine line = events_.begin("X");
    line.escaped_string("name", names_[slice.frame]);
    line.escaped_string("cat", category);
    put_place(line, thread);
    events_.put_time(line, "ts", slice.begin);
    events_.put_time(line, "dur", slice.end - slice.begin);
    events_.end("}");
  }
}

std::vector<ChromePrinter::Slice> ChromePrinter::slices_of(const Track& track, u64 interval) const {
  std::vector<Slice> slices;
  std::vector<std::size_t> open;
  for_each_edge(profile_, track, interval, alike_, [&](const FrameEdge& edge) {
    if (edge.begins) {
      open.push_back(slices.size());
      slices.push_back({edge.frame, edge.time, edge.time});
      return;
    }
    slices[open.back()].end = edge.time;
    open.pop_back();
  });
  // Readers add start and duration in floating point, so a slice could end after its caller. A slice that ends with its
  // caller therefore ends 1 ns earlier.
  std::vector<u64> ends;
  for (Slice& slice : slices) {
    while (!ends.empty() && ends.back() <= slice.begin) ends.pop_back();
    if (!ends.empty()) slice.end = std::clamp(ends.back() - 1, slice.begin + 1, std::max(slice.end, slice.begin + 1));
    ends.push_back(slice.end);
  }
  return slices;
}

void ChromePrinter::print_instants(const Track& track) {
  const ProfileThread& thread = profile_.threads[track.thread];
  const std::string name = json_escaped(profile_.events[track.event].name);
  for (const u32 at : track.samples) {
    const ProfileSample& sample = profile_.samples[at];
    JsonLine line = events_.begin("i");
    line.escaped_string("s", "t");
    line.escaped_string("name", name);
    line.escaped_string("cat", "event");
    put_place(line, thread);
    events_.put_time(line, "ts", sample.time);
    line.raw("args", "{");
    if (sample.fields.valid()) line.string("fields", profile_.text(sample.fields));
    line.raw("stack", "[");
    for (ChainId stack = sample.stack; stack != kRootChain; stack = profile_.stacks.parent(stack))
      line.escaped_element(names_[profile_.stacks.frame(stack).value]);
    events_.end("]}}");
  }
}

}  // namespace

void print_chrome_trace(Sink& out, const Profile& profile) { ChromePrinter(out, profile).print(); }

}  // namespace peregrine
