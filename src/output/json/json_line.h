// JsonLine: appends members to a JSON object after the '{' at the end of a text.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "output/json/json_text.h"

namespace peregrine {

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

}  // namespace peregrine
