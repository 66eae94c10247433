// attr_text: formats an attr like `evlist -v`: "type: 1, size: 128, { sample_period, sample_freq }: 4000, sample_type:
// IP|TID…". Prints only non-zero fields, in linux-perf 6.1's order and spelling. Pure.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

// (field name, value text) pairs of the non-zero fields.
std::vector<std::pair<std::string, std::string>> attr_fields(const abi::EventAttr& attr);
// All fields by name, zeros included, flags as 0 or 1; for programs that compare attrs.
std::vector<std::pair<std::string_view, u64>> attr_numbers(const abi::EventAttr& attr);
// "name: value" joined by ", ".
std::string attr_text(const abi::EventAttr& attr);
// "IP|TID|TIME": bit names of sample_type, read_format, branch_sample_type.
std::string sample_type_text(u64 bits);
std::string read_format_text(u64 bits);
std::string branch_type_text(u64 bits);

}  // namespace peregrine
