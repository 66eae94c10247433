// ProfileWords: profiles written as text, for tests of the formats of profile viewers.
//
//   ProfileWords words;
//   words.sample(words.thread("load", 7, 8), {"main@main.c:12", "i:min", "k:sys_read", "?"}, 250);
//
// A frame, outermost first: "name", "name@FILE:LINE", "k:name" for the kernel, "j:name" for JIT-compiled code,
// "i:name" inlined into its caller, or "?" without a symbol.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/profile/profile.h"
#include "base/types.h"

namespace peregrine::support {

class ProfileWords {
 public:
  ProfileWords() {
    profile.dsos = {{.name = "prog", .path = "/opt/prog", .build_id = "00ff"},
                    {.name = "[kernel.kallsyms]", .path = "[kernel.kallsyms]", .build_id = ""}};
    profile.events = {{.name = "cpu-clock", .nanoseconds = true, .instant = false, .samples = 0, .period = 0}};
    profile.creator = "test";
  }
  u32 thread(std::string_view comm, u32 pid, u32 tid) {
    profile.threads.push_back({.pid = pid, .tid = tid, .comm = profile.texts.intern(comm)});
    return static_cast<u32>(profile.threads.size() - 1);
  }
  void sample(u32 thread, const std::vector<std::string_view>& stack, u64 period, u64 time = 0, u32 event = 0) {
    std::vector<HistFrameId> frames;
    for (const std::string_view word : stack) frames.push_back(frame(word));
    profile.timed = profile.timed || time != 0;
    profile.samples.push_back({.time = time,
                               .period = period,
                               .samples = 1,
                               .event = event,
                               .thread = thread,
                               .stack = profile.stacks.insert(frames)});
    ++profile.events[event].samples;
    profile.events[event].period += period;
  }
  Profile profile;

 private:
  HistFrameId frame(std::string_view word) {
    ProfileFrame made;
    made.kernel = word.starts_with("k:");
    made.inlined = word.starts_with("i:");
    made.jit = word.starts_with("j:");
    if (made.kernel) made.dso = 1;
    if (made.kernel || made.inlined || made.jit) word.remove_prefix(2);
    if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
      const std::size_t colon = word.rfind(':');
      made.file = profile.texts.intern(word.substr(at + 1, colon - at - 1));
      made.line = static_cast<u32>(std::stoul(std::string(word.substr(colon + 1))));
      word = word.substr(0, at);
    }
    if (word != "?") made.symbol = profile.texts.intern(word);
    const auto known = std::ranges::find(profile.frames, made);
    if (known == profile.frames.end()) profile.frames.push_back(made);
    return HistFrameId(static_cast<u32>(std::ranges::find(profile.frames, made) - profile.frames.begin()));
  }
};

}  // namespace peregrine::support
