// Whether a command's output can be read by the programs it is for: strict parsers of the formats, none of them ours.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// Each returns the problem; empty: no problem.
std::string check_json(std::string_view text);
std::string check_json_lines(std::string_view text);
std::string check_csv(std::string_view text);
// Rows of comma-separated values, for programs: no quotes, and texts may contain commas. Lines that begin with # are
// titles.
std::string check_values(std::string_view text);
// No cell that a spreadsheet would interpret as a formula. `quoted`: as CSV.
std::string check_no_formulas(std::string_view text, bool quoted);
std::string check_xml(std::string_view text);
// A page of --html: its title is text, and its embedded data unpacks to JSON.
std::string check_page(std::string_view text);
// The gzipped messages of profile.proto: complete fields, texts in UTF-8, ids that resolve.
std::string check_pprof(std::string_view text);
// A folder in the Common Trace Format: complete packets.
std::string check_ctf(const std::string& folder);
// Text for people and programs: no control characters except newline and tab.
std::string check_text(std::string_view text);

}  // namespace peregrine
