#include "cmd/script/script_filters.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/result.h"
#include "base/text/printable_text.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/script/script_places.h"
#include "script/dlfilter.h"
#include "session/sandbox/trusted_code.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

std::string filter_folder(const ScriptPlaces& places) { return places.scripts + "/dlfilters"; }

// A name without a slash is searched for here, among the installed filters, and by the dynamic linker. Denied: the file
// that was found may have been put there by others.
Result<std::string> find_filter(const std::string& name, const Config& config) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return name;
  const ScriptPlaces places = ScriptPlaces::find(config);
  const std::string along = filter_folder(places) + "/" + name;
  auto found = fs::exists(name, error)    ? trusted_code("./" + name)
               : fs::exists(along, error) ? places.usable(along)
                                          : Result<std::string>(name);
  if (!found) found.error().hint = fmt::format("to load it anyway, pass its path: --dlfilter ./{}", name);
  return found;
}

}  // namespace

Result<std::unique_ptr<ScriptFilter>> open_dlfilter(const ScriptOptions& options, Invocation& call) {
  auto file = find_filter(options.dlfilter, call.config);
  if (!file) return std::unexpected(std::move(file.error()));
  return ScriptFilter::open({.name = options.dlfilter,
                             .file = std::move(*file),
                             .arguments = options.dlfilter_arguments,
                             .max_stack = options.lines.stacks.max_stack},
                            call.out);
}

int list_dlfilters(Invocation& call) {
  std::set<std::string> files;
  std::set<std::pair<dev_t, ino_t>> refused;  // a file may be reachable under several names
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  for (const std::string& folder : {std::string("."), filter_folder(places)}) {
    for (const std::string& name : names_in_folder(folder))
      if (fs::path(name).extension() == ".so") files.insert(folder + '/' + name);
  }
  call.out.append("List of available dlfilters:\n");
  for (const std::string& file : files) {
    // Describing a filter runs its code.
    const auto usable = file.starts_with("./") ? trusted_code(file) : places.usable(file);
    if (!usable) {
      struct stat status{};
      const bool known = ::stat(file.c_str(), &status) == 0 && !refused.emplace(status.st_dev, status.st_ino).second;
      if (!known) call.messages.warning(printable(usable.error().message) + "; not listed");
      continue;
    }
    if (const auto about = script::DlFilter::describe(*usable))
      call.out.format("  {:<36} {}\n", fs::path(file).filename().string(), *about);
  }
  return 0;
}

}  // namespace peregrine::cmd
