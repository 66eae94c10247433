#include "output/text/dump/record_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <variant>

#include "abi/sample.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

i32 as_int(u32 value) { return static_cast<i32>(value); }

std::string cpu_list(std::span<const u32> cpus) {
  CpuList list;
  for (const u32 cpu : cpus) list.push_back(cpu == 0xffff ? -1 : static_cast<int>(cpu));  // -1: any CPU
  return format_cpu_list(list);
}

void describe(RecordLine& line, const abi::MmapRecord& r) {
  line.put(" {}/{}: [{}({}) @ {}", as_int(r.pid), as_int(r.tid), prefixed_hex(r.start), prefixed_hex(r.length),
           prefixed_hex(r.page_offset));
  if (!r.version2) return line.put("]: {} {}\n", r.data ? 'r' : 'x', printable(r.filename));
  if (r.has_build_id) {
    line.put(" <{}>", BuildId::from_bytes(r.build_id).hex());
  } else {
    line.put(" {:02x}:{:02x} {} {}", r.major, r.minor, r.inode, r.inode_generation);
  }
  line.put("]: {}{}{}{} {}\n", (r.protection & 1) != 0 ? 'r' : '-', (r.protection & 2) != 0 ? 'w' : '-',
           (r.protection & 4) != 0 ? 'x' : '-', (r.flags & 1) != 0 ? 's' : 'p', printable(r.filename));
}

void describe(RecordLine& line, const abi::CommRecord& r) {
  line.put("{}: {}:{}/{}\n", r.exec ? " exec" : "", printable(r.comm), as_int(r.pid), as_int(r.tid));
}

template <class Task>
  requires requires(const Task& task) { task.parent_tid; }
void describe(RecordLine& line, const Task& r) {
  line.put("({}:{}):({}:{})\n", as_int(r.pid), as_int(r.tid), as_int(r.parent_pid), as_int(r.parent_tid));
}

void describe(RecordLine& line, const abi::LostRecord& r) { line.put(" lost {}\n", r.lost); }
void describe(RecordLine& line, const abi::AuxRecord& r) {
  line.put(" offset: {} size: {} flags: {} [{}{}{}]\n", prefixed_hex(r.offset), prefixed_hex(r.size),
           prefixed_hex(r.flags), (r.flags & 1) != 0 ? "T" : "", (r.flags & 2) != 0 ? "O" : "",
           (r.flags & 4) != 0 ? "P" : "");
}

void describe(RecordLine& line, const abi::ItraceStartRecord& r) { line.put(" pid: {} tid: {}\n", r.pid, r.tid); }

void describe(RecordLine& line, const abi::SwitchRecord& r) {
  line.out += r.out ? (r.preempt ? " OUT preempt" : " OUT        ") : " IN         ";
  if (r.cpu_wide) {
    line.put("  {} pid/tid: {:>5}/{:<5}", r.out ? "next" : "prev", as_int(r.next_prev_pid), as_int(r.next_prev_tid));
  }
  line.out += '\n';
}

void describe(RecordLine& line, const abi::NamespacesRecord& r) {
  constexpr std::string_view kNames[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
  line.put(" {}/{} - nr_namespaces: {}\n\t\t[", as_int(r.pid), as_int(r.tid), r.links.size());
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    if (i != 0 && i % 4 == 0) line.out += "\n\t\t ";
    line.put("{}/{}: {}/{:#x}{}", i, i < std::size(kNames) ? kNames[i] : "unknown", r.links[i].device, r.links[i].inode,
             i + 1 == r.links.size() ? "]\n" : ", ");
  }
}

void describe(RecordLine& line, const abi::KsymbolRecord& r) {
  line.put(" addr {:x} len {} type {} flags 0x{:x} name {}\n", r.address, r.length, r.type, r.flags, printable(r.name));
}

void describe(RecordLine& line, const abi::BpfEventRecord& r) {
  line.put(" type {}, flags {}, id {}\n", r.type, r.flags, r.id);
}

void describe(RecordLine& line, const abi::CgroupRecord& r) { line.put(" cgroup: {} {}\n", r.id, printable(r.path)); }

