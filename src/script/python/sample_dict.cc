#include "script/python/sample_dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/types.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/python/object.h"

namespace peregrine::script {
namespace {

constexpr std::size_t kKeys = static_cast<std::size_t>(SampleKey::Count);
// In the order of SampleKey: first the keys of the outer dictionary, from TimeEnabled on those of its "sample".
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
    "time_enabled",
    "time_running",
    "values",
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

constexpr const abi::RecordedField& kDataSource =
    *std::ranges::find(abi::kRecordedFields, "data_src", &abi::RecordedField::name);

std::string key_of(const abi::RecordedField& field) {
  return std::string(field.dictionary.key.empty() ? field.name : field.dictionary.key);
}

Ref flag_object(bool flag) { return share(flag ? Py_True : Py_False); }

}  // namespace

SampleDict::SampleDict(Answers& answers, ChainObjects& chains, TextCache& texts,
                       std::span<const abi::RecordedField> fields)
    : answers_(answers), chains_(chains), texts_(texts) {
  for (std::size_t i = 0; i < kKeys; ++i) names_[i] = interned(kNames[i]);
  for (const abi::RecordedField* const field : abi::in_turn<&abi::RecordedField::dictionary>(fields))
    numbers_.push_back({field, interned(key_of(*field).c_str())});
}

SampleKeys SampleDict::keys(const TakenKeys& taken) const {
  SampleKeys keys;
  const auto has_inner = [&](std::string_view name) { return taken.has(fmt::format("sample.{}", name)); };
  for (std::size_t i = 0; i < kKeys; ++i) {
    const bool inner = i >= static_cast<std::size_t>(SampleKey::TimeEnabled);
    keys.taken[i] = inner ? has_inner(kNames[i]) : taken.has(kNames[i]);
  }
  for (const Number& number : numbers_) keys.numbers.push_back(has_inner(key_of(*number.field)));
  return keys;
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
  add(Sample, [&] { return inner(sample, plan.attr, keys); });
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

Ref SampleDict::inner(const abi::Sample& sample, const abi::EventAttr& attr, const SampleKeys& keys) {
  using enum SampleKey;
  Ref dict(PyDict_New());
  if (!dict) return nullptr;
  std::size_t next = 0;
  add_numbers(dict.get(), sample, keys, next, abi::InDictionary::kBeforeReading);
  add_reading(dict.get(), sample, attr, keys);
  add_numbers(dict.get(), sample, keys, next, abi::kAdded - 1);
  if (keys.has(DatasrcDecode)) {
    put(dict.get(), key(DatasrcDecode), texts_.find(answers_.data_source(kDataSource.value_for_scripts(sample))));
  }
  if (keys.has(Cpumode)) put(dict.get(), key(Cpumode), number_object(sample.cpumode()));
  if ((sample.fields & abi::sample_bit::Addr) != 0 && address_has_symbol(attr)) {
    if (keys.has(AddrCorrelatesSym)) put(dict.get(), key(AddrCorrelatesSym), flag_object(true));
    constexpr PlaceKeys kData{AddrDso, AddrDsoBid, AddrDsoMapStart, AddrDsoMapEnd, AddrSymbol, AddrSymoff};
    if (keys.has(AddrDso) || keys.has(AddrDsoBid) || keys.has(AddrDsoMapStart) || keys.has(AddrDsoMapEnd) ||
        keys.has(AddrSymbol) || keys.has(AddrSymoff))
      add_place(dict.get(), answers_.place(sample.addr), kData, keys);
  }
  add_numbers(dict.get(), sample, keys, next, abi::kAdded);
  return dict;
}

void SampleDict::add_numbers(PyObject* dict, const abi::Sample& sample, const SampleKeys& keys, std::size_t& next,
                             u8 last_turn) const {
  for (; next < numbers_.size() && numbers_[next].field->dictionary.turn <= last_turn; ++next)
    if (keys.numbers[next])
      put(dict, numbers_[next].key.get(), number_object(numbers_[next].field->value_for_scripts(sample)));
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
