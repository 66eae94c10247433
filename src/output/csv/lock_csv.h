// `lock contention -x`: the table as separated values, in linux-perf's layout.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "output/sink.h"
#include "output/text/kernel/lock_text.h"

namespace peregrine {

// Times in ns. With stacks, the last value of a row is the stack, its functions separated by ';'.
void print_lock_csv(const std::vector<LockRow>& rows, const LockTable& table, std::string_view separator, Sink& out);

}  // namespace peregrine
