// FieldValues: the fields of one sample or system call, for expressions (expression.h) and for lines of chosen fields.
//
//   UsedFields   {"ret", "comm"}       the names that were used, each with an index
//   FieldValues  number(0) = -2, append(out, 1) → "dd"
//
// An event may lack a field that others have.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/wide_number.h"
#include "base/types.h"

namespace peregrine {

enum class FieldForm : u8 {
  Unknown,  // no event has it
  Number,
  Time,  // a number of ns, shown in ms
  Text,
  Named,  // a number that may be shown as a name, or a field that is text in some events
};

class UsedFields {
 public:
  struct Source {
    std::function<FieldForm(std::string_view)> kind;
    std::function<std::vector<std::string>()> all;  // for error messages
  };
  explicit UsedFields(Source source) : source_(std::move(source)) {}

  FieldForm kind(std::string_view name) const { return source_.kind(name); }
  std::vector<std::string> all() const { return source_.all(); }
  // The index of a name, which is added if it is new.
  std::size_t index(std::string_view name);
  const std::vector<std::string>& used() const { return used_; }

 private:
  Source source_;
  std::vector<std::string> used_;
};

class FieldValues {
 public:
  virtual ~FieldValues() = default;
  // A number of up to 64 bits, with a sign if the field has one. Nothing if it lacks the field or the field is text.
  // Times are ns.
  virtual std::optional<i128> number(std::size_t field) const = 0;
  // Appends the text that lines show; returns false if it lacks the field.
  virtual bool append(std::string& out, std::size_t field) const = 0;
};

}  // namespace peregrine
