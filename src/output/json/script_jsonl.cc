#include "output/json/script_jsonl.h"

#include <fmt/format.h>

#include "output/json/json_line.h"
#include "output/json/trace_fields_json.h"

namespace peregrine {

namespace {

void append_frame(std::string& text, Resolver& resolver, FrameId id) {
  const Frame& frame = resolver.at(id);
  text += '{';
  JsonLine line(text);
  line.string("ip", fmt::format("{:#x}", frame.address));
  if (frame.symbol) {
    line.string("symbol", resolver.symbol_name(frame));
    line.number("offset", resolver.symbol_offset(frame));
  }
  if (frame.dso) line.string("dso", resolver.machine().dsos().at(frame.dso).name);
  text += '}';
}

}  // namespace

void JsonWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto has = [&](u64 bit) { return (sample.fields & bit) != 0; };
  std::string& text = text_;
  text.assign(1, '{');
  JsonLine line(text);
  if (has(abi::sample_bit::Time)) {
    line.key("time");
    fmt::format_to(std::back_inserter(text), "{}.{:09}", sample.time / 1'000'000'000, sample.time % 1'000'000'000);
  }
  line.string("event", event.bare_name);
  line.string("comm", resolver.comm(replayed.context));
  if (has(abi::sample_bit::Tid)) {
    line.number("pid", static_cast<i32>(sample.pid));
    line.number("tid", static_cast<i32>(sample.tid));
  }
  if (has(abi::sample_bit::Cpu)) line.number("cpu", sample.cpu);
  if (event.format == nullptr) line.number("period", replayed.period);
  if (event.format != nullptr) append_trace_fields(text, *event.traced, *event.format, sample.raw);
  std::vector<FrameId>& chain = chain_;
  chain.clear();
  if (event.callchain)
    resolver.chain(replayed.context, sample.callchain, replayed.unwound ? ~0u : max_stack_, chain);
  else if (event.format == nullptr && has(abi::sample_bit::Ip))
    chain.push_back(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  if (!chain.empty()) {
    line.key("stack");
    text += '[';
    for (const FrameId frame : chain) {
      if (text.back() != '[') text += ',';
      append_frame(text, resolver, frame);
    }
    text += ']';
  }
  text += "}\n";
  out.room(text.size());
  out.put(text);
}

}  // namespace peregrine
