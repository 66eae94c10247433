// Tracks: the samples of a profile by event and thread, each in order of time, and how long each of them stands for.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "analysis/profile/profile.h"

namespace peregrine {

struct Track {
  u32 event = 0, thread = 0;
  std::vector<u32> samples;  // indices in Profile::samples
};

enum class TrackBy : u8 { Name, Tid };  // Tid: under all its names, which Track::thread has the first of

// By event, then by the first sample of the thread.
std::vector<Track> tracks_of(const Profile& profile, TrackBy by = TrackBy::Name);

// ns that a sample of that event stands for, where its period does not tell: the median distance of two samples of one
// thread; 0 when there are none.
u64 usual_interval(const Profile& profile, const std::vector<Track>& tracks, u32 event);

// A frame that was there from one sample of a thread to another without a break begins or ends.
struct FrameEdge {
  bool begins = false;
  u32 frame = 0;  // index in Profile::frames
  u64 time = 0;   // ns
};
// The edges of a track in order of time, callees end before their callers. What begins where something ends does so 1
// ns later, and no frame ends when it begins: readers that order edges by time alone nest them right. `interval`: of
// the event. `alike`, by frame: the one that stands for all that look like it.
void for_each_edge(const Profile& profile, const Track& track, u64 interval, std::span<const u32> alike,
                   const std::function<void(const FrameEdge&)>& take);

}  // namespace peregrine
