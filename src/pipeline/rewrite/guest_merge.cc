#include "pipeline/rewrite/guest_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_places.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/session_record.h"
#include "abi/trailer_end.h"
#include "base/bytes.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine {
namespace {

using abi::RecordType;
namespace place = abi::record_place;
namespace flag = abi::attr_flag;

constexpr std::string_view kKernelPrefix = "[kernel.kallsyms]";

// The record types that linux-perf copies from the guest's recording.
bool is_merged(RecordType type) {
  switch (type) {
    case RecordType::Mmap:
    case RecordType::Mmap2:
    case RecordType::Comm:
    case RecordType::Fork:
    case RecordType::Exit:
    case RecordType::Switch:
    case RecordType::SwitchCpuWide:
    case RecordType::Ksymbol:
    case RecordType::TextPoke:
      return true;
    default:
      return false;
  }
}

// COMM records do not say whether a thread is the kernel's, so they become records of guest user space.
u16 mode_of_guest(const abi::RecordView& record) {
  const bool kernel = record.cpumode() == abi::misc_bit::Kernel || record.type == RecordType::Ksymbol ||
                      record.type == RecordType::TextPoke;
  const u16 mode = kernel ? abi::misc_bit::GuestKernel : abi::misc_bit::GuestUser;
  return static_cast<u16>((record.misc & ~abi::misc_bit::CpumodeMask) | mode);
}

std::string guest_kernel_name(std::string_view name, u32 pid) {
  return fmt::format("[guest.kernel.kallsyms.{}]{}", pid, name.substr(kKernelPrefix.size()));
}

// Parses the number in "CPU 3/KVM", QEMU's name for the thread that runs a guest's CPU.
std::optional<u32> guest_cpu_of(std::string_view comm) {
  constexpr std::string_view kCpuName = "CPU ", kOfKvm = "/KVM";
  if (!comm.starts_with(kCpuName)) return std::nullopt;
  std::string_view rest = comm.substr(kCpuName.size());
  const auto cpu = take_number<u32>(rest);
  return rest == kOfKvm ? cpu : std::nullopt;
}

bool tells_of_tasks(const abi::EventAttr& attr) {
  constexpr u64 kTold =
      flag::Mmap | flag::Mmap2 | flag::Comm | flag::Task | flag::ContextSwitch | flag::Ksymbol | flag::TextPoke;
  return (attr.flags & kTold) != 0;
}

Result<> check_ids(const data::Reader& reader) {
  if (reader.evlist().empty()) return fail(ErrorKind::Malformed, "{}: no events", reader.path());
  for (const data::Event& event : reader.evlist()) {
    if (event.attr.samples(abi::sample_bit::Identifier) && event.attr.has(flag::SampleIdAll) && !event.ids.empty())
      continue;
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("{}: records have no event ID", reader.path())}.with_hint(
            "record host and guest with --sample-identifier"));
  }
  return {};
}

// A recording's clock conversion and the CPUs of its event ids, read in a separate pass before the merge needs them.
struct Session {
  std::optional<abi::TimeConvRecord> clock;
  std::map<u64, abi::IdIndexRecord::Entry> ids;
};

Result<Session> read_session(const data::Reader& reader) {
  Session session;
  auto second = reader.open_again();
  if (!second) return std::unexpected(std::move(second.error()));
  abi::RecordView record;
  for (;;) {
    const auto more = second->next(record);
    if (!more || !*more) return session;
    if (record.type != RecordType::TimeConv && record.type != RecordType::IdIndex) continue;
    const auto decoded = abi::decode_session_record(record);
    if (!decoded || !*decoded) continue;
    if (const auto* clock = std::get_if<abi::TimeConvRecord>(&**decoded)) session.clock = *clock;
    if (const auto* index = std::get_if<abi::IdIndexRecord>(&**decoded))
      for (const auto& entry : index->entries) session.ids.try_emplace(entry.id, entry);
  }
}

}  // namespace

Result<GuestMerge> GuestMerge::begin(data::Reader& host, data::Reader& guest, const GuestMergeOptions& options) {
  for (const data::Reader* reader : {&host, &guest}) {
    if (reader->header().layout == data::Layout::Pipe)
      return fail(ErrorKind::Unsupported, "{}: cannot merge guest data into a pipe: save it to a file first",
                  reader->path());
    PEREGRINE_TRY(check_ids(*reader));
  }
  if (host.header().order != guest.header().order)
    return fail(ErrorKind::Unsupported, "{}: byte order differs from the host recording", guest.path());
  const auto hosts = read_session(host), guests = read_session(guest);
  for (const auto* session : {&hosts, &guests})
    if (!*session) return std::unexpected(session->error());
  GuestMerge merge(
      host, guest, options.pid,
      {.guest = guests->clock, .host = hosts->clock, .offset = options.time_offset, .scale = options.time_scale});
  PEREGRINE_TRY(merge.add_events());
  for (auto& [old, id] : merge.ids_) {
    const auto entry = guests->ids.find(old);
    if (entry == guests->ids.end()) continue;
    id.index = entry->second.index;
    id.cpu = entry->second.cpu;
    id.tid = entry->second.tid;
  }
  merge.order_ = std::make_unique<data::Order>(guest);
  return merge;
}

