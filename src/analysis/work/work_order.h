// Which tables of `kwork` are shown and how they are sorted: parses option values to kinds and keys. Pure.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "analysis/work/cpu_usage.h"
#include "analysis/work/kernel_work.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

using WorkKinds = std::array<bool, kWorkKinds>;
// "irq,softirq,workqueue"; empty: all. Errors: Usage.
Result<WorkKinds> parse_work_kinds(std::string_view words);

enum class WorkKey : u8 { Total, Average, Most, Count };
// Keys of the tables of run times (runtime, max, count) or of delays (avg, max, count); empty: all, in this order.
// Errors: Usage.
Result<std::vector<WorkKey>> parse_work_keys(std::string_view words, KernelWork::Sum sum);
// The largest first, by the first key that differs.
void sort_work(std::vector<WorkRow>& rows, const std::vector<WorkKey>& keys);

enum class UsageKey : u8 { Runtime, Tid };
// "rate,runtime,tid". Rates are shares of the same time, so they sort as run times do. Errors: Usage.
Result<std::vector<UsageKey>> parse_usage_keys(std::string_view words);
// Longest run time or lowest tid first; tasks that are equal in all keys keep their order.
void sort_usage(std::vector<TaskUsage>& tasks, const std::vector<UsageKey>& keys);

}  // namespace peregrine
