#include "session/report/browse_choice.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/fd.h"
#include "base/file/folder_entries.h"
#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "data/header/file_header.h"

namespace peregrine {

namespace {

bool starts_as_recording(const std::string& path) {
  char magic[8] = {};
  const auto file = open_judged(path, {});
  if (!file || pread_full(file->fd.get(), magic, sizeof magic, 0).value_or(0) != sizeof magic) return false;
  const std::string_view read(magic, sizeof magic);
  return read == data::kMagic2 || read == data::kMagic2Swapped;
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
  std::string_view span = word.substr(std::min(kTime.size(), word.size()));
  const auto from = take_number<double>(span);
  step.from = from.value_or(step.from);
  constexpr std::size_t kBetween = 2;  // "%-"
  if (!from || span.size() <= kBetween) return step;
  step.to = leading_number<double>(span.substr(kBetween)).value_or(step.to);
  step.whole_time = false;
  return step;
}

}  // namespace peregrine
