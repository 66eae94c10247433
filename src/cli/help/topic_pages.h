// The Markdown of the pages of help_topics(), from docs/; the build makes topic_pages.cc.
#pragma once
#include <string_view>

namespace peregrine {

std::string_view examples_page();
std::string_view howto_page();
std::string_view tracing_page();
std::string_view formats_page();
std::string_view glossary_page();

}  // namespace peregrine
