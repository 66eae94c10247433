#include "pipeline/decode/coresight/coresight_facts.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"

namespace peregrine {
namespace {

constexpr u64 kEtm3 = 0x3030'3030'3030'3030, kEtm4 = 0x4040'4040'4040'4040, kEte = 0x5050'5050'5050'5050;
constexpr u64 kMostUnits = 4096, kNewestVersion = 2;
constexpr u64 kRawTrace = 0x100;  // PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW, in the flags of an AUX record

class WordReader {
 public:
  explicit WordReader(std::span<const u64> words) : words_(words) {}
  bool has(u64 count) const { return words_.size() - at_ >= count; }
  u64 next() { return words_[at_++]; }
  void skip(u64 count) { at_ += count; }

 private:
  std::span<const u64> words_;
  std::size_t at_ = 0;
};

auxtrace::EtmRegisters read_registers(WordReader& in, bool ete) {
  const auto next = [&] { return static_cast<u32>(in.next()); };
  auxtrace::EtmRegisters registers{.ete = ete};
  registers.config = next();
  registers.trace_id = next() & 0x7f;
  registers.idr0 = next();
  registers.idr1 = next();
  registers.idr2 = next();
  registers.idr8 = next();
  in.skip(1);  // TRCAUTHSTATUS
  if (ete) registers.devarch = next();
  return registers;
}

// Reads one unit. Returns false if the data ends early or the unit is unknown.
bool read_unit(WordReader& in, u64 version, CoreSightFacts& facts) {
  constexpr u64 kEtm3Words = 4, kEtm4Words = 7, kEteWords = 8;
  const u64 head = version == 0 ? 2 : 3;
  if (!in.has(head)) return false;
  const u64 magic = in.next(), cpu = in.next();
  const u64 usual = magic == kEtm3 ? kEtm3Words : magic == kEtm4 ? kEtm4Words : kEteWords;
  const u64 words = version == 0 ? usual : in.next();
  if (magic != kEtm3 && magic != kEtm4 && magic != kEte) return false;
  if (!in.has(words) || words < usual) return false;
  if (magic == kEtm3) {
    ++facts.skipped;
    in.skip(words);
    return true;
  }
  facts.units.push_back({static_cast<u32>(cpu), read_registers(in, magic == kEte)});
  in.skip(words - usual);
  return true;
}

}  // namespace

std::optional<CoreSightFacts> CoreSightFacts::of(const RecordedTraces& traces) {
  constexpr std::size_t kHeader = 3;
  WordReader in(traces.facts);
  if (!in.has(kHeader)) return std::nullopt;
  const u64 version = in.next(), type_and_count = in.next();
  in.skip(1);  // snapshots
  const u64 count = type_and_count & 0xffffffff;
  if (version > kNewestVersion || count > kMostUnits) return std::nullopt;
  CoreSightFacts facts;
  facts.pmu_type = static_cast<u32>(type_and_count >> 32);
  for (u64 i = 0; i < count; ++i) {
    if (!read_unit(in, version, facts)) return std::nullopt;
  }
  facts.per_cpu = !traces.pieces.empty() && traces.pieces.front().cpu != kNoCpu;
  return facts;
}

Result<> CoreSightFacts::read_records(const data::Reader& reader) {
  auto second = reader.open_again();
  if (!second) return std::unexpected(std::move(second.error()));
  abi::RecordView record;
  abi::SideBandScratch scratch;
  for (;;) {
    const auto more = second->next(record);
    if (!more || !*more) return {};
    if (record.type != abi::RecordType::Aux && record.type != abi::RecordType::AuxOutputHwId) continue;
    const auto decoded = abi::decode_side_band(record, second->evlist().attr_of(record), scratch);
    if (!decoded || !*decoded) continue;
    const abi::SideBand& beside = **decoded;
    if (const auto* aux = std::get_if<abi::AuxRecord>(&beside.body); aux != nullptr && aux->size != 0) {
      parts[per_cpu ? beside.id.cpu : beside.id.tid].push_back({.offset = aux->offset,
                                                                .size = aux->size,
                                                                .time = beside.id.time,
                                                                .formatted = (aux->flags & kRawTrace) == 0});
    }
    if (const auto* id = std::get_if<abi::AuxOutputHwIdRecord>(&beside.body)) {
      const auto unit = std::ranges::find(units, beside.id.cpu, &CoreSightUnit::cpu);
      if (unit != units.end()) unit->registers.trace_id = static_cast<u32>(id->hw_id & 0x7f);
    }
  }
}

}  // namespace peregrine
