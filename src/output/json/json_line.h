// JsonLine: appends members to the JSON object that is open at the end of a text. The caller writes the braces.
//
//   std::string text = "{";
//   JsonLine line(text);
//   line.string("name", "a\"b");
//   line.number("size", 3);
//   text += '}';                     {"name":"a\"b","size":3}
//
// The text may end with the '{' of a nested object: the first member after it gets no comma.
#pragma once
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "output/json/json_text.h"

namespace peregrine {

class JsonLine {
 public:
  explicit JsonLine(std::string& text) : text_(text) {}

  void key(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    text_ += '"';
    append_json_escaped(text_, name);
    text_ += "\":";
  }
  void string(std::string_view name, std::string_view value) {
    key(name);
    text_ += '"';
    append_json_escaped(text_, value);
    text_ += '"';
  }
  // `escaped`: a result of json_escaped(), for texts that are written many times.
  void escaped_string(std::string_view name, std::string_view escaped) {
    key(name);
    text_ += '"';
    text_ += escaped;
    text_ += '"';
  }
  // An element of the array that is open at the end of the text.
  void escaped_element(std::string_view escaped) {
    if (text_.back() != '[') text_ += ',';
    ((text_ += '"') += escaped) += '"';
  }
  // `value`: any JSON value as text, or the '{' or '[' that begins one.
  void raw(std::string_view name, std::string_view value) {
    key(name);
    text_ += value;
  }
  template <class Number>
  void number(std::string_view name, Number value) {
    key(name);
    if constexpr (std::is_integral_v<Number> && sizeof(Number) > 1) {
      const fmt::format_int digits(value);
      text_.append(digits.data(), digits.size());
    } else {
      fmt::format_to(std::back_inserter(text_), "{}", value);
    }
  }

 private:
  std::string& text_;
};

}  // namespace peregrine
