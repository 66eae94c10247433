#include "output/profile/gmon.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "base/bytes.h"

namespace peregrine {

namespace {

constexpr u64 kMostBins = u64{1} << 22;
constexpr u64 kMostInBin = 0xffff;

void put_bytes(Sink& out, const ByteWriter& written) {
  const Bytes bytes = written.bytes();
  out.append(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// The samples of the event in each of Profile::dsos.
std::vector<u64> samples_by_dso(const Profile& profile, u32 event) {
  std::vector<u64> samples(profile.dsos.size());
  for (const ProfileSample& sample : profile.samples) {
    if (sample.event != event || sample.stack == kRootChain) continue;
    const u32 dso = profile.frame_of(sample.stack).dso;
    if (dso < samples.size()) samples[dso] += sample.samples;
  }
  return samples;
}

struct GmonCounts {
  std::map<u64, u64> own;                    // samples by address
  std::map<std::pair<u64, u64>, u64> calls;  // samples by caller and callee
};

GmonCounts count(const Profile& profile, u32 event, u32 dso) {
  GmonCounts counts;
  std::vector<std::pair<u64, u64>> seen;
  for (const ProfileSample& sample : profile.samples) {
    if (sample.event != event || sample.stack == kRootChain) continue;
    const ProfileFrame* inner = nullptr;
    seen.clear();
    for (ChainId at = sample.stack; at != kRootChain; at = profile.stacks.parent(at)) {
      const ProfileFrame& frame = profile.frame_of(at);
      if (frame.inlined) continue;  // its caller is the function with the code
      if (inner == nullptr && frame.dso == dso) counts.own[frame.address] += sample.samples;
      if (inner != nullptr && inner->dso == dso && frame.dso == dso) {
        const std::pair call(frame.address, inner->address);
        if (std::ranges::find(seen, call) == seen.end()) counts.calls[call] += sample.samples;
        seen.push_back(call);
      }
      inner = &frame;
    }
  }
  return counts;
}

// Samples per second if periods are times, so that gprof shows seconds; else 1.
u32 rate_of(const ProfileEvent& event) {
  if (!event.nanoseconds || event.period == 0) return 1;
  const double rate = static_cast<double>(event.samples) * 1e9 / static_cast<double>(event.period);
  return static_cast<u32>(std::clamp(rate + 0.5, 1.0, 1e9));
}

void put_histogram(Sink& out, const std::map<u64, u64>& own, const ProfileEvent& event) {
  if (own.empty()) return;
  const u64 low = own.begin()->first & ~u64{15}, last = own.rbegin()->first;
  u64 step = 2;
  while ((last - low) / step >= kMostBins) step *= 2;
  const u64 bins = (last - low) / step + 1;
  u64 most = 0;
  std::vector<u64> counts(bins);
  for (const auto& [address, samples] : own) counts[(address - low) / step] += samples;
  for (const u64 samples : counts) most = std::max(most, samples);
  // Bins have 16 bits; gprof adds up several histograms.
  for (u64 done = 0; done == 0 || done < most; done += kMostInBin) {
    ByteWriter histogram;
    histogram.put8(0).put64(low).put64(low + bins * step).put32(static_cast<u32>(bins)).put32(rate_of(event));
    histogram.append(event.nanoseconds ? "seconds" : "samples").zeros(8).append(event.nanoseconds ? "s" : "#");
    for (const u64 samples : counts)
      histogram.put16(static_cast<u16>(std::min(samples > done ? samples - done : 0, kMostInBin)));
    put_bytes(out, histogram);
  }
}

}  // namespace

u64 samples_in(const Profile& profile, u32 event, u32 dso) { return samples_by_dso(profile, event)[dso]; }

std::optional<u32> most_sampled_program(const Profile& profile, u32 event) {
  const std::vector<u64> samples = samples_by_dso(profile, event);
  std::optional<u32> found;
  u64 most = 0;
  for (u32 dso = 0; dso < profile.dsos.size(); ++dso) {
    if (!profile.dsos[dso].path.starts_with('/')) continue;  // the kernel, code made at run time
    if (samples[dso] > most) {
      most = samples[dso];
      found = dso;
    }
  }
  return found;
}

void print_gmon(Sink& out, const Profile& profile, u32 event, u32 dso) {
  put_bytes(out, ByteWriter().append("gmon").put32(1).zeros(12));
  const GmonCounts counts = count(profile, event, dso);
  put_histogram(out, counts.own, profile.events[event]);
  ByteWriter arcs;
  for (const auto& [call, samples] : counts.calls)
    arcs.put8(1).put64(call.first).put64(call.second).put32(static_cast<u32>(std::min<u64>(samples, ~u32{0})));
  put_bytes(out, arcs);
}

}  // namespace peregrine