// Adds the guest's events, with ids above all of the host's so that none clash.
Result<> GuestMerge::add_events() {
  u64 id = 0;
  for (const data::Event& event : host_->evlist())
    for (const u64 known : event.ids) id = std::max(id, known);
  if (id > ~u64{0} / 2) return fail(ErrorKind::Malformed, "{}: an event has the invalid id {:#x}", host_->path(), id);
  for (const data::Event& event : guest_->evlist()) {
    if (!tells_of_tasks(event.attr)) continue;
    data::Event added;
    added.attr = event.attr;
    added.name = event.name;
    added.unit = event.unit;
    added.scale = event.scale;
    for (const u64 old : event.ids) {
      added.ids.push_back(++id);
      ids_[old].id = id;
    }
    host_->evlist().add(std::move(added));
  }
  return {};
}

std::vector<std::byte> GuestMerge::id_index() const {
  constexpr std::size_t kMostEntries = 1024;
  ByteWriter out(host_->header().order);
  for (auto first = ids_.begin(); first != ids_.end();) {
    auto last = first;
    std::size_t count = 0;
    for (; last != ids_.end() && count < kMostEntries; ++last) ++count;
    out.put32(static_cast<u32>(RecordType::IdIndex)).put16(0).put16(static_cast<u16>(16 + 48 * count)).put64(count);
    for (auto entry = first; entry != last; ++entry)
      out.put64(entry->second.id).put64(entry->second.index).put64(entry->second.cpu).put64(entry->second.tid);
    for (auto entry = first; entry != last; ++entry) out.put64(pid_).put64(entry->second.cpu);
    first = last;
  }
  return out.take();
}

// A guest's CPU is a thread of QEMU, which moves between the host's CPUs. Each host record shows where its thread
// runs:
//
//   COMM "CPU n/KVM" ─▶ cpu_threads_: tid ─▶ n          any record of that tid ─▶ host_cpus_: n ─▶ host CPU now
void GuestMerge::learn(const abi::RecordView& record) {
  if (record.type >= RecordType::UserTypeStart) return;
  const data::Evlist& events = host_->evlist();
  u32 tid = 0, cpu = 0;
  if (record.type == RecordType::Sample) {
    const u32 event = events.event_of(record);
    if (event == data::kNoEvent || cpu_threads_.empty()) return;
    const abi::SampleOffsets& at = events.decoder(event).offsets();
    if (at.tid == abi::kAbsent || at.cpu == abi::kAbsent || record.bytes.size() < at.cpu + std::size_t{8}) return;
    tid = load<u32>(record.bytes.data() + at.tid + 4, record.order);
    cpu = load<u32>(record.bytes.data() + at.cpu, record.order);
  } else {
    const abi::EventAttr& attr = events.attr_of(record);
    if (record.type == RecordType::Comm) {
      const auto decoded = abi::decode_side_band(record, attr, scratch_);
      const auto* comm = decoded && *decoded ? std::get_if<abi::CommRecord>(&(*decoded)->body) : nullptr;
      const auto number = comm != nullptr && comm->pid == pid_ ? guest_cpu_of(comm->comm) : std::nullopt;
      if (number) cpu_threads_[comm->tid] = *number;
      return;
    }
    if (!attr.samples(abi::sample_bit::Cpu) || cpu_threads_.empty()) return;
    const abi::SampleId id = abi::decode_sample_id(record, attr);
    tid = id.tid;
    cpu = id.cpu;
  }
  if (const auto thread = cpu_threads_.find(tid); thread != cpu_threads_.end()) host_cpus_[thread->second] = cpu;
}

u32 GuestMerge::host_cpu(u64 guest_cpu) const {
  const auto known = host_cpus_.find(guest_cpu);
  return known == host_cpus_.end() ? ~0u : known->second;
}

