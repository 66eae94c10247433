// JsonDocument: writes JSON of any depth to a sink, including all commas, quotes and escapes.
//
//   JsonDocument json(out);
//   json.object([&] {
//     json.member("name", "a\"b");
//     json.array("sizes", [&] { json.value(1).value(2); });
//   });                                                     {"name":"a\"b","sizes":[1,2]}
//
// If the document begins with a member, the caller writes the braces around it. JsonLine appends the members of one
// flat object to a text.
#pragma once
#include <concepts>
#include <string_view>
#include <type_traits>

#include "output/json/json_text.h"
#include "output/sink.h"

namespace peregrine {

class JsonDocument {
 public:
  explicit JsonDocument(Sink& out) : out_(out) {}

  // Begins a member; the next call writes its value.
  JsonDocument& key(std::string_view name) {
    quote(name);
    out_.append(':');
    is_first_ = true;
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
  template <class Value>
  JsonDocument& member(std::string_view name, const Value& value) {
    return key(name).value(value);
  }

  // `fill` writes the members or elements.
  template <std::invocable Fill>
  JsonDocument& object(const Fill& fill) {
    return bracketed('{', fill, '}');
  }
  template <std::invocable Fill>
  JsonDocument& object(std::string_view name, const Fill& fill) {
    return key(name).object(fill);
  }
  template <std::invocable Fill>
  JsonDocument& array(const Fill& fill) {
    return bracketed('[', fill, ']');
  }
  template <std::invocable Fill>
  JsonDocument& array(std::string_view name, const Fill& fill) {
    return key(name).array(fill);
  }

  // Starts a new line for the next item, for people and line-based tools.
  JsonDocument& line() {
    has_line_ = true;
    return *this;
  }
  // Begins a value; the caller appends its JSON text.
  Sink& next() {
    if (!is_first_) out_.append(',');
    is_first_ = false;
    if (has_line_) out_.append('\n');
    has_line_ = false;
    return out_;
  }

 private:
  void quote(std::string_view text) {
    append_json_escaped(next().append('"'), text);
    out_.append('"');
  }
  template <class Fill>
  JsonDocument& bracketed(char open, const Fill& fill, char close) {
    next().append(open);
    is_first_ = true;
    fill();
    out_.append(close);
    is_first_ = false;
    return *this;
  }

  Sink& out_;
  bool is_first_ = true;   // of its object or array, or the value of a member
  bool has_line_ = false;  // the next value starts a new line
};

}  // namespace peregrine
