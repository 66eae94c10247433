#include "analysis/profile/profile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "abi/attr.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/picture/stack_table.h"
#include "analysis/hist/row/row_table.h"
#include "base/number/parse_number.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"

namespace peregrine {
namespace {

std::string_view last_part(std::string_view path) {
  if (path.starts_with('[')) return path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

// Splits "/usr/src/main.c:12" into file and line; false for the placeholder of an unknown line.
bool split_line(std::string_view text, std::string_view& file, u32& line) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.starts_with("??")) return false;
  file = text.substr(0, colon);
  line = parse_number<u32>(text.substr(colon + 1)).value_or(0);
  return line != 0;
}

bool counts_nanoseconds(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Software) &&
         (attr.config == static_cast<u64>(abi::SoftwareEvent::CpuClock) ||
          attr.config == static_cast<u64>(abi::SoftwareEvent::TaskClock));
}

class ProfileMaker {
 public:
  ProfileMaker(const Hists& hists, const Machine& machine, const SourceTable* sources, const ProfileRequest& request)
      : hists_(hists), machine_(machine), naming_(machine, false, sources, request.traces), request_(request) {}

  Profile make() {
    profile_.timed = request_.timed;
    add_events();
    const std::vector<HistFrameId> frames = add_frames();
    const std::vector<ChainId> stacks = profile_.stacks.merge(hists_.chains(), frames);
    profile_.stacks.freeze();
    add_samples(stacks);
    return std::move(profile_);
  }

 private:
  void add_events();
  std::vector<HistFrameId> add_frames();
  ProfileFrame make_frame(const HistFrame& frame);
  u32 add_dso(u32 dso);
  void add_samples(const std::vector<ChainId>& stacks);
  void join_simultaneous();
  u32 thread_of(std::span<const u64> values);
  u32 add_thread(u32 pid, u32 tid, u64 comm);
  StringId fields_of(u32 event, std::span<const u64> values);

  const Hists& hists_;
  const Machine& machine_;
  MachineNaming naming_;
  const ProfileRequest& request_;
  Profile profile_;
  std::map<u32, u32> dsos_;                           // by DsoId
  std::map<std::tuple<u32, u32, u32>, u32> threads_;  // by pid, tid and comm
  struct KnownThread {
    u32 pid = 0, tid = 0;
    u64 comm = 0;
    u32 thread = ~0u;
  };
  std::vector<KnownThread> recent_threads_ = std::vector<KnownThread>(1024);  // by tid; newer ones replace older ones
  std::map<u64, StringId> comms_;
};

void ProfileMaker::add_events() {
  for (u32 event = 0; event < request_.event_names.size(); ++event) {
    ProfileEvent added{.name = request_.event_names[event]};
    if (request_.evlist != nullptr && event < request_.evlist->size()) {
      const abi::EventAttr& attr = (*request_.evlist)[event].attr;
      added.nanoseconds = counts_nanoseconds(attr);
      added.instant = attr.type == static_cast<u32>(abi::EventType::Tracepoint);
    }
    profile_.events.push_back(std::move(added));
  }
}

u32 ProfileMaker::add_dso(u32 dso) {
  const auto [at, fresh] = dsos_.try_emplace(dso, static_cast<u32>(profile_.dsos.size()));
  if (!fresh) return at->second;
  if (dso == HistFrame::kNone) {
    profile_.dsos.push_back({.name = "[unknown]", .path = "[unknown]", .build_id = {}});
  } else {
    const Dso& found = machine_.dsos().at(DsoId(dso));
    profile_.dsos.push_back(
        {.name = std::string(last_part(found.name)), .path = found.name, .build_id = found.build_id.hex()});
  }
  return at->second;
}

ProfileFrame ProfileMaker::make_frame(const HistFrame& frame) {
  ProfileFrame made{.dso = add_dso(frame.dso), .address = frame.address};
  made.kernel = frame.dso != HistFrame::kNone && (frame.level == 'k' || frame.level == 'g');
  made.inlined = frame.inlined != HistFrame::kNone;
  if (frame.dso != HistFrame::kNone) {
    const DsoKind kind = machine_.dsos().at(DsoId(frame.dso)).kind;
    made.jit = kind == DsoKind::Anonymous || kind == DsoKind::JitDump;
    if (frame.symbol != HistFrame::kNone) {
      const Naming::SymbolName symbol = naming_.symbol(frame.dso, frame.symbol);
      made.symbol = profile_.texts.intern(symbol.name);
      made.address = symbol.start;
    }
    if (made.inlined) made.symbol = profile_.texts.intern(naming_.source(frame.inlined));
  }
  std::string_view file;
  if (frame.line != HistFrame::kNone && split_line(naming_.source(frame.line), file, made.line))
    made.file = profile_.texts.intern(file);
  else
    made.line = 0;
  return made;
}

std::vector<HistFrameId> ProfileMaker::add_frames() {
  const auto key = [](const ProfileFrame& f) {
    return std::tuple(f.symbol, f.dso, f.address, f.file, f.line, f.kernel, f.jit, f.inlined);
  };
  std::map<decltype(key(ProfileFrame())), u32> known;
  std::vector<HistFrameId> result;
  std::vector<bool> used(hists_.frames().size());  // only frames in chains are exported
  for (u32 at = 1; at < hists_.chains().size(); ++at) used[hists_.chains().frame(ChainId(at)).value] = true;
  for (u32 at = 0; at < hists_.frames().size(); ++at) {
    if (!used[at]) {
      result.emplace_back();
      continue;
    }
    const ProfileFrame frame = make_frame(hists_.frames()[HistFrameId(at)]);
    const auto [place, fresh] = known.try_emplace(key(frame), static_cast<u32>(profile_.frames.size()));
    if (fresh) profile_.frames.push_back(frame);
    result.push_back(HistFrameId(place->second));
  }
  return result;
}

