// NameFilter: selects names of functions or variables: globs combined with &, |, ! and parentheses.
//
//   !_* & !*@plt        (foo* | bar*) & !*_cold
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

class NameFilter {
 public:
  // A syntax error is Usage, with its position.
  static Result<NameFilter> parse(std::string_view text);
  bool accepts(const std::string& name) const { return accepts(root_, name); }

 private:
  friend class NameFilterParser;
  enum class Kind { Glob, Not, And, Or };
  struct Node {
    Kind kind = Kind::Glob;
    std::string glob;
    std::size_t left = 0, right = 0;
  };
  bool accepts(std::size_t node, const std::string& name) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace peregrine