// Prints sixteen bytes per line, with the title on each line.
void put_poked_bytes(RecordLine& line, std::string_view title, Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 16 == 0) line.out += title;
    line.put(" {:02x}", static_cast<unsigned>(bytes[i]));
    if (i % 16 == 15 || i + 1 == bytes.size()) line.out += '\n';
  }
}

void describe(RecordLine& line, const abi::TextPokeRecord& r) {
  line.put(" {:x} {} old len {} new len {}\n", r.address, line.symbol, r.old_bytes.size(), r.new_bytes.size());
  put_poked_bytes(line, "            Old bytes:", r.old_bytes);
  put_poked_bytes(line, "            New bytes:", r.new_bytes);
}

void describe(RecordLine& line, const abi::AuxOutputHwIdRecord& r) { line.put(" hw_id: {}\n", prefixed_hex(r.hw_id)); }

void describe(RecordLine& line, const abi::IdIndexRecord& r) {
  line.put(" nr: {}\n", r.entries.size());
  for (std::size_t i = 0; i < r.entries.size(); ++i) {
    const auto& entry = r.entries[i];
    line.put(" ... id: {}  idx: {}  cpu: {}  tid: {}", entry.id, entry.index, static_cast<i64>(entry.cpu),
             static_cast<i64>(entry.tid));
    if (!r.guests.empty()) {
      line.put("  machine_pid: {}  vcpu: {}", static_cast<i64>(r.guests[i].machine_pid),
               static_cast<i64>(r.guests[i].vcpu));
    }
    line.out += '\n';
  }
}

void describe(RecordLine& line, const abi::ThreadMapRecord& r) {
  line.put(" nr: {} thread{}: ", r.threads.size(), r.threads.size() > 1 ? "s" : "");
  for (std::size_t i = 0; i < r.threads.size(); ++i) {
    line.put("{}{}", i == 0 ? "" : ", ", static_cast<i32>(r.threads[i].tid));
  }
  line.out += '\n';
}

void describe(RecordLine& line, const abi::CpuMapRecord& r) { line.put(": {}\n", cpu_list(r.cpus)); }
void describe(RecordLine& line, const abi::EventUpdateRecord& r) {
  using What = abi::EventUpdateRecord::What;
  line.put("\n... id:    {}\n", r.id);
  // clang-format off
  switch (r.what) {
    case What::Unit: line.put("... unit:  {}\n", printable(r.text)); return;
    case What::Scale: line.put("... scale: {:f}\n", r.scale); return;
    case What::Name: line.put("... name:  {}\n", printable(r.text)); return;
    case What::Cpus: line.put("... {}\n", cpu_list(r.cpus)); return;
  }
  // clang-format on
  line.out += "... unknown type\n";
}

void describe(RecordLine& line, const abi::TimeConvRecord& r) {
  // "Muliplier" is linux-perf's misspelling, which scripts have parsed for ten years.
  line.put("\n... Time Shift      {}\n... Time Muliplier  {}\n... Time Zero       {}\n", r.shift, r.multiplier, r.zero);
  if (r.has_cycles) {
    line.put(
        "... Time Cycles     {}\n... Time Mask       {}\n... Cap Time Zero   {}\n"
        "... Cap Time Short  {}\n",
        r.cycles, prefixed_hex(r.mask), static_cast<int>(r.cap_zero), static_cast<int>(r.cap_short));
  }
}

void describe(RecordLine& line, const abi::AuxtraceTypeRecord& r) { line.put(" type: {}\n", r.type); }
void describe(RecordLine& line, const abi::AuxtraceRecord& r) {
  line.put(" size: {}  offset: {}  ref: {}  idx: {}  tid: {}  cpu: {}\n", prefixed_hex(r.size), prefixed_hex(r.offset),
           prefixed_hex(r.reference), r.index, static_cast<i32>(r.tid), static_cast<i32>(r.cpu));
}

