// Tracks: a profile's samples by event and thread, in time order, and the duration of each.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "analysis/profile/profile.h"
#include "base/types.h"

namespace peregrine {

struct Track {
  u32 event = 0, thread = 0;
  std::vector<u32> samples;  // indices into Profile::samples
};

enum class TrackBy : u8 { Name, Tid };  // Tid: under all its names; Track::thread has the first one

// Sorted by event, then by the thread's first sample.
std::vector<Track> tracks_of(const Profile& profile, TrackBy by = TrackBy::Name);

// The ns per sample of that event, if periods do not give them: the median distance between two samples of one thread;
// 0 if unknown.
u64 usual_interval(const Profile& profile, const std::vector<Track>& tracks, u32 event);

// Begin or end of a frame's uninterrupted presence in successive samples of a thread.
struct FrameEdge {
  bool begins = false;
  u32 frame = 0;  // index in Profile::frames
  u64 time = 0;   // ns
};
// Reports a track's edges by time, callees ending before their callers. A begin at the time of an end is delayed by 1
// ns, and no frame ends when it begins, so that readers that sort only by time nest frames correctly. `interval`: the
// event's. `alike`: by frame, the representative of equal-looking frames.
void for_each_edge(const Profile& profile, const Track& track, u64 interval, std::span<const u32> alike,
                   const std::function<void(const FrameEdge&)>& take);

}  // namespace peregrine
