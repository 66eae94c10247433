// Digits in groups of three: "1234567.89" → "1,234,567.89".
#pragma once
#include <string>

namespace peregrine {

// `thousands` is what separates the groups; empty: the number as it is.
std::string grouped_number(std::string number, const std::string& thousands);

}  // namespace peregrine
