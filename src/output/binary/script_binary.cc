#include "output/binary/script_binary.h"

#include <cstring>

#include "event/field/trace_value.h"

namespace peregrine {

namespace {

constexpr std::string_view kBinaryNames[] = {"time", "pid", "tid", "cpu", "period", "ip"};

u64 widen(u32 value) { return static_cast<u64>(static_cast<i32>(value)); }

u64 traced_value(std::string_view name, const ScriptEvent& event, const abi::Sample& sample) {
  const TraceField* const field = event.traced == nullptr ? nullptr : event.traced->find(name);
  if (field == nullptr || field->is_array || field->is_data_loc || field->is_rel_loc) return 0;
  return number_of(*field, sample.raw, event.format->order());
}

}  // namespace

BinaryWriter::BinaryWriter(const std::vector<std::string>& columns, unsigned max_stack) : max_stack_(max_stack) {
  for (const std::string& name : columns) columns_.push_back({kind_of(name), name});
  if (!columns_.empty()) return;
  for (const std::string_view name : kBinaryNames) columns_.push_back({kind_of(name), std::string(name)});
}

BinaryWriter::Kind BinaryWriter::kind_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kBinaryNames); ++i)
    if (kBinaryNames[i] == name) return static_cast<Kind>(i);
  return Kind::Traced;
}

// Returns the address that the `jsonl` format shows for the innermost frame.
u64 BinaryWriter::innermost_address(const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  if (event.callchain) {
    chain_.clear();
    resolver.chain(replayed.context, sample.callchain, std::min(max_stack_, 1u), chain_);
    return chain_.empty() ? 0 : resolver.at(chain_.front()).address;
  }
  if (event.format != nullptr || (sample.fields & abi::sample_bit::Ip) == 0) return 0;
  return resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode())).address;
}

u64 BinaryWriter::value_of(const Column& column, const ScriptEvent& event, const ReplaySample& replayed,
                           Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto has = [&](u64 bit) { return (sample.fields & bit) != 0; };
  switch (column.kind) {
    case Kind::Time:
      return has(abi::sample_bit::Time) ? sample.time : 0;
    case Kind::Pid:
      return has(abi::sample_bit::Tid) ? widen(sample.pid) : 0;
    case Kind::Tid:
      return has(abi::sample_bit::Tid) ? widen(sample.tid) : 0;
    case Kind::Cpu:
      return has(abi::sample_bit::Cpu) ? sample.cpu : 0;
    case Kind::Period:
      return event.format == nullptr ? replayed.period : 0;
    case Kind::Ip:
      return innermost_address(event, replayed, resolver);
    case Kind::Traced:
      break;
  }
  return event.format == nullptr ? 0 : traced_value(column.name, event, sample);
}

void BinaryWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) {
  out.room(columns_.size() * sizeof(u64));
  for (const Column& column : columns_) {
    const u64 value = value_of(column, event, sample, resolver);
    std::memcpy(out.end(), &value, sizeof value);
    out.end_at(out.end() + sizeof value);
  }
}

}  // namespace peregrine
