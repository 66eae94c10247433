// Groups digits by three: "1234567.89" → "1,234,567.89".
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// `thousands`: the separator; empty: no grouping.
std::string grouped_number(std::string number, const std::string& thousands);

// With commas: pictures and pages are in English, whatever the locale.
std::string grouped_number(u64 number);

// A number of things: "1 sample", "2,199 samples". `many`: the plural; if empty, `one` with an s.
std::string grouped_count(u64 number, std::string_view one, std::string_view many = {});

}  // namespace peregrine
