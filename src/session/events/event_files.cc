#include "session/events/event_files.h"

#include <algorithm>
#include <string_view>

namespace peregrine {
namespace {

void add_event_files(const std::string& path, const Root& root, std::vector<std::string>& files) {
  if (path.empty()) return;
  if (!root.is_directory(path)) {
    files.push_back(path);
    return;
  }
  for (const std::string& name : root.sorted_names(path))
    if (name.ends_with(".json")) files.push_back(path + "/" + name);
}

}  // namespace

std::vector<std::string> find_event_files(const EventFilePlaces& places, const Root& root) {
  std::vector<std::string> files;
  if (!places.listed) {
    if (root.is_directory(places.folder)) add_event_files(places.folder, root, files);
    return files;
  }
  std::string_view paths = *places.listed;
  while (!paths.empty()) {
    const std::size_t end = std::min(paths.find(':'), paths.size());
    add_event_files(std::string(paths.substr(0, end)), root, files);
    paths.remove_prefix(std::min(end + 1, paths.size()));
  }
  return files;
}

}  // namespace peregrine
