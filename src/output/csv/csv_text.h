// CSV fields as in RFC 4180, with any separator.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// Quoted if necessary; escapes control characters and invalid UTF-8.
std::string csv_field(std::string_view text, std::string_view separator = ",");

}  // namespace peregrine
