#include "output/profile/chrome.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/profile/tracks.h"
#include "output/json/json_text.h"

namespace peregrine {
namespace {

class ChromePrinter {
 public:
  ChromePrinter(Sink& out, const Profile& profile) : out_(out), profile_(profile) {
    std::unordered_map<std::string, u32> known;
    for (u32 at = 0; at < profile.frames.size(); ++at) {
      names_.push_back(json_escaped(frame_name(profile, profile.frames[at])));
      alike_.push_back(known.try_emplace(names_.back(), at).first->second);
    }
  }

  void print() {
    out_.append("{\"displayTimeUnit\":\"ns\",\"otherData\":{");
    out_.format("\"creator\":\"{}\",\"command\":\"{}\"}},\n\"traceEvents\":[", json_escaped(profile_.creator),
                json_escaped(profile_.command));
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
    out_.append("\n]}\n");
  }

 private:
  void begin() {
    out_.append(first_ ? "\n" : ",\n");
    first_ = false;
  }
  void time(u64 ns) { out_.decimal(ns / 1000).append('.').decimal(ns % 1000, 3, '0'); }
  void place(const ProfileThread& thread) {
    out_.format(",\"pid\":{},\"tid\":{}", static_cast<i32>(thread.pid), static_cast<i32>(thread.tid));
  }
  void print_names();
  struct Slice {
    u32 frame = 0;
    u64 begin = 0, end = 0;  // ns
  };
  void print_slices(const Track& track, u64 interval);
  std::vector<Slice> slices_of(const Track& track, u64 interval) const;
  void print_instants(const Track& track);

  Sink& out_;
  const Profile& profile_;
  std::vector<std::string> names_;  // by frame, escaped
  std::vector<u32> alike_;          // by frame: the first frame with the same name
  bool first_ = true;
};

// Viewers show the last name that they read: a thread's last comm, and for a process the comm of its main thread, or of
// its first thread if there are no samples of the main thread.
void ChromePrinter::print_names() {
  std::set<u32> processes;
  for (const ProfileThread& thread : profile_.threads) {
    const std::string name = json_escaped(profile_.text(thread.comm));
    if (thread.pid == thread.tid || processes.insert(thread.pid).second) {
      processes.insert(thread.pid);
      begin();
      out_.append("{\"ph\":\"M\",\"name\":\"process_name\"");
      place(thread);
      out_.format(",\"args\":{{\"name\":\"{}\"}}}}", name);
    }
    begin();
    out_.append("{\"ph\":\"M\",\"name\":\"thread_name\"");
    place(thread);
    out_.format(",\"args\":{{\"name\":\"{}\"}}}}", name);
  }
}

// Writes complete events ("X"), callers before callees. Chrome's reader would pair separate begin and end events across
// threads.
void ChromePrinter::print_slices(const Track& track, u64 interval) {
  const ProfileThread& thread = profile_.threads[track.thread];
  const std::string category = json_escaped(profile_.events[track.event].name);
  for (const Slice& slice : slices_of(track, interval)) {
    begin();
    out_.append("{\"ph\":\"X\",\"name\":\"").append(names_[slice.frame]);
    out_.append("\",\"cat\":\"").append(category).append('"');
    place(thread);
    out_.append(",\"ts\":");
    time(slice.begin);
    out_.append(",\"dur\":");
    time(slice.end - slice.begin);
    out_.append('}');
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
    begin();
    out_.format("{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"{}\",\"cat\":\"event\"", name);
    place(thread);
    out_.append(",\"ts\":");
    time(sample.time);
    out_.append(",\"args\":{");
    if (sample.fields.valid()) out_.format("\"fields\":\"{}\",", json_escaped(profile_.text(sample.fields)));
    out_.append("\"stack\":[");
    for (ChainId stack = sample.stack; stack != kRootChain; stack = profile_.stacks.parent(stack)) {
      if (stack != sample.stack) out_.append(',');
      out_.append('"').append(names_[profile_.stacks.frame(stack).value]).append('"');
    }
    out_.append("]}}");
  }
}

}  // namespace

void print_chrome_trace(Sink& out, const Profile& profile) { ChromePrinter(out, profile).print(); }

}  // namespace peregrine
