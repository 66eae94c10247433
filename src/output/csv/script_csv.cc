#include "output/csv/script_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "output/csv/csv_text.h"
#include "pipeline/replay/kernel_names.h"

namespace peregrine {

void CsvWriter::add_code(const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  if ((sample.fields & abi::sample_bit::Ip) == 0) {
    text_ += ",,,";
    return;
  }
  const Frame& frame = resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  fmt::format_to(std::back_inserter(text_), "{:#x},{},{},", sample.ip,
                 frame.symbol ? csv_field(resolver.symbol_name(frame)) : "",
                 frame.dso ? csv_field(resolver.machine().dsos().at(frame.dso).name) : "");
}

void CsvWriter::add_stack(const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  if (!event.callchain) return;
  chain_.clear();
  resolver.chain(replayed.context, replayed.sample.callchain, replayed.unwound ? ~0u : max_stack_, chain_);
  stack_.clear();
  for (std::size_t at = chain_.size(); at-- > 0;) {
    const Frame& frame = resolver.at(chain_[at]);
    std::string name(frame.symbol ? resolver.symbol_name(frame) : std::string_view("[unknown]"));
    if (!frame.symbol && frame.dso) name = fmt::format("[{}]", resolver.machine().dsos().at(frame.dso).short_name);
    std::ranges::replace(name, ';', ':');
    if (!stack_.empty()) stack_ += ';';
    stack_ += name;
  }
  text_ += csv_field(stack_);
}

void CsvWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto has = [&](u64 bit) { return (sample.fields & bit) != 0; };
  text_.clear();
  const auto add = std::back_inserter(text_);
  if (has(abi::sample_bit::Time))
    fmt::format_to(add, "{}.{:09}", sample.time / 1'000'000'000, sample.time % 1'000'000'000);
  fmt::format_to(add, ",{},{},", csv_field(event.bare_name), csv_field(resolver.comm(replayed.context)));
  if (has(abi::sample_bit::Tid))
    fmt::format_to(add, "{},{},", static_cast<i32>(sample.pid), static_cast<i32>(sample.tid));
  else
    text_ += ",,";
  if (has(abi::sample_bit::Cpu)) text_ += fmt::to_string(sample.cpu);
  fmt::format_to(add, ",{},", replayed.period);
  add_code(replayed, resolver);
  add_stack(event, replayed, resolver);
  text_ += ',';
  if (event.format != nullptr && !sample.raw.empty()) {
    trace_.clear();
    KernelNames kernel(resolver, replayed.context);
    event.format->print(trace_, sample.raw, &kernel);
    text_ += csv_field(trace_.view());
  }
  text_ += '\n';
  out.room(text_.size());
  out.put(text_);
}

}  // namespace peregrine
