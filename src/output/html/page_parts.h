// The constant parts of a profile page: from html/page, embedded by the build.
#pragma once
#include <string_view>

namespace peregrine {

std::string_view page_style();
std::string_view page_body();
std::string_view page_script();

}  // namespace peregrine
