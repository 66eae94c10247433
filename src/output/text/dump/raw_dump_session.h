// The recorder's own records as -D writes them, behind their name: " nr: 1 thread: 7\n", "\n... id:    5\n... unit:
// msec\n".
#pragma once
#include <string>

#include "abi/record.h"

namespace peregrine {

// Appends nothing for records that consist of just their name.
void append_raw_session_record(std::string& out, const abi::RecordView& record);

}  // namespace peregrine
