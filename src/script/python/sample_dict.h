// SampleDict: a sample as the dict for process_event() and perf_sample_dict. Keys the handler never reads are not
// created.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "script/python/chain.h"
#include "script/python/handler.h"
#include "script/python/object.h"
#include "script/python/text_cache.h"

namespace peregrine::script {

// All keys except those of numbers, in the order scripts see them.
enum class SampleKey : u8 {
  EvName,
  Attr,
  Sample,
  RawBuf,
  Comm,
  Dso,
  DsoBid,
  DsoMapStart,
  DsoMapEnd,
  Symbol,
  Symoff,
  Callchain,
  Brstack,
  Brstacksym,
  Iregs,
  Uregs,
  // Inside 'sample', between the numbers of abi/recorded_field.h:
  TimeEnabled,
  TimeRunning,
  Values,
  DatasrcDecode,
  Cpumode,
  AddrCorrelatesSym,
  AddrDso,
  AddrDsoBid,
  AddrDsoMapStart,
  AddrDsoMapEnd,
  AddrSymbol,
  AddrSymoff,
  Count,
};

// The keys that one handler uses.
struct SampleKeys {
  std::array<bool, static_cast<std::size_t>(SampleKey::Count)> taken{};
  std::vector<bool> numbers;  // by place in SampleDict::numbers_

  bool has(SampleKey key) const { return taken[static_cast<std::size_t>(key)]; }
};

class SampleDict {
 public:
  // All must outlive this.
  SampleDict(Answers& answers, ChainObjects& chains, TextCache& texts, std::span<const abi::RecordedField> fields);
  SampleKeys keys(const TakenKeys& taken) const;
  // `chain`: the callchain already passed to the handler; null: create one if needed.
  Ref make(const ReplaySample& sample, const EventPlan& plan, const SampleKeys& keys, Ref chain);
  static bool address_has_symbol(const abi::EventAttr& attr);

 private:
  struct PlaceKeys;
  struct Number {
    const abi::RecordedField* field;
    Ref key;
  };
  PyObject* key(SampleKey key) const { return names_[static_cast<std::size_t>(key)].get(); }
  Ref inner(const abi::Sample& sample, const abi::EventAttr& attr, const SampleKeys& keys);
  // Adds those up to this turn that were not added yet; `next` is the first of these.
  void add_numbers(PyObject* dict, const abi::Sample& sample, const SampleKeys& keys, std::size_t& next,
                   u8 last_turn) const;
  void add_reading(PyObject* dict, const abi::Sample& sample, const abi::EventAttr& attr, const SampleKeys& keys);
  void add_place(PyObject* dict, const PlaceAnswer& place, const PlaceKeys& of, const SampleKeys& keys);
  Ref branches(const abi::Sample& sample);
  Ref branch_symbols(const abi::Sample& sample);
  Ref dso_of(u64 address);
  Ref symbol_of(u64 address);

  Answers& answers_;
  ChainObjects& chains_;
  TextCache& texts_;
  std::array<Ref, static_cast<std::size_t>(SampleKey::Count)> names_;
  std::vector<Number> numbers_;  // in the order of the dictionary
};

}  // namespace peregrine::script
