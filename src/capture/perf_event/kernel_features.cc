#include "capture/perf_event/kernel_features.h"

#include <algorithm>
#include <iterator>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Optional parts of an attr, newest kernel first: give_up_next() drops the newest part that the attr uses, so an old
// kernel loses as little as possible. The trailing comments name the kernel that introduced each part.
struct Feature {
  bool (*used)(const abi::EventAttr&);
  void (*clear)(abi::EventAttr&);
};
namespace flag = abi::attr_flag;

template <u64 Flag>
constexpr Feature flag_feature() {
  return {[](const abi::EventAttr& attr) { return attr.has(Flag); },
          [](abi::EventAttr& attr) { attr.set(Flag, false); }};
}

template <u64 Bits>
constexpr Feature branch_feature() {
  return {[](const abi::EventAttr& attr) { return (attr.branch_sample_type & Bits) != 0; },
          [](abi::EventAttr& attr) { attr.branch_sample_type &= ~Bits; }};
}

constexpr Feature kFeatures[] = {
    {[](const abi::EventAttr& attr) { return (attr.read_format & abi::read_bit::Lost) != 0; },  // 6.0
     [](abi::EventAttr& attr) { attr.read_format &= ~abi::read_bit::Lost; }},
    {[](const abi::EventAttr& attr) { return attr.samples(abi::sample_bit::WeightStruct); },  // 5.12
     [](abi::EventAttr& attr) {
       attr.sample_type = (attr.sample_type & ~abi::sample_bit::WeightStruct) | abi::sample_bit::Weight;
     }},
    flag_feature<flag::BuildId>(),                                                            // 5.12
    {[](const abi::EventAttr& attr) { return attr.samples(abi::sample_bit::CodePageSize); },  // 5.11
     [](abi::EventAttr& attr) { attr.sample_type &= ~abi::sample_bit::CodePageSize; }},
    {[](const abi::EventAttr& attr) { return attr.samples(abi::sample_bit::DataPageSize); },  // 5.11
     [](abi::EventAttr& attr) { attr.sample_type &= ~abi::sample_bit::DataPageSize; }},
    flag_feature<flag::TextPoke>(),                                      // 5.8
    {[](const abi::EventAttr& attr) { return attr.has(flag::Cgroup); },  // 5.7
     [](abi::EventAttr& attr) {
       attr.set(flag::Cgroup, false);
       attr.sample_type &= ~abi::sample_bit::Cgroup;
     }},
    branch_feature<abi::branch_bit::HwIndex>(),                                                    // 5.7
    flag_feature<flag::BpfEvent>(),                                                                // 5.1
    flag_feature<flag::Ksymbol>(),                                                                 // 5.1
    flag_feature<flag::Namespaces>(),                                                              // 4.12
    flag_feature<flag::WriteBackward>(),                                                           // 4.7
    branch_feature<abi::branch_bit::NoFlags | abi::branch_bit::NoCycles>(),                        // 4.4
    flag_feature<flag::ContextSwitch>(),                                                           // 4.3
    flag_feature<flag::UseClockid>(),                                                              // 4.1
    flag_feature<flag::CommExec>(),                                                                // 3.16
    flag_feature<flag::Mmap2>(),                                                                   // 3.16
    {[](const abi::EventAttr& attr) { return attr.has(flag::ExcludeGuest | flag::ExcludeHost); },  // 3.2, or a PMU
     [](abi::EventAttr& attr) { attr.set(flag::ExcludeGuest | flag::ExcludeHost, false); }},
    flag_feature<flag::SampleIdAll>(),  // 2.6.38
};

// Some PMUs reject the guest bits on any kernel, so they are given up per PMU type.
constexpr u32 kGuestRow = std::size(kFeatures) - 2;

}  // namespace

void KernelFeatures::apply(abi::EventAttr& attr) const {
  for (u32 row = 0; row < std::size(kFeatures); ++row) {
    if (is_gone(row, attr)) kFeatures[row].clear(attr);
  }
}

bool KernelFeatures::is_gone(u32 row, const abi::EventAttr& attr) const {
  if (row == kGuestRow) return std::ranges::find(without_guests_, attr.type) != without_guests_.end();
  return (gone_ >> row & 1) != 0;
}

bool KernelFeatures::give_up_next(const abi::EventAttr& attr) {
  for (u32 row = 0; row < std::size(kFeatures); ++row) {
    if (is_gone(row, attr) || !kFeatures[row].used(attr)) continue;
    if (row == kGuestRow)
      without_guests_.push_back(attr.type);
    else
      gone_ |= 1u << row;
    return true;
  }
  return false;
}

}  // namespace peregrine
