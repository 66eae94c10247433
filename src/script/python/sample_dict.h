// SampleDict: a sample as the dict for process_event() and perf_sample_dict. Keys the handler never reads are not
// created.
#pragma once
#include <array>
#include <cstddef>

#include "abi/attr.h"
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

// All keys, in the order scripts see them.
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
  // Inside 'sample':
  Pid,
  Tid,
  Cpu,
  Ip,
  Time,
  Period,
  PhysAddr,
  Addr,
  TimeEnabled,
  TimeRunning,
  Values,
  Weight,
  Transaction,
  Datasrc,
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
class SampleKeys {
 public:
  explicit SampleKeys(const TakenKeys& taken);
  bool has(SampleKey key) const { return taken_[static_cast<std::size_t>(key)]; }

 private:
  std::array<bool, static_cast<std::size_t>(SampleKey::Count)> taken_{};
};

class SampleDict {
 public:
  SampleDict(Answers& answers, ChainObjects& chains, TextCache& texts);
  // `chain`: the callchain already passed to the handler; null: create one if needed.
  Ref make(const ReplaySample& sample, const EventPlan& plan, const SampleKeys& keys, Ref chain);
  static bool address_has_symbol(const abi::EventAttr& attr);

 private:
  struct PlaceKeys;
  PyObject* key(SampleKey key) const { return names_[static_cast<std::size_t>(key)].get(); }
  Ref inner(const ReplaySample& sample, const abi::EventAttr& attr, const SampleKeys& keys);
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
};

}  // namespace peregrine::script
