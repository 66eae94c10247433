#include "script/python/sample_dict.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/python/object.h"

namespace peregrine::script {
namespace {

constexpr std::size_t kKeys = static_cast<std::size_t>(SampleKey::Count);
// In the order of SampleKey: first the keys of the outer dictionary, from Pid on those of its "sample".
constexpr std::array<const char*, kKeys> kNames = {
    "ev_name",
    "attr",
    "sample",
    "raw_buf",
    "comm",
    "dso",
    "dso_bid",
    "dso_map_start",
    "dso_map_end",
    "symbol",
    "symoff",
    "callchain",
    "brstack",
    "brstacksym",
    "iregs",
    "uregs",
    "pid",
    "tid",
    "cpu",
    "ip",
    "time",
    "period",
    "phys_addr",
    "addr",
    "time_enabled",
    "time_running",
    "values",
    "weight",
    "transaction",
    "datasrc",
    "datasrc_decode",
    "cpumode",
    "addr_correlates_sym",
    "addr_dso",
    "addr_dso_bid",
    "addr_dso_map_start",
    "addr_dso_map_end",
    "addr_symbol",
    "addr_symoff",
};
constexpr u64 kNoDataSource = 0x5080021;  // the kernel's value for "unknown"

Ref flag_object(bool flag) { return share(flag ? Py_True : Py_False); }

}  // namespace

SampleKeys::SampleKeys(const TakenKeys& taken) {
  for (std::size_t i = 0; i < kKeys; ++i) {
    const bool inner = i >= static_cast<std::size_t>(SampleKey::Pid);
    taken_[i] = taken.has(inner ? fmt::format("sample.{}", kNames[i]) : std::string(kNames[i]));
  }
}

SampleDict::SampleDict(Answers& answers, ChainObjects& chains, TextCache& texts)
    : answers_(answers), chains_(chains), texts_(texts) {
  for (std::size_t i = 0; i < kKeys; ++i) names_[i] = interned(kNames[i]);
}

struct SampleDict::PlaceKeys {
  SampleKey dso, build_id, start, end, symbol, offset;
};

Ref SampleDict::make(const ReplaySample& replayed, const EventPlan& plan, const SampleKeys& keys, Ref chain) {
  using enum SampleKey;
  const abi::Sample& sample = replayed.sample;
  Ref dict(PyDict_New());
  if (!dict) return nullptr;
  const auto add = [&](SampleKey name, auto value) {
    if (keys.has(name)) put(dict.get(), key(name), value());
  };
  add(EvName, [&] { return texts_.find(plan.name); });
  add(Attr, [&] { return bytes_object(plan.attr_bytes); });
  add(Sample, [&] { return inner(replayed, plan.attr, keys); });
  add(RawBuf, [&] { return bytes_object(sample.raw); });
  add(Comm, [&] { return texts_.find(answers_.comm()); });
  if (keys.has(Dso) || keys.has(DsoBid) || keys.has(DsoMapStart) || keys.has(DsoMapEnd) || keys.has(Symbol) ||
      keys.has(Symoff)) {
    constexpr PlaceKeys kCode{Dso, DsoBid, DsoMapStart, DsoMapEnd, Symbol, Symoff};
    add_place(dict.get(), answers_.code(), kCode, keys);
  }
  add(Callchain, [&] { return chain ? std::move(chain) : chains_.list(); });
  add(Brstack, [&] { return branches(sample); });
  add(Brstacksym, [&] { return branch_symbols(sample); });
  add(Iregs, [&] { return text_object(answers_.registers(sample.interrupt_registers)); });
  add(Uregs, [&] { return text_object(answers_.registers(sample.user_registers)); });
  return PyErr_Occurred() != nullptr ? nullptr : std::move(dict);
}

Ref SampleDict::inner(const ReplaySample& replayed, const abi::EventAttr& attr, const SampleKeys& keys) {
  using enum SampleKey;
  const abi::Sample& sample = replayed.sample;
  const auto has = [&](u64 bit) { return (sample.fields & bit) != 0; };
  Ref dict(PyDict_New());
  if (!dict) return nullptr;
  const auto add = [&](SampleKey name, u64 value) {
    if (keys.has(name)) put(dict.get(), key(name), number_object(value));
  };
  add(Pid, sample.pid);
  add(Tid, sample.tid);
  add(Cpu, has(abi::sample_bit::Cpu) ? sample.cpu : ~0u);
  add(Ip, sample.ip);
  add(Time, has(abi::sample_bit::Time) ? sample.time : ~u64{0});
  add(Period, replayed.period);
  add(PhysAddr, sample.phys_addr);
  add(Addr, sample.addr);
  add_reading(dict.get(), sample, attr, keys);
  add(Weight, sample.weight);
  add(Transaction, sample.transaction);
  const u64 source = has(abi::sample_bit::DataSrc) ? sample.data_src : kNoDataSource;
  add(Datasrc, source);
  if (keys.has(DatasrcDecode)) put(dict.get(), key(DatasrcDecode), texts_.find(answers_.data_source(source)));
  add(Cpumode, sample.cpumode());
  if (has(abi::sample_bit::Addr) && address_has_symbol(attr)) {
    if (keys.has(AddrCorrelatesSym)) put(dict.get(), key(AddrCorrelatesSym), flag_object(true));
    constexpr PlaceKeys kData{AddrDso, AddrDsoBid, AddrDsoMapStart, AddrDsoMapEnd, AddrSymbol, AddrSymoff};
    if (keys.has(AddrDso) || keys.has(AddrDsoBid) || keys.has(AddrDsoMapStart) || keys.has(AddrDsoMapEnd) ||
        keys.has(AddrSymbol) || keys.has(AddrSymoff))
      add_place(dict.get(), answers_.place(sample.addr), kData, keys);
  }
  return dict;
}

void SampleDict::add_reading(PyObject* dict, const abi::Sample& sample, const abi::EventAttr& attr,
                             const SampleKeys& keys) {
  using enum SampleKey;
  const u64 format = attr.read_format;
  if (attr.samples(abi::sample_bit::Read)) {
    if ((format & abi::read_bit::TotalTimeEnabled) != 0 && keys.has(TimeEnabled))
      put(dict, key(TimeEnabled), number_object(sample.read.time_enabled));
    if ((format & abi::read_bit::TotalTimeRunning) != 0 && keys.has(TimeRunning))
      put(dict, key(TimeRunning), number_object(sample.read.time_running));
  }
  if (!keys.has(Values)) return;
  constexpr abi::ReadValue kNothing;
  const std::span<const abi::ReadValue> values =
      sample.read.values.empty() ? std::span(&kNothing, 1) : sample.read.values;
  Ref list(PyList_New(0));
  for (const abi::ReadValue& value : values) {
    const Ref one(Py_BuildValue("(KKK)", value.id, value.value, value.lost));
    if (one) PyList_Append(list.get(), one.get());
  }
  put(dict, key(Values), std::move(list));
}

void SampleDict::add_place(PyObject* dict, const PlaceAnswer& place, const PlaceKeys& of, const SampleKeys& keys) {
  if (place.dso.empty()) return;
  if (keys.has(of.dso)) put(dict, key(of.dso), texts_.find(place.dso));
  if (keys.has(of.build_id)) put(dict, key(of.build_id), texts_.find(place.build_id));
  if (keys.has(of.start)) put(dict, key(of.start), number_object(place.map_start));
  if (keys.has(of.end)) put(dict, key(of.end), number_object(place.map_end));
  if (!place.symbol) return;
  if (keys.has(of.symbol)) put(dict, key(of.symbol), texts_.find(place.symbol->name));
  if (keys.has(of.offset)) put(dict, key(of.offset), number_object(place.address - place.symbol->start));
}

bool SampleDict::address_has_symbol(const abi::EventAttr& attr) {
  if (attr.type == static_cast<u32>(abi::EventType::Hardware)) {  // with period 1: each branch, with its target
    return attr.config == static_cast<u64>(abi::HardwareEvent::BranchInstructions) && attr.sample_period == 1;
  }
  if (attr.type != static_cast<u32>(abi::EventType::Software)) return false;
  const auto config = static_cast<abi::SoftwareEvent>(attr.config);
  return config == abi::SoftwareEvent::PageFaults || config == abi::SoftwareEvent::MinorFaults ||
         config == abi::SoftwareEvent::MajorFaults;
}

Ref SampleDict::dso_of(u64 address) { return texts_.find(answers_.place(address).dso); }

Ref SampleDict::symbol_of(u64 address) {
  const PlaceAnswer place = answers_.place(address);
  if (!place.symbol) return text_object(fmt::format("{:#x}", address));
  return text_object(fmt::format("{}+{:#x}", place.symbol->name, place.address - place.symbol->start));
}

Ref SampleDict::branches(const abi::Sample& sample) {
  Ref list(PyList_New(0));
  for (const abi::BranchEntry& branch : sample.branches) {
    Ref one(PyDict_New());
    if (!one) return nullptr;
    put(one.get(), "from", number_object(branch.from));
    put(one.get(), "to", number_object(branch.to));
    put(one.get(), "mispred", flag_object(branch.mispredicted));
    put(one.get(), "predicted", flag_object(branch.predicted));
    put(one.get(), "in_tx", flag_object(branch.in_transaction));
    put(one.get(), "abort", flag_object(branch.abort));
    put(one.get(), "cycles", number_object(branch.cycles));
    put(one.get(), "from_dsoname", dso_of(branch.from));
    put(one.get(), "to_dsoname", dso_of(branch.to));
    PyList_Append(list.get(), one.get());
  }
  return list;
}

Ref SampleDict::branch_symbols(const abi::Sample& sample) {
  Ref list(PyList_New(0));
  for (const abi::BranchEntry& branch : sample.branches) {
    Ref one(PyDict_New());
    if (!one) return nullptr;
    put(one.get(), "from", symbol_of(branch.from));
    put(one.get(), "to", symbol_of(branch.to));
    put(one.get(), "pred", interned(branch.mispredicted ? "M" : branch.predicted ? "P" : "-"));
    put(one.get(), "in_tx", interned(branch.in_transaction ? "X" : "-"));
    put(one.get(), "abort", interned(branch.abort ? "A" : "-"));
    PyList_Append(list.get(), one.get());
  }
  return list;
}

}  // namespace peregrine::script
