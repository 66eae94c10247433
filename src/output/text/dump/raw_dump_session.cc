#include "output/text/dump/raw_dump_session.h"

#include <fmt/format.h>

#include <iterator>

#include "abi/session_record.h"
#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

using std::back_inserter;

std::string cpu_list(std::span<const u32> cpus) {
  CpuList list;
  for (const u32 cpu : cpus) list.push_back(cpu == 0xffff ? -1 : static_cast<int>(cpu));  // -1: any CPU
  return format_cpu_list(list);
}

struct SessionWriter {
  std::string& out;

  void operator()(const abi::IdIndexRecord& r) const {
    fmt::format_to(back_inserter(out), " nr: {}\n", r.entries.size());
    for (std::size_t i = 0; i < r.entries.size(); ++i) {
      const auto& entry = r.entries[i];
      fmt::format_to(back_inserter(out), " ... id: {}  idx: {}  cpu: {}  tid: {}", entry.id, entry.index,
                     static_cast<i64>(entry.cpu), static_cast<i64>(entry.tid));
      if (!r.guests.empty()) {
        fmt::format_to(back_inserter(out), "  machine_pid: {}  vcpu: {}", static_cast<i64>(r.guests[i].machine_pid),
                       static_cast<i64>(r.guests[i].vcpu));
      }
      out += '\n';
    }
  }
  void operator()(const abi::ThreadMapRecord& r) const {
    fmt::format_to(back_inserter(out), " nr: {} thread{}: ", r.threads.size(), r.threads.size() > 1 ? "s" : "");
    for (std::size_t i = 0; i < r.threads.size(); ++i) {
      fmt::format_to(back_inserter(out), "{}{}", i == 0 ? "" : ", ", static_cast<i32>(r.threads[i].tid));
    }
    out += '\n';
  }
  void operator()(const abi::CpuMapRecord& r) const { fmt::format_to(back_inserter(out), ": {}\n", cpu_list(r.cpus)); }
  void operator()(const abi::EventUpdateRecord& r) const {
    using What = abi::EventUpdateRecord::What;
    fmt::format_to(back_inserter(out), "\n... id:    {}\n", r.id);
    // clang-format off
    switch (r.what) {
      case What::Unit: fmt::format_to(back_inserter(out), "... unit:  {}\n", printable(r.text)); return;
      case What::Scale: fmt::format_to(back_inserter(out), "... scale: {:f}\n", r.scale); return;
      case What::Name: fmt::format_to(back_inserter(out), "... name:  {}\n", printable(r.text)); return;
      case What::Cpus: fmt::format_to(back_inserter(out), "... {}\n", cpu_list(r.cpus)); return;
    }
    // clang-format on
    out += "... unknown type\n";
  }
  void operator()(const abi::TimeConvRecord& r) const {
    // "Muliplier" is linux-perf's misspelling; scripts have parsed it for ten years.
    fmt::format_to(back_inserter(out), "\n... Time Shift      {}\n... Time Muliplier  {}\n... Time Zero       {}\n",
                   r.shift, r.multiplier, r.zero);
    if (r.has_cycles) {
      fmt::format_to(back_inserter(out),
                     "... Time Cycles     {}\n... Time Mask       {}\n... Cap Time Zero   {}\n"
                     "... Cap Time Short  {}\n",
                     r.cycles, prefixed_hex(r.mask), static_cast<int>(r.cap_zero), static_cast<int>(r.cap_short));
    }
  }
  void operator()(const abi::AuxtraceTypeRecord& r) const { fmt::format_to(back_inserter(out), " type: {}\n", r.type); }
  void operator()(const abi::AuxtraceRecord& r) const {
    fmt::format_to(back_inserter(out), " size: {}  offset: {}  ref: {}  idx: {}  tid: {}  cpu: {}\n",
                   prefixed_hex(r.size), prefixed_hex(r.offset), prefixed_hex(r.reference), r.index,
                   static_cast<i32>(r.tid), static_cast<i32>(r.cpu));
  }
  void operator()(const abi::AuxtraceErrorRecord& r) const {
    fmt::format_to(back_inserter(out), " {} error type {}", r.type == 1 ? "instruction trace" : "unknown", r.type);
    if (r.format != 0 && r.time != 0) {
      fmt::format_to(back_inserter(out), " time {}.{:09}", r.time / 1'000'000'000, r.time % 1'000'000'000);
    }
    fmt::format_to(back_inserter(out), " cpu {} pid {} tid {} ip {} code {}: {}\n", static_cast<i32>(r.cpu),
                   static_cast<i32>(r.pid), static_cast<i32>(r.tid), prefixed_hex(r.ip), r.code, printable(r.message));
  }
  // linux-perf prints only the raw bytes of these.
  void operator()(const abi::StatConfigRecord&) const {}
  void operator()(const abi::StatRecord&) const {}
  void operator()(const abi::StatRoundRecord&) const {}
  void operator()(const abi::BpfMetadataRecord& r) const {
    fmt::format_to(back_inserter(out), " prog {}:\n", printable(r.program));
    for (const auto& entry : r.entries) {
      fmt::format_to(back_inserter(out), "  entry: {:>20} : {}\n", printable(entry.key), printable(entry.value));
    }
  }
  void operator()(const abi::SchedstatRecord& r) const {
    fmt::format_to(back_inserter(out), " timestamp: {}  cpu: {}  version: {}", r.time, r.cpu, r.version);
    if (r.domain) fmt::format_to(back_inserter(out), "  domain: {}", *r.domain);
    fmt::format_to(back_inserter(out), "  counters: {} bytes\n", r.counters.size());
  }
};

}  // namespace

void append_raw_session_record(std::string& out, const abi::RecordView& record) {
  const auto decoded = abi::decode_session_record(record);
  if (!decoded) {
    out += ": malformed\n";
  } else if (*decoded) {
    std::visit(SessionWriter{out}, **decoded);
  }
}

}  // namespace peregrine
