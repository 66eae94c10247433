// print_string: formats an expression for %s: text of a field, names of a table, an array.
#pragma once
#include "event/print/print_program.h"

namespace peregrine {

void put_string(TextBuffer& out, const PrintFormat::Program& program, u32 node, const PrintSpec& spec, Bytes record);

}  // namespace peregrine
