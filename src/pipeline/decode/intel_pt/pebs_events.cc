#include "pipeline/decode/intel_pt/pebs_events.h"

#include <algorithm>
#include <array>
#include <bit>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"

namespace peregrine {

using auxtrace::PebsRecord;
namespace item = auxtrace::pebs_item;

namespace {

// The data_src that the kernel reports for an unknown access: every part "not available".
constexpr u64 kNoSource = 0x1e'0508'0021;

// The PEBS item of each register, in the kernel's order for x86. PEBS records have no segment registers.
constexpr u8 kNoItem = 0xff;
constexpr std::array<u8, 24> kRegisterItems = {
    2, 5, 3, 4, 8, 9, 7, 6, 1, 0, kNoItem, kNoItem, kNoItem, kNoItem, kNoItem, kNoItem, 10, 11, 12, 13, 14, 15, 16, 17};
constexpr unsigned kFirstVector = 32;

u64 register_value(const PebsRecord& record, unsigned number) {
  if (number >= kFirstVector) return record.item(PebsRecord::Vectors, number - kFirstVector).value_or(0);
  if (number >= kRegisterItems.size()) return 0;
  return record.item(PebsRecord::Registers, kRegisterItems[number]).value_or(0);
}

void fill_registers(const PebsRecord& record, u64 mask, abi::Sample& sample, PebsScratch& scratch) {
  constexpr u64 kWide = 2;  // PERF_SAMPLE_REGS_ABI_64
  if (record.items(PebsRecord::Registers) == 0 && record.items(PebsRecord::Vectors) == 0) return;
  scratch.registers.clear();
  for (u64 left = mask; left != 0; left &= left - 1)
    scratch.registers.push_back(register_value(record, static_cast<unsigned>(std::countr_zero(left))));
  sample.interrupt_registers = {.abi = kWide, .mask = mask, .values = scratch.registers};
}

// Decodes an IA32_LBR_x_INFO register.
abi::BranchEntry branch_of(u64 from, u64 to, u64 info) {
  const bool mispredicted = (info >> 63 & 1) != 0;
  return {.from = from,
          .to = to,
          .cycles = static_cast<u16>(info),
          .mispredicted = mispredicted,
          .predicted = !mispredicted,
          .in_transaction = (info >> 62 & 1) != 0,
          .abort = (info >> 61 & 1) != 0};
}

// A branch is three items and never crosses a group.
void fill_branches(const PebsRecord& record, PebsScratch& scratch) {
  scratch.branches.clear();
  for (const PebsRecord::Group group : {PebsRecord::Branches0, PebsRecord::Branches1, PebsRecord::Branches2}) {
    for (unsigned at = 0; at + item::PerBranch <= PebsRecord::kItems; at += item::PerBranch) {
      const auto from = record.item(group, at + item::From), to = record.item(group, at + item::To),
                 info = record.item(group, at + item::Info);
      if (from && to && info) scratch.branches.push_back(branch_of(*from, *to, *info));
    }
  }
}

// Like the kernel's PERF_SAMPLE_TRANSACTION: the flags, and the code of an XABORT.
u64 transaction_of(const PebsRecord& record) {
  constexpr u64 kInTransaction = 1u << 2;
  const u64 tsx = record.item(PebsRecord::Memory, item::Tsx).value_or(0);
  const u64 ax = record.item(PebsRecord::Registers, item::RegisterAx).value_or(0);
  const u64 flags = tsx >> 32 & 0xff;
  const bool has_code = (flags & kInTransaction) != 0 && (ax & 1) != 0;
  return flags | (has_code ? (ax >> 24 & 0xff) << 32 : 0);
}

bool can_be_made(const abi::EventAttr& attr) {
  constexpr u64 kOthers = abi::sample_bit::Read | abi::sample_bit::StackUser | abi::sample_bit::Aux;
  return attr.has(abi::attr_flag::AuxOutput) && attr.samples(abi::sample_bit::Ip) &&
         attr.samples(abi::sample_bit::Tid) && (attr.sample_type & kOthers) == 0;
}

}  // namespace

PebsEvents::PebsEvents(const data::Evlist& evlist, bool wanted) {
  for (u32 event = 0; wanted && event < evlist.size(); ++event) {
    if (can_be_made(evlist[event].attr)) events_.push_back(event);
  }
}

void PebsEvents::assign(u32 cpu, u64 counter, u32 event) {
  constexpr u64 kCounters = 64;
  if (counter < kCounters && std::ranges::find(events_, event) != events_.end()) by_counter_[{cpu, counter}] = event;
}

const std::vector<u32>& PebsEvents::events_of(const PebsRecord& record, u32 cpu) {
  found_.clear();
  if (events_.size() <= 1) return events_;
  const u64 counters = record.item(PebsRecord::Basic, item::Counters).value_or(0);
  for (u64 left = counters; left != 0; left &= left - 1) {
    const auto its = by_counter_.find({cpu, static_cast<u64>(std::countr_zero(left))});
    if (its != by_counter_.end()) found_.push_back(its->second);
  }
  if (found_.empty()) ++unassigned_;
  return found_;
}

void fill_pebs_sample(const PebsRecord& record, const abi::EventAttr& attr, abi::Sample& sample, PebsScratch& scratch) {
  const auto ip = record.item(PebsRecord::Basic, item::Ip);
  if (const auto known = ip ? ip : record.item(PebsRecord::Registers, item::RegisterIp)) sample.ip = *known;
  sample.addr = record.item(PebsRecord::Memory, item::Address).value_or(0);
  sample.weight = record.item(PebsRecord::Memory, item::Latency).value_or(0);
  sample.data_src = kNoSource;
  sample.transaction = transaction_of(record);
  sample.period = attr.has(abi::attr_flag::Freq) ? 0 : attr.sample_period;
  if (attr.samples(abi::sample_bit::RegsIntr)) fill_registers(record, attr.sample_regs_intr, sample, scratch);
  if (!attr.samples(abi::sample_bit::BranchStack)) return;
  fill_branches(record, scratch);
  if (!scratch.branches.empty()) sample.branches = scratch.branches;
}

}  // namespace peregrine
