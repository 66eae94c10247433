#include "support/recipe.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

struct Line {
  std::string word;
  std::string subject;  // the second item, if it has no '='
  Fields fields;

  std::uint64_t take(std::string_view name, std::uint64_t otherwise) {
    const auto found = fields.find(name);
    if (found == fields.end()) return otherwise;
    const std::uint64_t value = found->second.number();
    fields.erase(found);
    return value;
  }
};

// Items separated by blanks; "…" keeps blanks.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if ((c == ' ' || c == '\t') && !quoted) {
      if (any) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (quoted) throw std::invalid_argument("a quotation mark without its second");
  if (any) words.push_back(word);
  return words;
}

Line parse_line(std::string_view text) {
  Line line;
  for (const std::string& word : split(text)) {
    const std::size_t equals = word.find('=');
    if (line.word.empty()) {
      line.word = word;
    } else if (equals == std::string::npos) {
      if (!line.subject.empty()) throw std::invalid_argument("'" + word + "' is not key=value");
      line.subject = word;
    } else {
      line.fields.insert_or_assign(word.substr(0, equals), Value(word.substr(equals + 1)));
    }
  }
  return line;
}

class Compiler {
 public:
  void line(Line line);
  std::vector<std::byte> bytes() {
    std::vector<std::byte> bytes = builder().bytes();
    for (const auto& damage : damages_) bytes = damage(std::move(bytes));
    return bytes;
  }

 private:
  PerfDataBuilder& builder() {
    if (!builder_) builder_.emplace(layout_, endian_);
    return *builder_;
  }
  void records(Line& line);
  bool damage(Line& line);

  Layout layout_ = Layout::File;
  Endian endian_ = Endian::Little;
  std::optional<PerfDataBuilder> builder_;
  std::vector<std::function<std::vector<std::byte>(std::vector<std::byte>)>> damages_;
};

bool Compiler::damage(Line& line) {
  if (line.word != "cut" && line.word != "flip" && line.word != "stretch" && line.word != "overwrite") return false;
  const std::size_t at = Value(line.subject).number();
  if (line.word == "cut") {
    damages_.emplace_back([=](auto bytes) { return cut(std::move(bytes), at); });
  } else if (line.word == "flip") {
    const auto bit = static_cast<unsigned>(line.take("bit", 0));
    damages_.emplace_back([=](auto bytes) { return flip(std::move(bytes), at, bit); });
  } else if (line.word == "stretch") {
    const std::size_t count = line.take("count", 8);
    damages_.emplace_back([=](auto bytes) { return stretch(std::move(bytes), at, count); });
  } else {
    const std::uint64_t value = line.take("value", 0);
    const auto width = static_cast<unsigned>(line.take("width", 8));
    damages_.emplace_back([=](auto bytes) { return overwrite(std::move(bytes), at, value, width); });
  }
  return true;
}

void Compiler::records(Line& line) {
  const std::uint64_t times = line.take("times", 1), time_step = line.take("time_step", 0),
                      ip_step = line.take("ip_step", 0);
  const std::size_t event = line.take("event", 0);
  for (std::uint64_t i = 0; i < times; ++i) {
    builder().record(line.word, line.fields, event);
    for (const auto& [name, step] : {std::pair("time", time_step), std::pair("ip", ip_step)})
      if (const auto found = line.fields.find(name); step != 0 && found != line.fields.end())
        found->second = Value(found->second.number() + step);
  }
}

void Compiler::line(Line line) {
  if ((line.word == "pipe" || line.word == "big") && builder_)
    throw std::invalid_argument(line.word + " comes too late");
  if (line.word == "pipe") {
    layout_ = Layout::Pipe;
  } else if (line.word == "big") {
    endian_ = Endian::Big;
  } else if (line.word == "attr") {
    builder().attr(line.fields);
  } else if (line.word == "feature") {
    builder().feature(line.subject, line.fields);
  } else if (line.word == "build_id") {
    builder().build_id(line.fields);
  } else if (line.word == "data_size") {
    builder().declared_data_size(Value(line.subject).number());
  } else if (line.word == "hex") {
    builder().raw_bytes(from_hex(line.subject));
  } else if (line.word == "record") {
    const auto type = static_cast<std::uint32_t>(line.take("type", 0));
    const auto misc = static_cast<std::uint16_t>(line.take("misc", 0));
    const auto hex = line.fields.find("hex");
    builder().raw_record(type, misc, from_hex(hex == line.fields.end() ? "" : hex->second.text()));
  } else if (!damage(line)) {
    records(line);
  }
}

}  // namespace

std::vector<std::byte> compile_recipe(std::string_view text) {
  Compiler compiler;
  for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('#')) continue;
    try {
      const Line parsed = parse_line(line);
      if (!parsed.word.empty()) compiler.line(parsed);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return compiler.bytes();
}

}  // namespace peregrine::support
