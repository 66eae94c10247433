// CSV fields as RFC 4180 has them.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// In quotes where it needs them; control characters, and bytes that are not UTF-8, escaped.
std::string csv_field(std::string_view text);

}  // namespace peregrine
