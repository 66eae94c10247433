#include "cmd/script_filter.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include "cmd/script_places.h"
#include "data/recorded_arch.h"
#include "machine/machine.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

std::string filter_folder(const Config& config) { return ScriptPlaces::find(config).scripts + "/dlfilters"; }

// A name without a slash is looked for here, among those that came along, and by the dynamic linker.
std::string find_filter(const std::string& name, const Config& config) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return name;
  if (fs::exists(name, error)) return "./" + name;
  const std::string own = filter_folder(config) + "/" + name;
  return fs::exists(own, error) ? own : name;
}

}  // namespace

Result<std::unique_ptr<ScriptFilter>> ScriptFilter::open(const ScriptOptions& options, Invocation& call) {
  std::unique_ptr<ScriptFilter> made(new ScriptFilter(options, call));
  auto filter = script::DlFilter::open(find_filter(options.dlfilter, call.config), options.dlfilter_arguments);
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
  std::error_code error;
  for (const std::string& folder : {std::string("."), filter_folder(call.config)}) {
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".so") files.insert(entry.path().string());
  }
  call.out.append("List of available dlfilters:\n");
  for (const std::string& file : files) {
    if (const auto about = script::DlFilter::describe(file))
      call.out.format("  {:<36} {}\n", fs::path(file).filename().string(), *about);
  }
  return 0;
}

}  // namespace peregrine::cmd