void describe(RecordLine& line, const abi::AuxtraceErrorRecord& r) {
  line.put(" {} error type {}", r.type == 1 ? "instruction trace" : "unknown", r.type);
  if (r.format != 0 && r.time != 0) {
    line.put(" time {}.{:09}", r.time / 1'000'000'000, r.time % 1'000'000'000);
  }
  line.put(" cpu {} pid {} tid {} ip {} code {}: {}\n", static_cast<i32>(r.cpu), static_cast<i32>(r.pid),
           static_cast<i32>(r.tid), prefixed_hex(r.ip), r.code, printable(r.message));
}

void describe(RecordLine& line, const abi::BpfMetadataRecord& r) {
  line.put(" prog {}:\n", printable(r.program));
  for (const auto& entry : r.entries) {
    line.put("  entry: {:>20} : {}\n", printable(entry.key), printable(entry.value));
  }
}

void describe(RecordLine& line, const abi::SchedstatRecord& r) {
  line.put(" timestamp: {}  cpu: {}  version: {}", r.time, r.cpu, r.version);
  if (r.domain) line.put("  domain: {}", *r.domain);
  line.put("  counters: {} bytes\n", r.counters.size());
}

// The columns of the table: a describe() for the record type that each is decoded into.
template <class Record>
void side_band(RecordLine& line, const abi::SideBand& record) {
  if (const auto* body = std::get_if<Record>(&record.body)) describe(line, *body);
}
template <class Record>
void session(RecordLine& line, const abi::SessionRecord& record) {
  if (const auto* body = std::get_if<Record>(&record)) describe(line, *body);
}
void only_name(RecordLine& line, const abi::SideBand&) { line.out += '\n'; }
void nothing(RecordLine&, const abi::SideBand&) {}
void only_bytes(RecordLine&, const abi::SessionRecord&) {}

void dump_lost(RecordLine& line, const abi::SideBand& record) {
  if (const auto* lost = std::get_if<abi::LostRecord>(&record.body))
    line.put(": id:{}: lost:{}\n", lost->id, lost->lost);
}

void dump_lost_samples(RecordLine& line, const abi::SideBand& record) {
  constexpr u64 kId = abi::sample_bit::Id | abi::sample_bit::Identifier;
  const u64 id = (record.id.fields & kId) != 0 ? record.id.id : ~u64{0};
  if (const auto* samples = std::get_if<abi::LostSamplesRecord>(&record.body))
    line.put(": id:{}: lost samples :{}\n", id, samples->lost);
}

void dump_read(RecordLine& line, const abi::SideBand& record) {
  const auto* read = std::get_if<abi::ReadRecord>(&record.body);
  if (read == nullptr) return;
  const abi::ReadValue value = read->values.values.empty() ? abi::ReadValue{} : read->values.values[0];
  const u64 format = line.event != nullptr ? line.event->read_format : 0;
  line.put(": {} {} {} {}\n", as_int(read->pid), as_int(read->tid),
           line.event != nullptr ? printable(line.event_name) : "unknown", value.value);
  namespace bits = abi::read_bit;
  if ((format & bits::TotalTimeEnabled) != 0) line.put("... time enabled : {}\n", read->values.time_enabled);
  if ((format & bits::TotalTimeRunning) != 0) line.put("... time running : {}\n", read->values.time_running);
  if ((format & bits::Id) != 0) line.put("... id           : {}\n", value.id);
  if ((format & bits::Lost) != 0) line.put("... lost         : {}\n", value.lost);
}

using abi::RecordType;
using Use = RecordUse;