// Moves to the next guest record to copy. Returns false at the end of the recording.
Result<bool> GuestMerge::advance() {
  record_.clear();
  while (record_.empty()) {
    if (next_ >= order_->batch().size()) {
      const auto more = order_->next();
      if (!more) return std::unexpected(more.error());
      if (!*more) return false;
      next_ = 0;
      continue;
    }
    const abi::RecordView record = order_->batch().view(next_++);
    if (record.type == RecordType::Sample) ++samples_;
    if (is_merged(record.type)) convert(record);
  }
  return true;
}

void GuestMerge::convert(const abi::RecordView& record) {
  const data::Evlist& events = guest_->evlist();
  const abi::EventAttr& attr = events.attr_of(record);
  const auto decoded = abi::decode_side_band(record, attr, scratch_);
  const u32 size = abi::sample_id_size(attr);
  if (!decoded || !*decoded || record.bytes.size() < abi::kRecordHeaderSize + size) {
    ++unreadable_;
    return;
  }
  // Records that the recorder synthesized for running processes carry id 0 and belong to the first event.
  auto id = ids_.find((*decoded)->id.id);
  if ((*decoded)->id.id == 0 && id == ids_.end()) id = ids_.find(events[0].ids.front());
  if (id == ids_.end()) {
    ++unreadable_;
    return;
  }
  Bytes body = record.bytes.first(abi::trailer_end(record, size) - size);
  ByteWriter out(record.order);
  const auto* map = std::get_if<abi::MmapRecord>(&(*decoded)->body);
  if (map != nullptr && record.cpumode() == abi::misc_bit::Kernel) {
    const std::size_t name_at = map->version2 ? place::kMmap2Name : place::kMmapName;
    const std::string name =
        map->filename.starts_with(kKernelPrefix) ? guest_kernel_name(map->filename, pid_) : std::string(map->filename);
    out.append(body.first(name_at)).append(name).zeros(1).align(8);
    out.patch(place::kMapPid, pid_);
  } else {
    out.append(body);
  }
  if (record.type == RecordType::Fork || record.type == RecordType::Exit)
    out.patch(place::kTaskTime, clock_.host_time(load<u64>(body.data() + place::kTaskTime, record.order)));
  abi::SampleId trailer = (*decoded)->id;
  const u64 guest_cpu = id->second.cpu == ~u64{0} || id->second.cpu == ~u32{0} ? trailer.cpu : id->second.cpu;
  trailer.id = id->second.id;
  trailer.time = clock_.host_time(trailer.time);
  trailer.cpu = host_cpu(guest_cpu);
  abi::encode_sample_id(trailer, attr, out);
  constexpr std::size_t kMiscAt = 4, kSizeAt = 6;
  if (out.size() > 0xffff) {
    ++unreadable_;
    return;
  }
  out.patch(kMiscAt, mode_of_guest(record));
  out.patch(kSizeAt, static_cast<u16>(out.size()));
  record_ = out.take();
  record_time_ = trailer.time;
}

Result<> GuestMerge::take_until(u64 time, std::vector<std::byte>& out) {
  for (;;) {
    if (record_.empty()) {
      const auto more = advance();
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
    }
    // The converted record waits here until the host's records have reached its time.
    if (record_time_ > time) return {};
    out.insert(out.end(), record_.begin(), record_.end());
    record_.clear();
  }
}

std::vector<data::BuildIdEntry> GuestMerge::build_ids() const {
  auto entries = guest_->header().features.build_ids.value_or(std::vector<data::BuildIdEntry>());
  for (data::BuildIdEntry& entry : entries) {
    const bool kernel = (entry.misc & abi::misc_bit::CpumodeMask) == abi::misc_bit::Kernel;
    entry.misc = static_cast<u16>((entry.misc & ~abi::misc_bit::CpumodeMask) |
                                  (kernel ? abi::misc_bit::GuestKernel : abi::misc_bit::GuestUser));
    entry.pid = static_cast<i32>(pid_);
    if (entry.name.starts_with(kKernelPrefix)) entry.name = guest_kernel_name(entry.name, pid_);
  }
  return entries;
}

std::vector<std::string> GuestMerge::notes() const {
  std::vector<std::string> notes;
  if (samples_ != 0)
    notes.push_back(
        fmt::format("{} of the guest omitted: only side-band records are merged", counted(samples_, "sample")));
  if (unreadable_ != 0)
    notes.push_back(fmt::format("{} of the guest could not be decoded", counted(unreadable_, "record")));
  if (cpu_threads_.empty())
    notes.push_back(fmt::format(
        "process {} has no threads named 'CPU n/KVM' (qemu -name debug-threads=on): guest CPUs are unknown", pid_));
  return notes;
}

}  // namespace peregrine
