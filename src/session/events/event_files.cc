#include "session/events/event_files.h"

#include "base/text/words.h"

namespace peregrine {
namespace {

void add_event_files(const std::string& path, const Root& root, std::vector<std::string>& files) {
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
  if (places.listed) {
    for (const std::string& path : split_words(*places.listed, ':')) add_event_files(path, root, files);
  } else if (!places.folder.empty() && root.is_directory(places.folder)) {
    add_event_files(places.folder, root, files);
  }
  return files;
}

}  // namespace peregrine
