// Groups digits by three: "1234567.89" → "1,234,567.89".
#pragma once
#include <string>

namespace peregrine {

// `thousands`: the separator; empty: no grouping.
std::string grouped_number(std::string number, const std::string& thousands);

}  // namespace peregrine
