// The page of `check`: groups of findings with a mark, a name and a reason in columns, then the commands to type.
#pragma once
#include <string_view>

#include "capture/diagnosis/diagnosis.h"
#include "output/sink.h"

namespace peregrine {

struct CheckPage {
  std::string_view heading;  // which program, on which kernel
  unsigned columns = 100;    // reasons are broken at this width
  bool colour = false;       // marks in colour: only for a terminal
};

void print_diagnosis(const Diagnosis& diagnosis, const CheckPage& page, Sink& out);

}  // namespace peregrine
