// JsonDocument: writes JSON of any depth to a sink, including all commas, quotes and escapes.
//
//   JsonDocument json(out);
//   json.object([&] {
//     json.member("name", "a\"b");
//     json.array("sizes", [&] { json.value(1).value(2); });
//   });                                                     {"name":"a\"b","sizes":[1,2]}
//
// If the document begins with a member, the caller writes the braces around it. Text that every sample repeats is
// prepared once: a JsonText at compile time, or a prepared() text. JsonLine appends the members of one flat object to a
// text.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/types.h"
#include "output/json/json_text.h"
#include "output/sink.h"

namespace peregrine {

enum class JsonLayout : u8 {
  Tight,     // {"a":1,"b":[2,3]}
  Spaced,    // {"a" : 1, "b" : [2, 3]}
  Indented,  // each item on its own line, behind as many tabs as it is deep: "a": 1
};

// A text that is made at compile time, in the layout Indented, with the comma before it. Copying it costs a few
// instructions, because its length is known.
template <std::size_t kSize>
struct JsonText {
  char text[kSize]{};
  std::size_t size = 0;

  constexpr JsonText& add(char c, std::size_t count = 1) {
    for (; count > 0; --count) text[size++] = c;
    return *this;
  }
  consteval JsonText& add_key(unsigned depth, std::string_view name) {
    add('\n').add('\t', depth).add('"');
    for (const char c : name) {
      if (c < ' ' || c == '"' || c == '\\') throw "keys made at compile time are not escaped";
      add(c);
    }
    return add('"').add(':').add(' ');
  }
  constexpr std::string_view view() const { return {text, kSize}; }
};
// `,\n\t"name": `, for a key at this depth.
template <unsigned kDepth, std::size_t kName>
consteval auto json_key(const char (&name)[kName]) {
  JsonText<kDepth + kName + 5> made;
  made.add(',').add_key(kDepth, name);
  return made;
}
// `,\n\t{\n\t\t"name": `, for an object at this depth and its first key.
template <unsigned kDepth, std::size_t kName>
consteval auto json_start(const char (&name)[kName]) {
  JsonText<2 * kDepth + kName + 8> made;
  made.add(',').add('\n').add('\t', kDepth).add('{').add_key(kDepth + 1, name);
  return made;
}

class JsonDocument {
 public:
  // `depth` > 0: continues an object or array at this depth, which already has items.
  explicit JsonDocument(Sink& out, JsonLayout layout = JsonLayout::Tight, unsigned depth = 0)
      : out_(out), layout_(layout), place_(depth == 0 ? Place::First : Place::Following), depth_(depth) {}

  // A text that is made once: what `fill` writes as the next items at this depth, with the comma before them.
  template <std::invocable<JsonDocument&> Fill>
  static std::string prepared(JsonLayout layout, unsigned depth, const Fill& fill) {
    Sink text;
    JsonDocument json(text, layout, depth);
    fill(json);
    return text.take();
  }
  // Begins an item with a prepared text; the caller appends the rest.
  Sink& put(std::string_view prepared) {
    if (place_ != Place::Following) prepared.remove_prefix(1);
    place_ = Place::Following;
    return out_.append(prepared);
  }

  // Begins a member; the next call writes its value.
  JsonDocument& key(std::string_view name) {
    quote(name);
    out_.append(layout_ == JsonLayout::Tight ? ":" : layout_ == JsonLayout::Spaced ? " : " : ": ");
    place_ = Place::AfterKey;
    return *this;
  }
  // A key that is written for every sample.
  template <std::size_t kSize>
  JsonDocument& key(const JsonText<kSize>& prepared) {
    put(prepared.view());
    place_ = Place::AfterKey;
    return *this;
  }
  // A string, a number, true, false, or null for nullptr.
  template <class Value>
  JsonDocument& value(const Value& value) {
    if constexpr (std::is_null_pointer_v<Value>)
      next().append("null");
    else if constexpr (std::same_as<Value, bool>)
      next().append(value ? "true" : "false");
    else if constexpr (std::signed_integral<Value>)
      next().decimal_signed(value);
    else if constexpr (std::unsigned_integral<Value>)
      next().decimal(value);
    else if constexpr (std::floating_point<Value>)  // must be finite
      next().format("{}", value);
    else
      quote(value);
    return *this;
  }
  // `text`: a result of json_escaped(), for strings that are written many times.
  JsonDocument& escaped(std::string_view text) {
    next().append('"').append(text).append('"');
    return *this;
  }
  template <class Value>
  JsonDocument& member(std::string_view name, const Value& value) {
    return key(name).value(value);
  }
  // Null if the value is missing or not finite: JSON has neither infinities nor NaN.
  JsonDocument& number(std::string_view name, std::optional<double> value, fmt::format_string<const double&> format) {
    key(name);
    if (value && std::isfinite(*value))
      next().format(format, std::as_const(*value));
    else
      next().append("null");
    return *this;
  }

  // `fill` writes the members or elements.
  template <std::invocable Fill>
  JsonDocument& object(const Fill& fill) {
    begin_object();
    fill();
    return end_object();
  }
  template <std::invocable Fill>
  JsonDocument& object(std::string_view name, const Fill& fill) {
    return key(name).object(fill);
  }
  template <std::invocable Fill>
  JsonDocument& array(const Fill& fill) {
    begin_array();
    fill();
    return end_array();
  }
  template <std::invocable Fill>
  JsonDocument& array(std::string_view name, const Fill& fill) {
    return key(name).array(fill);
  }
  // For objects and arrays that end elsewhere.
  JsonDocument& begin_object() { return begin('{'); }
  JsonDocument& end_object() { return end('}'); }
  JsonDocument& begin_array() { return begin('['); }
  JsonDocument& end_array() { return end(']'); }

  // Starts a new line for the next item or closing bracket, for people and line-based tools.
  JsonDocument& line() {
    has_line_ = true;
    return *this;
  }
  // Begins a value; the caller appends its JSON text.
  Sink& next() {
    if (place_ == Place::Following) out_.append(',');
    if (layout_ != JsonLayout::Tight) lay_out();
    place_ = Place::Following;
    start_line();
    return out_;
  }

 private:
  enum class Place : u8 { First, AfterKey, Following };  // of the next value: in its object or array, or in a member

  void quote(std::string_view text) {
    append_json_escaped(next().append('"'), text);
    out_.append('"');
  }
  JsonDocument& begin(char bracket) {
    next().append(bracket);
    place_ = Place::First;
    ++depth_;
    return *this;
  }
  JsonDocument& end(char bracket) {
    --depth_;
    if (layout_ == JsonLayout::Indented) new_line();
    start_line();
    out_.append(bracket);
    place_ = Place::Following;
    return *this;
  }
  void start_line() {
    if (has_line_) out_.append('\n');
    has_line_ = false;
  }
  void lay_out() {
    if (layout_ == JsonLayout::Spaced && place_ == Place::Following) out_.append(' ');
    if (layout_ == JsonLayout::Indented && place_ != Place::AfterKey && depth_ != 0) new_line();
  }
  // Written for every sample: usually one copy.
  void new_line() {
    static constexpr std::string_view kLine = "\n\t\t\t\t\t\t\t";
    if (depth_ < kLine.size())
      out_.append(kLine.substr(0, 1 + depth_));
    else
      out_.append('\n').fill('\t', depth_);
  }

  Sink& out_;
  JsonLayout layout_;
  Place place_;
  bool has_line_ = false;  // the next value or bracket starts a new line
  unsigned depth_;
};

}  // namespace peregrine