// clang-format off
constexpr std::array kRecordTexts = std::to_array<RecordText>({
    {RecordType::Mmap, side_band<abi::MmapRecord>},
    {RecordType::Lost, side_band<abi::LostRecord>, dump_lost},
    {RecordType::Comm, side_band<abi::CommRecord>},
    {RecordType::Exit, side_band<abi::ExitRecord>},
    {RecordType::Throttle, only_name, nothing, nullptr, Use::Script},
    {RecordType::Unthrottle, only_name, nothing, nullptr, Use::Script},
    {RecordType::Fork, side_band<abi::ForkRecord>},
    {RecordType::Read, only_name, dump_read, nullptr, Use::Report},
    {RecordType::Mmap2, side_band<abi::MmapRecord>},
    {RecordType::Aux, side_band<abi::AuxRecord>},
    {RecordType::ItraceStart, side_band<abi::ItraceStartRecord>},
    {RecordType::LostSamples, only_name, dump_lost_samples},
    {RecordType::Switch, side_band<abi::SwitchRecord>},
    {RecordType::SwitchCpuWide, side_band<abi::SwitchRecord>},
    {RecordType::Namespaces, side_band<abi::NamespacesRecord>},
    {RecordType::Ksymbol, side_band<abi::KsymbolRecord>},
    {RecordType::BpfEvent, side_band<abi::BpfEventRecord>},
    {RecordType::Cgroup, side_band<abi::CgroupRecord>},
    {RecordType::TextPoke, side_band<abi::TextPokeRecord>},
    {RecordType::AuxOutputHwId, side_band<abi::AuxOutputHwIdRecord>},
    {RecordType::CallchainDeferred, only_name},
    {RecordType::FinishedRound, nullptr, nullptr, nullptr, Use::InOrder},
    {RecordType::IdIndex, nullptr, nullptr, session<abi::IdIndexRecord>},
    {RecordType::AuxtraceInfo, nullptr, nullptr, session<abi::AuxtraceTypeRecord>},
    {RecordType::Auxtrace, nullptr, nullptr, session<abi::AuxtraceRecord>},
    {RecordType::AuxtraceError, nullptr, nullptr, session<abi::AuxtraceErrorRecord>},
    {RecordType::ThreadMap, nullptr, nullptr, session<abi::ThreadMapRecord>, Use::Script},
    {RecordType::CpuMap, nullptr, nullptr, session<abi::CpuMapRecord>, Use::Script},
    {RecordType::StatConfig, nullptr, nullptr, only_bytes},
    {RecordType::Stat, nullptr, nullptr, only_bytes},
    {RecordType::StatRound, nullptr, nullptr, only_bytes},
    {RecordType::EventUpdate, nullptr, nullptr, session<abi::EventUpdateRecord>},
    {RecordType::TimeConv, nullptr, nullptr, session<abi::TimeConvRecord>, Use::Nobody},
    {RecordType::FinishedInit, nullptr, nullptr, nullptr, Use::Nobody},
    {RecordType::BpfMetadata, nullptr, nullptr, session<abi::BpfMetadataRecord>},
    {RecordType::SchedstatCpu, nullptr, nullptr, session<abi::SchedstatRecord>},
    {RecordType::SchedstatDomain, nullptr, nullptr, session<abi::SchedstatRecord>},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRecordTexts, std::ranges::less(), &RecordText::type),
              "record_text.cc: sort the rows by type");

}  // namespace

std::span<const RecordText> record_texts() { return kRecordTexts; }

const RecordText* find_record_text(abi::RecordType type, std::span<const RecordText> texts) {
  const auto found = std::ranges::lower_bound(texts, type, std::ranges::less(), &RecordText::type);
  return found == texts.end() || found->type != type ? nullptr : &*found;
}

void append_side_band(RecordLine& to, abi::RecordType type, const abi::SideBand& record,
                      std::span<const RecordText> texts) {
  const RecordText* text = find_record_text(type, texts);
  if (text != nullptr && text->line != nullptr) text->line(to, record);
}

void append_dumped_side_band(RecordLine& to, abi::RecordType type, const abi::SideBand& record,
                             std::span<const RecordText> texts) {
  const RecordText* text = find_record_text(type, texts);
  if (text == nullptr || text->dump == nullptr) return append_side_band(to, type, record, texts);
  text->dump(to, record);
}

void append_session_record(std::string& out, const abi::RecordView& record) {
  const auto decoded = abi::decode_session_record(record);
  if (!decoded) {
    out += ": malformed\n";
    return;
  }
  const RecordText* text = find_record_text(record.type);
  RecordLine line{out};
  if (*decoded && text != nullptr && text->session != nullptr) text->session(line, **decoded);
}

}  // namespace peregrine
