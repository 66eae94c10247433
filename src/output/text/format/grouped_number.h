// Groups digits by three: "1234567.89" → "1,234,567.89".
#pragma once
#include <string>

#include "base/types.h"

namespace peregrine {

// `thousands`: the separator; empty: no grouping.
std::string grouped_number(std::string number, const std::string& thousands);

// With commas: pictures and pages are in English, whatever the locale.
std::string grouped_number(u64 number);

}  // namespace peregrine
