// The constant parts of the pages, embedded by the build: of profiles from html/page, of timelines from html/timeline.
// The scripts have some files in common.
#pragma once
#include <string_view>

namespace peregrine {

std::string_view page_style();
std::string_view page_body();
std::string_view page_script();

std::string_view timeline_style();  // besides page_style()
std::string_view timeline_body();
std::string_view timeline_script();

}  // namespace peregrine