u32 ProfileMaker::thread_of(std::span<const u64> values) {
  const auto value = [&](SortKey key) { return values[static_cast<std::size_t>(group_column(request_.keys, key))]; };
  const u32 pid = static_cast<u32>(values.back()), tid = static_cast<u32>(value(SortKey::Pid));
  const u64 comm = value(SortKey::Comm);
  KnownThread& recent = recent_threads_[tid % recent_threads_.size()];
  if (recent.thread == ~0u || recent.pid != pid || recent.tid != tid || recent.comm != comm)
    recent = {.pid = pid, .tid = tid, .comm = comm, .thread = add_thread(pid, tid, comm)};
  return recent.thread;
}

u32 ProfileMaker::add_thread(u32 pid, u32 tid, u64 comm) {
  const auto [name, fresh_name] = comms_.try_emplace(comm);
  if (fresh_name) name->second = profile_.texts.intern(naming_.text(SortKey::Comm, comm));
  const auto [at, fresh] =
      threads_.try_emplace({pid, tid, name->second.value}, static_cast<u32>(profile_.threads.size()));
  if (fresh) profile_.threads.push_back({.pid = pid, .tid = tid, .comm = name->second});
  return at->second;
}

StringId ProfileMaker::fields_of(u32 event, std::span<const u64> values) {
  if (request_.traces == nullptr || !profile_.events[event].instant) return {};
  const u64 text = values[static_cast<std::size_t>(group_column(request_.keys, SortKey::Trace))];
  return profile_.texts.intern(request_.traces->text(static_cast<u32>(text)));
}

void ProfileMaker::add_samples(const std::vector<ChainId>& stacks) {
  // All that decides the order, beside each other: looking up times while sorting would take twice as long.
  struct Place {
    u64 time;
    u32 first;
    ChainId stack;
    u32 group;
    u32 entry;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> order;
  order.reserve(hists_.entries().size());
  const auto time_column = static_cast<std::size_t>(std::max(0, group_column(request_.keys, SortKey::Time)));
  for (u32 at = 0; at < hists_.entries().size(); ++at) {
    const HistEntry& entry = hists_.entries()[at];
    const u64 time = request_.timed ? hists_.groups()[GroupId(entry.group)][time_column] : 0;
    order.push_back({time, entry.first, stacks[entry.chain], entry.group, at});
  }
  std::ranges::sort(order);
  profile_.samples.reserve(order.size());
  for (const Place& place : order) {
    const HistEntry& entry = hists_.entries()[place.entry];
    const std::span<const u64> values = hists_.groups()[GroupId(entry.group)];
    const u32 event = static_cast<u32>(values[0]);
    while (event >= profile_.events.size()) profile_.events.push_back({.name = "unknown"});
    profile_.samples.push_back({.time = place.time,
                                .period = entry.period,
                                .samples = entry.samples,
                                .event = event,
                                .thread = thread_of(values),
                                .stack = place.stack,
                                .fields = fields_of(event, values)});
    profile_.events[event].samples += entry.samples;
    profile_.events[event].period += entry.period;
  }
  if (request_.timed) join_simultaneous();
}

// Joins samples of the same time, event, thread and stack with the first of them: where times are kept, collecting
// joins only some.
void ProfileMaker::join_simultaneous() {
  std::vector<ProfileSample>& samples = profile_.samples;
  const auto place = [&](u32 at) {
    const ProfileSample& one = samples[at];
    return std::tuple(one.event, one.thread, one.stack, one.fields);
  };
  std::vector<u32> alike;
  for (std::size_t first = 0, end = 0; first < samples.size(); first = end) {
    for (end = first + 1; end < samples.size() && samples[end].time == samples[first].time;) ++end;
    if (end - first == 1) continue;
    alike.resize(end - first);
    std::iota(alike.begin(), alike.end(), static_cast<u32>(first));
    std::ranges::sort(alike, {}, [&](u32 at) { return std::pair(place(at), at); });
    u32 kept = alike.front();
    for (const u32 at : alike | std::views::drop(1)) {
      if (place(at) != place(kept)) {
        kept = at;
        continue;
      }
      samples[kept].samples += samples[at].samples;
      samples[kept].period += samples[at].period;
      samples[at].samples = 0;
    }
  }
  std::erase_if(samples, [](const ProfileSample& sample) { return sample.samples == 0; });
}

}  // namespace

std::vector<SortKey> profile_keys(bool timed, bool traced) {
  std::vector<SortKey> keys{SortKey::Comm, SortKey::Pid};
  if (timed) keys.push_back(SortKey::Time);
  if (traced) keys.push_back(SortKey::Trace);
  return keys;
}

Profile make_profile(const Hists& hists, const Machine& machine, const SourceTable* sources,
                     const ProfileRequest& request) {
  return ProfileMaker(hists, machine, sources, request).make();
}

std::string frame_name(const Profile& profile, const ProfileFrame& frame) {
  if (frame.symbol.valid()) return std::string(profile.texts.view(frame.symbol));
  return unresolved_name(profile.dsos[frame.dso].name);
}

}  // namespace peregrine
