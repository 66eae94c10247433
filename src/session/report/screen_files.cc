#include "session/report/screen_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file/output_file.h"
#include "base/result.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text_file.h"
#include "output/tui/report/page_text.h"

namespace peregrine {

namespace {

// The first of NAME.0, NAME.1, … that does not exist.
std::string free_name(std::string_view stem) {
  for (unsigned number = 0;; ++number) {
    std::string name = fmt::format("{}.{}", stem, number);
    std::error_code unknown;  // writing the file will then fail
    if (!std::filesystem::exists(name, unknown)) return name;
  }
}

}  // namespace

Result<std::string> write_rows(const BrowsePage& page, std::string_view stem) {
  std::string name = free_name(stem);
  Sink none;
  const auto print = [&](Sink& out) { tui::print_page(out, page); };
  PEREGRINE_TRY(write_whole_file(name, none, print, {.existing = Existing::Refuse}));
  return name;
}

Result<std::string> write_code(const AnnotatedCode& code, const std::string& event) {
  constexpr std::size_t kLongest = 200;
  std::string name = code.listing.symbol.substr(0, kLongest) + ".annotation";
  std::ranges::replace(name, '/', '_');  // the name comes from the recording
  Sink none;
  PEREGRINE_TRY(write_whole_file(name, none, [&](Sink& out) {
    print_annotate_page(out,
                        {.listing = code.listing,
                         .hits = code.hits,
                         .totals = code.totals,
                         .events = code.events,
                         .dso = code.dso,
                         .dso_path = code.dso,
                         .event = event},
                        {});
  }));
  return name;
}

}  // namespace peregrine
