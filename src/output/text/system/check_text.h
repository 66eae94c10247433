// The page of `check`: groups of findings with mark, name and reason in columns, then the commands to type.
#pragma once
#include <string_view>

#include "capture/diagnosis/diagnosis.h"
#include "output/sink.h"

namespace peregrine {

struct CheckPage {
  std::string_view heading;  // program and kernel
  unsigned columns = 100;    // wrap width of reasons
  bool colour = false;       // coloured marks: only for terminals
};

void print_diagnosis(const Diagnosis& diagnosis, const CheckPage& page, Sink& out);

}  // namespace peregrine
