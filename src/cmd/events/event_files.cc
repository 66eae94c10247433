#include "cmd/events/event_files.h"

#include "sys/root.h"

namespace peregrine::cmd {

namespace {

void add_path(const std::string& path, std::vector<std::string>& files) {
  const Root live;
  if (path.empty()) return;
  if (!live.is_directory(path)) {
    files.push_back(path);
    return;
  }
  for (const std::string& name : live.sorted_names(path))
    if (name.ends_with(".json")) files.push_back(path + "/" + name);
}

}  // namespace

std::vector<std::string> event_files(const Config& config) {
  std::vector<std::string> files;
  if (const auto listed = config.variable("PEREGRINE_EVENTS")) {
    std::string_view paths = *listed;
    while (!paths.empty()) {
      const std::size_t end = std::min(paths.find(':'), paths.size());
      add_path(std::string(paths.substr(0, end)), files);
      paths.remove_prefix(std::min(end + 1, paths.size()));
    }
    return files;
  }
  const std::string base(config.variable("XDG_CONFIG_HOME").value_or(""));
  if (base.empty() && config.home().empty()) return files;
  const std::string folder = (base.empty() ? config.home() + "/.config" : base) + "/peregrine/events";
  if (Root().is_directory(folder)) add_path(folder, files);
  return files;
}

}  // namespace peregrine::cmd
