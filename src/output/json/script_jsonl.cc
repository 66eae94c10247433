#include "output/json/script_jsonl.h"

#include <fmt/format.h>

#include <iterator>

#include "output/json/json_text.h"

namespace peregrine {

namespace {

class JsonLine {
 public:
  explicit JsonLine(std::string& text) : text_(text) {}

  void key(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    text_ += '"';
    text_ += json_escaped(name);
    text_ += "\":";
  }
  void string(std::string_view name, std::string_view value) {
    key(name);
    text_ += '"';
    text_ += json_escaped(value);
    text_ += '"';
  }
  template <class Number>
  void number(std::string_view name, Number value) {
    key(name);
    text_ += fmt::to_string(value);
  }

 private:
  std::string& text_;
};

void append_number(std::string& text, const TraceField& field, u64 value) {
  text += field.is_signed ? fmt::to_string(static_cast<i64>(value)) : fmt::to_string(value);
}

void append_array(std::string& text, const TraceField& field, Bytes bytes, ByteOrder order) {
  const u32 size = field.element_size();
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  text += '[';
  for (std::size_t at = 0; at + (whole ? size : 1) <= bytes.size(); at += whole ? size : 1) {
    if (at > 0) text += ',';
    const u64 value = load_number(bytes, at, whole ? size : 1, order);
    append_number(text, field, field.is_signed ? extend_sign(value, size) : value);
  }
  text += ']';
}

void append_fields(std::string& text, const TraceFormat& format, const PrintFormat& print, Bytes record) {
  JsonLine line(text);
  std::string words;
  line.key("fields");
  text += '{';
  bool whole = true;
  for (const TraceField& field : format.fields) {
    whole = text.size() <= PrintFormat::kMostText;  // formats come from strangers
    if (!whole) break;
    if (field.is_string && field.is_array) {
      line.string(field.name, text_of(field, record, print.order()));
      continue;
    }
    line.key(field.name);
    if (field.is_array) {
      append_array(text, field, bytes_of(field, record, print.order()), print.order());
      continue;
    }
    append_number(text, field, number_of(field, record, print.order()));
    const PrintNames* const names = print.names_of(field.name);
    if (names == nullptr) continue;
    const u64 value = load_number(record, field.offset, field.size, print.order());
    fmt::format_to(std::back_inserter(words), "{}\"{}\":\"{}\"", words.empty() ? "" : ",", json_escaped(field.name),
                   json_escaped(names->text(value)));
  }
  text += '}';
  if (!whole) line.number("incomplete", true);
  if (words.empty()) return;
  line.key("words");
  text += '{' + words + '}';
}

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
  if (event.format != nullptr) append_fields(text, *event.traced, *event.format, sample.raw);
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
