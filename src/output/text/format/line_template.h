// LineTemplate: the user's form of a line: `trace --format '{comm}({pid}) open ({args})'`.
//
//   template := (TEXT | '{' FIELD (':' spec)? '}')*      spec := ('0' | '<' | '>')? WIDTH? ('.' LENGTH)? TYPE?
//   TYPE     := s (text, the default) | d x X o (the number: decimal, hexadecimal, octal)
//
// In TEXT, {{ and }} are braces, and \n, \t, \\ what they are in C. Numbers are right-aligned, texts left-aligned. A
// field that an event lacks is shown as -.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/field/field_values.h"
#include "base/result.h"
#include "base/types.h"
#include "event/term.h"

namespace peregrine {

class LineTemplate {
 public:
  // Errors: Usage, with a caret at the place.
  static Result<LineTemplate> parse(std::string_view text, UsedFields& names);

  // Appends the line with its newline.
  void append(std::string& out, const FieldValues& values) const;

 private:
  struct Part {
    std::string text;  // before the field
    bool has_field = false;
    std::size_t field = 0;
    char type = 's', align = 0, fill = ' ';
    u32 width = 0, length = ~u32{0};
  };
  friend class TemplateParser;
  static void append_field(std::string& out, const Part& part, const FieldValues& values);

  std::vector<Part> parts_;
};

}  // namespace peregrine
