#include "session/sandbox/reader_sandbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file/read_failures.h"
#include "base/text/listed.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

void add_output(const std::string& path, SandboxPlan& plan) {
  if (path.empty() || path == "-") return;
  const bool device = (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) || path.starts_with("/proc/");
  (device ? plan.devices : plan.outputs).push_back(path);
}

constexpr std::size_t kMostHiddenPlaces = 5;  // named in the warning

void warn_about_hidden_places(SessionListener& listener, const std::vector<ReadFailure>& hidden,
                              const std::string& unconfined) {
  if (hidden.empty()) return;
  std::vector<std::string> places;
  for (const ReadFailure& failure : hidden)
    places.push_back(fmt::format("'{}': {}", printable(failure.path), std::strerror(failure.error)));
  const bool few_descriptors =
      std::ranges::all_of(hidden, [](const ReadFailure& failure) { return failure.error == EMFILE; });
  const std::string_view what = hidden.size() == 1 ? "it" : "them";
  listener.warning(fmt::format("cannot read {}; the sandbox hides {}", listed(places, kMostHiddenPlaces), what),
                   few_descriptors ? std::string("raise the limit of open files: ulimit -n 1024")
                                   : fmt::format("to read {}: {}", what, unconfined));
}

}  // namespace

SandboxPlan sandbox_plan(const ReaderNeeds& needs, const ReaderHome& home) {
  SandboxPlan plan;
  plan.home = home.home;
  plan.kernel_memory = needs.kernel_code;
  plan.links = needs.links;
  for (const std::string& input : needs.inputs) {
    plan.readable.push_back(input);
    plan.readable.push_back(input + ".old");
  }
  const std::filesystem::path folder = std::filesystem::path(home.program).parent_path();
  plan.readable.insert(plan.readable.end(), {folder.string(), (folder.parent_path() / "lib").string()});
  plan.readable.push_back(home.build_ids);
  for (const std::string& output : needs.outputs) add_output(output, plan);
  plan.outputs.push_back(home.own_cache);
  plan.outputs.push_back((std::filesystem::path(home.temporary_folder) / "peregrine-unpacked-*").string());
  plan.readable.push_back(home.temporary_folder);
  if (needs.servers) {
    plan.outputs.push_back(home.servers_cache);
    plan.network = true;
  }
  if (!needs.objdump.empty()) plan.programs.push_back(needs.objdump);
  if (needs.screen) {
    plan.outputs.insert(plan.outputs.end(), {"perf.hist", "perf.shown", "*.annotation"});
    plan.programs.push_back(home.program);
  }
  std::erase_if(plan.outputs, [](const std::string& path) { return path.empty(); });
  std::erase_if(plan.programs, [](const std::string& path) { return path.empty(); });
  return plan;
}

Result<std::optional<Sandbox>> enter_reader_sandbox(const SandboxPlan& plan, bool required,
                                                    const std::string& unconfined, SessionListener& listener) {
  if (required && !available_walls().any())
    return fail(ErrorKind::Unsupported, "--sandbox: this kernel has neither Landlock nor seccomp filters");
  auto sandbox = Sandbox::enter(plan);
  if (sandbox) {
    warn_about_hidden_places(listener, sandbox->hidden(), unconfined);
    return std::move(*sandbox);
  }
  if (required || sandbox.error().kind == ErrorKind::System) {
    Error error{ErrorKind::System, fmt::format("cannot enter the sandbox: {}", sandbox.error().message)};
    return std::unexpected(
        std::move(error).with_hint(fmt::format("to read without it: {} (or core.sandbox = false)", unconfined)));
  }
  listener.warning(fmt::format("reading without a sandbox: {}", sandbox.error().message));
  return std::nullopt;
}

}  // namespace peregrine
