#include "analysis/guest/guest_exits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/types.h"
#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum Tracepoint : u8 { Entry, Exit, Mmio, Pio };
enum EntryField : u8 { EntryVcpu };
enum GuestExitField : u8 { ExitReason, InstructionSet, ExitVcpu };
enum AccessField : u8 { AccessDirection, AccessAddress };
enum MmioDirection : u8 { MmioRead = 1, MmioWrite = 2 };
constexpr u64 kVmx = 1, kSvm = 2;
constexpr u64 kBasicReason = 0xffff;  // VMX: flags in the upper bits

std::vector<WantedTracepoint> wanted_exits() {
  return {{"kvm", "kvm_entry", {"vcpu_id"}, 0},
          {"kvm", "kvm_exit", {"exit_reason", "isa", "vcpu_id"}},
          {"kvm", "kvm_mmio", {"type", "gpa"}, 2},
          {"kvm", "kvm_pio", {"rw", "port"}, 2}};
}

}  // namespace

GuestExits::GuestExits(const data::Reader& reader, Request request)
    : TracepointSink(reader, wanted_exits()), request_(std::move(request)) {}

// The print format of kvm_exit has one table of reason names per instruction set, Intel's first.
std::string GuestExits::name_of(const Key& key) const {
  if (request_.event == GuestEvent::Mmio)
    return fmt::format("{:#x}:{}", key.first, key.second == MmioWrite ? 'W' : 'R');
  if (request_.event == GuestEvent::IoPort) return fmt::format("{:#x}:{}", key.first, key.second != 0 ? "POUT" : "PIN");
  const PrintNames* const names = tracepoints().names_of(Exit, "exit_reason", key.second == kSvm ? 1 : 0);
  return names == nullptr ? PrintNames::number_text(key.first) : names->text(key.first);
}

void GuestExits::take(const TracepointView& view, const ReplaySample& sample, Resolver&) {
  if (!request_.pids.empty() && std::ranges::find(request_.pids, sample.sample.pid) == request_.pids.end()) return;
  Vcpu& vcpu = vcpus_[sample.sample.tid];
  vcpu.pid = sample.sample.pid;
  const u64 time = sample.sample.time;
  switch (view.which) {
    case Exit: {
      if (view.has(ExitVcpu)) vcpu.number = static_cast<u32>(view.number(ExitVcpu));
      vcpu.begin = Begin{time, std::nullopt};
      const u64 reason = view.number(ExitReason), set = view.number(InstructionSet);
      if (request_.event == GuestEvent::Exit) vcpu.begin->key = Key(set == kVmx ? reason & kBasicReason : reason, set);
      return;
    }
    case Entry: {
      if (view.has(EntryVcpu)) vcpu.number = static_cast<u32>(view.number(EntryVcpu));
      const auto begin = vcpu.begin;
      if (begin && begin->key) end(vcpu, *begin->key, time);
      vcpu.begin.reset();
      return;
    }
    case Mmio:
      if (request_.event == GuestEvent::Mmio) take_mmio(view, vcpu, time);
      return;
    default:
      if (request_.event == GuestEvent::IoPort)
        vcpu.begin = Begin{time, Key(view.number(AccessAddress), view.number(AccessDirection))};
  }
}

void GuestExits::take_mmio(const TracepointView& view, Vcpu& vcpu, u64 time) {
  const Key key(view.number(AccessAddress), view.number(AccessDirection));
  if (key.second == MmioWrite) vcpu.begin = Begin{time, key};
  if (key.second == MmioRead && vcpu.begin && !vcpu.begin->key) end(vcpu, key, time);
}

void GuestExits::end(Vcpu& vcpu, const Key& key, u64 time) {
  const Begin begin = *std::exchange(vcpu.begin, std::nullopt);
  if (request_.vcpu && vcpu.number != request_.vcpu) return;
  const u64 took = time > begin.time ? time - begin.time : 0;
  GuestRow& row = rows_[key];
  row.least = row.times.count() == 0 ? took : std::min(row.least, took);
  row.most = std::max(row.most, took);
  row.total += took;
  row.times.add(static_cast<double>(took));
  if (request_.longer_than == 0 || took <= request_.longer_than) return;
  if (std::string name = name_of(key); !name.ends_with("HLT") && !name.ends_with("hlt"))
    long_.push_back({time, took, vcpu.pid, vcpu.number.value_or(0), std::move(name)});
}

std::vector<GuestRow> GuestExits::take() {
  std::vector<GuestRow> rows = this->rows();
  rows_.clear();
  return rows;
}

std::vector<GuestRow> GuestExits::rows() const {
  std::vector<GuestRow> rows;
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
    rows.back().name = name_of(key);
  }
  return rows;
}

}  // namespace peregrine
