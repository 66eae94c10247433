#include "analysis/profile/tracks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "analysis/hist/chain/chain_tree.h"
#include "base/types.h"

namespace peregrine {

std::vector<Track> tracks_of(const Profile& profile, TrackBy by) {
  std::vector<u32> key(profile.threads.size());  // by thread: the first thread on the same track
  std::map<std::pair<u32, u32>, u32> first_of_tid;
  for (u32 at = 0; at < key.size(); ++at) {
    const ProfileThread& thread = profile.threads[at];
    key[at] = by == TrackBy::Name ? at : first_of_tid.try_emplace({thread.pid, thread.tid}, at).first->second;
  }
  std::vector<Track> tracks;
  std::map<std::pair<u32, u32>, std::size_t> known;
  for (u32 at = 0; at < profile.samples.size(); ++at) {
    const ProfileSample& sample = profile.samples[at];
    const u32 thread = key[sample.thread];
    const auto [place, fresh] = known.try_emplace({sample.event, thread}, tracks.size());
    if (fresh) tracks.push_back({.event = sample.event, .thread = thread, .samples = {}});
    tracks[place->second].samples.push_back(at);
  }
  std::ranges::stable_sort(tracks, {}, &Track::event);
  return tracks;
}

u64 usual_interval(const Profile& profile, const std::vector<Track>& tracks, u32 event) {
  std::vector<u64> distances;
  for (const Track& track : tracks) {
    if (track.event != event) continue;
    for (std::size_t at = 1; at < track.samples.size(); ++at)
      distances.push_back(profile.samples[track.samples[at]].time - profile.samples[track.samples[at - 1]].time);
  }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  return *middle;
}

namespace {

class EdgeMaker {
 public:
  EdgeMaker(const Profile& profile, std::span<const u32> alike, const std::function<void(const FrameEdge&)>& take)
      : profile_(profile), alike_(alike), take_(take) {}

  // Adds a sample that represents the interval [from, to].
  void add(ChainId stack, u64 from, u64 to, u64 most_gap) {
    const u64 begin = std::max(from, end_);
    if (begin > end_ + most_gap) end(0);  // the stack in the gap is unknown
    path_.clear();
    for (ChainId at = stack; at != kRootChain; at = profile_.stacks.parent(at))
      path_.push_back(alike_[profile_.stacks.frame(at).value]);
    std::ranges::reverse(path_);
    std::size_t same = 0;
    while (same < open_.size() && same < path_.size() && open_[same] == path_[same]) ++same;
    const u64 turn = open_.empty() ? begin : same < open_.size() ? end_ + 1 : end_;
    end(same);
    for (std::size_t at = same; at < path_.size(); ++at) {
      open_.push_back(path_[at]);
      take_({.begins = true, .frame = path_[at], .time = turn});
    }
    end_ = std::max(turn + 1, to);
  }
  void finish() { end(0); }

 private:
  void end(std::size_t keep) {
    for (; open_.size() > keep; open_.pop_back()) take_({.begins = false, .frame = open_.back(), .time = end_});
  }
  const Profile& profile_;
  const std::span<const u32> alike_;
  const std::function<void(const FrameEdge&)>& take_;
  std::vector<u32> open_, path_;
  u64 end_ = 0;
};

}  // namespace

void for_each_edge(const Profile& profile, const Track& track, u64 interval, std::span<const u32> alike,
                   const std::function<void(const FrameEdge&)>& take) {
  EdgeMaker maker(profile, alike, take);
  const bool tells = profile.events[track.event].nanoseconds;
  for (const u32 at : track.samples) {
    const ProfileSample& sample = profile.samples[at];
    const u64 length = std::min(tells ? sample.period : interval, sample.time);
    maker.add(sample.stack, sample.time - length, sample.time, length / 2);
  }
  maker.finish();
}

}  // namespace peregrine
