#include "auxtrace/arm_spe/data_source.h"

#include <algorithm>
#include <array>

#include "abi/data_source.h"
#include "auxtrace/arm_spe/packet.h"
#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

namespace level = abi::access_level;
namespace number = abi::access_level_number;
namespace snoop = abi::access_snoop;
namespace tlb = abi::access_tlb;

u64 word_of(const abi::DataSource& source) {
  return u64{source.op} | u64{source.level} << 5 | u64{source.snoop} << 19 | u64{source.tlb} << 26 |
         u64{source.level_number} << 33 | u64{source.remote} << 37 | u64{source.snoop_extra} << 38;
}

// Implementer (bits 24 to 31) and part number (4 to 15) identify the core; variant and revision do not matter.
bool is_neoverse(u64 midr) {
  constexpr std::array<u64, 3> kParts = {0xd0c, 0xd40, 0xd49};  // N1, V1, N2
  constexpr u64 kArm = 0x41;
  return (midr >> 24 & 0xff) == kArm && std::ranges::find(kParts, midr >> 4 & 0xfff) != kParts.end();
}

struct NeoverseSource {
  u64 value;
  abi::DataSource source;
};
constexpr auto kNeoverse = std::to_array<NeoverseSource>({
    {0x0, {.level = level::Hit | level::L1, .snoop = snoop::None, .level_number = number::L1}},
    {0x8, {.level = level::Hit | level::L2, .snoop = snoop::None, .level_number = number::L2}},
    // another core of the same cluster
    {0x9, {.level = level::Hit | level::L2, .level_number = number::L2, .snoop_extra = snoop::ExtraPeer}},
    // cluster cache
    {0xa, {.level = level::Hit | level::L3, .level_number = number::L3, .snoop_extra = snoop::ExtraPeer}},
    // system cache
    {0xb, {.level = level::Hit | level::L3, .snoop = snoop::Hit, .level_number = number::L3}},
    // another cluster
    {0xc, {.level = level::Hit | level::L3, .level_number = number::L3, .snoop_extra = snoop::ExtraPeer}},
    // another socket
    {0xd,
     {.level = level::NotAvailable,
      .level_number = number::NotAvailable,
      .remote = true,
      .snoop_extra = snoop::ExtraPeer}},
    // memory
    {0xe, {.level = level::Hit | level::LocalRam, .snoop = snoop::None, .level_number = number::Ram}},
});

abi::DataSource neoverse_source(const SpeRecord& record) {
  if (record.operation.is_store())  // the packet has no data source for stores
    return {.level = level::NotAvailable, .snoop = snoop::NotAvailable, .level_number = number::NotAvailable};
  const auto* known = std::ranges::find(kNeoverse, record.data_source, &NeoverseSource::value);
  return known == kNeoverse.end() ? abi::DataSource() : known->source;
}

abi::DataSource source_of_events(u64 events) {
  abi::DataSource source;
  const auto at = [&source, events](u16 where, u64 missed) {
    source.level = static_cast<u16>(where | (events & missed ? level::Miss : level::Hit));
  };
  if (events & (spe_event::LastLevelAccess | spe_event::LastLevelMiss))
    at(level::L3, spe_event::LastLevelMiss);
  else if (events & (spe_event::L1Access | spe_event::L1Refill))
    at(level::L1, spe_event::L1Refill);
  source.remote = (events & spe_event::Remote) != 0;
  return source;
}

}  // namespace

u64 midr_of(std::string_view cpuid) {
  if (cpuid.starts_with("0x")) cpuid.remove_prefix(2);
  return take_number<u64>(cpuid, 16).value_or(0);
}

u64 spe_data_source(const SpeRecord& record, u64 midr) {
  if (!record.operation.is_memory()) return 0;
  abi::DataSource source = is_neoverse(midr) ? neoverse_source(record) : source_of_events(record.events);
  source.op = record.operation.is_store() ? abi::access_op::Store : abi::access_op::Load;
  if (record.events & (spe_event::TlbAccess | spe_event::TlbWalk))
    source.tlb = static_cast<u8>(tlb::Walker | (record.events & spe_event::TlbWalk ? tlb::Miss : tlb::Hit));
  return word_of(source);
}

}  // namespace peregrine
