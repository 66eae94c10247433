// print_string: formats an expression for %s: text of a field, names of a table, an array.
#pragma once
#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "event/print/print_format.h"
#include "event/print/print_number.h"
#include "event/print/print_program.h"

namespace peregrine {

void put_string(TextBuffer& out, const PrintFormat::Program& program, u32 node, const PrintSpec& spec, Bytes record);

}  // namespace peregrine
