#include "analysis/hist/key/access_parts.h"

#include <algorithm>

#include "abi/data_source.h"

namespace peregrine {

namespace {

namespace op = abi::access_op;
namespace level = abi::access_level;
namespace number = abi::access_level_number;

// The parts of each breakdown, in the order of their columns.
enum Operation : u8 { Load, Store, LoadStore, Prefetch, Exec, OtherOperation, kOperations };
enum Cache : u8 { L1, L2, L3, L4, L1Buffer, L2Buffer, OtherCache, kCaches };
enum Memory : u8 { Ram, SideCache, Uncached, Cxl, Io, Persistent, OtherMemory, kMemories };
enum Snoop : u8 { Hit, HitModified, Miss, OtherSnoop, kSnoops };
enum Tlb : u8 { L1Hit, L2Hit, AnyHit, TlbMiss, OtherTlb, kTlbs };

constexpr std::array<Breakdown, kBreakdowns> kBreakdownList = [] {
  std::array<Breakdown, kBreakdowns> all{{{"op", 0, kOperations},
                                          {"cache", 0, kCaches},
                                          {"memory", 0, kMemories},
                                          {"snoop", 0, kSnoops},
                                          {"dtlb", 0, kTlbs}}};
  for (std::size_t at = 1; at < all.size(); ++at) all[at].first = all[at - 1].first + all[at - 1].count;
  return all;
}();
static_assert(kBreakdownList.back().first + kBreakdownList.back().count == kAccessParts);

constexpr std::array<std::string_view, kAccessParts> kPartNames{
    "op_load",           "op_store",     "op_load_store",     "op_prefetch",     "op_exec",         "op_other",
    "cache_l1",          "cache_l2",     "cache_l3",          "cache_l4",        "cache_l1_buffer", "cache_l2_buffer",
    "cache_other",       "memory_ram",   "memory_side_cache", "memory_uncached", "memory_cxl",      "memory_io",
    "memory_persistent", "memory_other", "snoop_hit",         "snoop_hitm",      "snoop_miss",      "snoop_other",
    "dtlb_l1_hit",       "dtlb_l2_hit",  "dtlb_any_hit",      "dtlb_miss",       "dtlb_other",
};
constexpr auto kSpecs = [] {
  std::array<MetricSpec, kAccessParts> specs{};
  for (std::size_t at = 0; at < kAccessParts; ++at) specs[at] = {access_part(at), kPartNames[at], true};
  return specs;
}();

std::size_t operation_of(const abi::DataSource& source) {
  const auto has = [&](u8 bit) { return (source.op & bit) != 0; };
  if (has(op::Load)) return has(op::Store) ? LoadStore : Load;
  return has(op::Store) ? Store : has(op::Prefetch) ? Prefetch : has(op::Exec) ? Exec : OtherOperation;
}

// Kernels before 4.14 do not set the level number. Several level bits mean that the level is ambiguous: other.
std::size_t cache_of(const abi::DataSource& source) {
  switch (source.level_number) {
    case number::L1:
    case number::L2:
    case number::L3:
    case number::L4:
      return source.level_number - number::L1 + L1;
    case number::FillBuffer:
      return L1Buffer;
    case number::L2Buffer:
      return L2Buffer;
    case number::NotStated:
    case number::NotAvailable:
      break;
    default:
      return OtherCache;
  }
  switch (source.level & ~level::Hit) {
    case level::L1:
      return L1;
    case level::FillBuffer:
      return L1Buffer;
    case level::L2:
      return L2;
    case level::L3:
      return L3;
    default:
      return OtherCache;
  }
}

std::size_t memory_of(const abi::DataSource& source) {
  switch (source.level_number) {
    case number::MemorySideCache:
      return SideCache;
    case number::Uncached:
      return Uncached;
    case number::Cxl:
      return Cxl;
    case number::Io:
      return Io;
    case number::Ram:
      return Ram;
    case number::Persistent:
      return Persistent;
    case number::NotStated:
    case number::NotAvailable:
      break;
    default:
      return OtherMemory;
  }
  const unsigned at = source.level & ~level::Hit;
  if (at == level::Io) return Io;
  if (at == level::Uncached) return Uncached;
  return at != 0 && (at & ~(level::LocalRam | level::RemoteRam)) == 0 ? Ram : OtherMemory;
}

std::size_t snoop_of(const abi::DataSource& source) {
  const auto has = [&](u8 bit) { return (source.snoop & bit) != 0; };
  if (has(abi::access_snoop::HitModified)) return HitModified;
  return has(abi::access_snoop::Hit) ? Hit : has(abi::access_snoop::Miss) ? Miss : OtherSnoop;
}

std::size_t tlb_of(const abi::DataSource& source) {
  namespace tlb = abi::access_tlb;
  switch (source.tlb) {
    case tlb::Hit | tlb::L1:
      return L1Hit;
    case tlb::Hit | tlb::L2:
      return L2Hit;
    case tlb::Hit | tlb::L1 | tlb::L2:
      return AnyHit;
    default:
      return (source.tlb & tlb::Miss) != 0 ? TlbMiss : OtherTlb;
  }
}

constexpr unsigned kDigit = 3;  // bits per breakdown in the packed number
static_assert(std::ranges::all_of(kBreakdownList, [](const Breakdown& each) { return each.count <= 1u << kDigit; }));

}  // namespace

std::span<const Breakdown> all_breakdowns() { return kBreakdownList; }

const Breakdown* breakdown_of(Metric metric) {
  if (!is_access_part(metric)) return nullptr;
  const std::size_t index = access_part_index(metric);
  return &*std::ranges::find_if(kBreakdownList, [&](const Breakdown& each) { return index < each.first + each.count; });
}

const MetricSpec& access_part_spec(std::size_t index) { return kSpecs[index]; }

u64 access_parts(u64 data_source) {
  const abi::DataSource source = abi::decode_data_source(data_source);
  u64 parts = 0;
  for (const std::size_t part :
       {tlb_of(source), snoop_of(source), memory_of(source), cache_of(source), operation_of(source)})
    parts = parts << kDigit | part;
  return parts;
}

std::array<std::size_t, kBreakdowns> split_access_parts(u64 parts) {
  std::array<std::size_t, kBreakdowns> result{};
  for (std::size_t at = 0; at < kBreakdowns; ++at, parts >>= kDigit)
    result[at] = kBreakdownList[at].first + (parts & ((1u << kDigit) - 1));
  return result;
}

}  // namespace peregrine
