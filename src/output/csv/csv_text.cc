#include "output/csv/csv_text.h"

#include "output/text/format/printable.h"

namespace peregrine {

std::string csv_field(std::string_view text, std::string_view separator) {
  std::string safe = printable(text);
  const bool splits = !separator.empty() && safe.contains(separator);
  if (!splits && safe.find_first_of(",\"") == std::string::npos && !safe.starts_with(' ') && !safe.ends_with(' '))
    return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace peregrine
