#include "session/report/browse_choice.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/file/folder_entries.h"
#include "base/judged_file.h"

namespace peregrine {

namespace {

bool starts_as_recording(const std::string& path) {
  char magic[8] = {};
  const auto file = open_judged(path, {});
  if (!file || pread_full(file->fd.get(), magic, sizeof magic, 0).value_or(0) != sizeof magic) return false;
  const std::string_view read(magic, sizeof magic);
  return read == "PERFILE2" || read == "2ELIFREP";
}

}  // namespace

std::vector<std::string> recordings_in(const std::string& folder, std::string_view but) {
  std::vector<std::string> names;
  for (std::string& name : names_in_folder(folder))
    if (name != but && starts_as_recording(folder + "/" + name)) names.push_back(std::move(name));
  return names;
}

BrowseStep parse_browse_step(std::string_view word) {
  constexpr std::string_view kOpen = "open ", kTime = "time ";
  BrowseStep step;
  if (word.starts_with(kOpen)) {
    step.opened = word.substr(kOpen.size());
    return step;
  }
  const std::string_view span = word.substr(std::min(kTime.size(), word.size()));
  const char* end = span.data() + span.size();
  const auto first = std::from_chars(span.data(), end, step.from);
  constexpr std::ptrdiff_t kBetween = 2;  // "%-"
  if (first.ec != std::errc() || end - first.ptr <= kBetween) return step;
  std::from_chars(first.ptr + kBetween, end, step.to);
  step.whole_time = false;
  return step;
}

}  // namespace peregrine
