// page_frame: the HTML around the parts of a self-contained page. It loads nothing and sends nothing.
#pragma once
#include <string_view>

#include "output/sink.h"

namespace peregrine {

// Up to the start of the body.
void begin_page(Sink& out, std::string_view title, std::string_view style);
// The page's script, with variables that are not the window's.
void add_page_script(Sink& out, std::string_view script);

}  // namespace peregrine
