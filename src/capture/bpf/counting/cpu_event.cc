#include "capture/bpf/counting/cpu_event.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <string_view>
#include <tuple>
#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {
namespace {

constexpr char kMapName[] = "shared_events";  // map ids are recycled: the name identifies ours
constexpr u32 kKeySize = std::tuple_size_v<SharedEventKey>;
constexpr u32 kMostEvents = 256;  // of all sessions together
// The attr without a session's own settings, so that all sessions that count this event compare equal.
abi::EventAttr plain_attr(abi::EventAttr attr) {
  namespace flag = abi::attr_flag;
  for (const u64 bit : {flag::Disabled, flag::EnableOnExec, flag::Inherit, flag::InheritStat}) attr.set(bit, false);
  attr.read_format = abi::read_bit::TotalTimeEnabled | abi::read_bit::TotalTimeRunning;
  attr.sample_type = 0;
  attr.sample_period = 0;
  attr.size = kKeySize;
  attr.unknown_tail.clear();
  return attr;
}

// Opens the registry; creates and pins it if it does not exist.
Result<Fd> open_registry(const std::string& path) {
  if (const int found = bpf_obj_get(path.c_str()); found >= 0) return Fd(found);
  if (errno != ENOENT) return fail_errno(path);
  const int made = bpf_map_create(BPF_MAP_TYPE_HASH, "perf_events", kKeySize, sizeof(u32), kMostEvents, nullptr);
  if (made < 0) return fail_errno("cannot create a BPF map", -made);
  Fd registry(made);
  if (bpf_obj_pin(registry.get(), path.c_str()) == 0) return registry;
  if (errno != EEXIST) return fail_errno(path);
  const int other = bpf_obj_get(path.c_str());  // another session was faster
  if (other < 0) return fail_errno(path);
  return Fd(other);
}

// Returns the map with that id if it is a map of counters.
Fd counters_with_number(u32 number) {
  Fd map(bpf_map_get_fd_by_id(number));
  bpf_map_info description{};
  u32 size = sizeof description;
  if (!map || bpf_obj_get_info_by_fd(map.get(), &description, &size) != 0) return {};
  const bool ours = description.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && std::string_view(description.name) == kMapName;
  return ours ? std::move(map) : Fd();
}

Result<Fd> open_counters(const EventSpec& spec, const abi::EventAttr& attr, const CpuList& cpus) {
  bpf_map_create_opts options{};
  options.sz = sizeof options;
  options.map_flags = BPF_F_PRESERVE_ELEMS;
  const auto possible = static_cast<u32>(std::max(libbpf_num_possible_cpus(), 1));
  const int made =
      bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, kMapName, sizeof(u32), sizeof(u32), possible, &options);
  if (made < 0) return fail_errno("cannot create a BPF map", -made);
  Fd map(made);
  for (const int cpu : cpus) {
    const int opened = open_event(attr, -1, cpu, -1);
    if (opened < 0) return fail_errno(fmt::format("cannot open {} on CPU {}", spec.name, cpu), -opened);
    const Fd event(opened);
    if (bpf_map_update_elem(map.get(), &cpu, &opened, BPF_ANY) != 0)
      return fail_errno(fmt::format("{} cannot be read by BPF programs", spec.name));
  }
  return map;
}

u32 number_of(const Fd& map) {
  bpf_map_info description{};
  u32 size = sizeof description;
  return bpf_obj_get_info_by_fd(map.get(), &description, &size) == 0 ? description.id : 0;
}

}  // namespace

SharedEventKey shared_event_key(const abi::EventAttr& attr) {
  ByteWriter out;
  abi::encode_attr(plain_attr(attr), out);
  const Bytes bytes = out.bytes();
  SharedEventKey key{};
  std::ranges::copy(bytes.first(std::min(bytes.size(), key.size())), key.begin());
  return key;
}

Result<CpuEvent> CpuEvent::open(const EventSpec& spec, const CpuList& cpus, const std::string& registry,
                                std::string& unshared) {
  CpuEvent event;
  abi::EventAttr attr = plain_attr(spec.attr);
  const SharedEventKey key = shared_event_key(spec.attr);
  attr.size = abi::written_size(attr);
  Fd registered;
  if (!registry.empty()) {
    auto opened = open_registry(registry);
    if (!opened) unshared = opened.error().message;
    if (opened) registered = std::move(*opened);
  }
  u32 number = 0;
  if (registered && bpf_map_lookup_elem(registered.get(), key.data(), &number) == 0) {
    event.map_ = counters_with_number(number);
    event.found_ = bool(event.map_);
    if (event.found_) return event;
  }
  auto counters = open_counters(spec, attr, cpus);
  if (!counters) return std::unexpected(std::move(counters.error()));
  event.map_ = std::move(*counters);
  number = number_of(event.map_);
  // Two sessions that start at the same time may both get here: each then has its own counters, and the next session
  // uses the later ones.
  if (registered && number != 0 && bpf_map_update_elem(registered.get(), key.data(), &number, BPF_ANY) != 0)
    unshared = fmt::format("{}: {}", registry, std::strerror(errno));
  return event;
}

}  // namespace peregrine
