// The outcomes of `test` as JUnit XML, for CI systems.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct JUnitCase {
  enum class Outcome : u8 { Passed, Skipped, Failed };
  std::string_view name;
  Outcome outcome = Outcome::Passed;
  std::string reason;  // if not passed
  std::string log;     // what was executed and printed
  double seconds = 0;
};

void print_junit(std::string_view suite, std::span<const JUnitCase> cases, Sink& out);

}  // namespace peregrine
