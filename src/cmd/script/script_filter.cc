#include "cmd/script/script_filter.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file/folder_entries.h"
#include "cmd/sandbox/trusted_code.h"
#include "cmd/script/script_places.h"
#include "data/header/recorded_arch.h"
#include "machine/machine.h"
#include "output/text/format/printable.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

std::string filter_folder(const ScriptPlaces& places) { return places.scripts + "/dlfilters"; }

// A name without a slash is looked for here, among those that came along, and by the dynamic linker. Denied when what
// is found could be somebody else's.
Result<std::string> find_filter(const std::string& name, const Config& config) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return name;
  const ScriptPlaces places = ScriptPlaces::find(config);
  const std::string along = filter_folder(places) + "/" + name;
  auto found = fs::exists(name, error)    ? trusted_code("./" + name)
               : fs::exists(along, error) ? places.usable(along)
                                          : Result<std::string>(name);
  if (!found) found.error().hint = fmt::format("to load it anyway, give its path: --dlfilter ./{}", name);
  return found;
}

}  // namespace

Result<std::unique_ptr<ScriptFilter>> ScriptFilter::open(const ScriptOptions& options, Invocation& call) {
  std::unique_ptr<ScriptFilter> made(new ScriptFilter(options, call));
  const auto file = find_filter(options.dlfilter, call.config);
  if (!file) return std::unexpected(file.error());
  auto filter = script::DlFilter::open(*file, options.dlfilter_arguments);
  if (!filter) return std::unexpected(std::move(filter.error()));
  made->filter_ = std::move(*filter);
  return made;
}

Result<ReplaySink*> ScriptFilter::begin(ReplaySink& printer, Machine& machine, SourceTable& sources,
                                        const data::Reader& reader, const std::vector<std::string>& names,
                                        ReplayOptions& replay) {
  const auto nothing = [](std::string_view) { return std::optional<std::string>(); };
  answers_.emplace(machine.dsos(), sources, data::recorded_arch(reader.header().features), options_.max_stack, nothing);
  replay.workers = 1;
  replay.slice_records = 1;
  sink_.emplace(printer, *filter_, *answers_, reader.evlist(), names, std::exchange(replay.filter, {}));
  sink_->set_output([this] { static_cast<void>(call_.out.flush()); }, [] { std::fflush(nullptr); });
  PEREGRINE_TRY(call_.out.flush());
  if (!filter_->start(*answers_)) return fail(ErrorKind::System, "{}: its start() failed", options_.dlfilter);
  return &*sink_;
}

bool ScriptFilter::finish() {
  static_cast<void>(call_.out.flush());
  const bool stopped = filter_->stop();
  std::fflush(nullptr);
  return stopped && !sink_->failed();
}

int list_dlfilters(Invocation& call) {
  std::set<std::string> files;
  std::set<std::pair<dev_t, ino_t>> refused;  // a file may be reached by several names
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  for (const std::string& folder : {std::string("."), filter_folder(places)}) {
    for (const std::string& name : names_in_folder(folder))
      if (fs::path(name).extension() == ".so") files.insert(folder + '/' + name);
  }
  call.out.append("List of available dlfilters:\n");
  for (const std::string& file : files) {
    // To describe one is to run its code.
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
