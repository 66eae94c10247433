#include "cmd/sandbox/confined_reader.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/text/listed.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/own_process.h"
#include "cli/frame/standard_pipe.h"
#include "cmd/export/picture_options.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/recording.h"
#include "output/text/format/printable.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

bool is_file_name(const std::string& path) { return !path.empty() && path != "-"; }

void add_output(const std::string& path, SandboxPlan& plan) {
  if (!is_file_name(path)) return;
  const bool device = (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) || path.starts_with("/proc/");
  (device ? plan.devices : plan.outputs).push_back(path);
}

void add_servers(const Config& config, SandboxPlan& plan) {
  plan.outputs.push_back(debug_server_folder(config));
  plan.network = true;
}

SandboxPlan plan_of(const ReaderNeeds& needs, const Config& config) {
  SandboxPlan plan;
  plan.home = config.home();
  plan.kernel_memory = needs.kernel_code;
  plan.links = needs.links;
  for (const std::string& input : needs.inputs) {
    const std::string name = recording_name(input);
    plan.readable.push_back(name);
    plan.readable.push_back(name + ".old");
  }
  const std::string program = own_program();
  const fs::path folder = fs::path(program).parent_path();
  plan.readable.insert(plan.readable.end(), {folder.string(), (folder.parent_path() / "lib").string()});
  plan.readable.push_back(config.buildid_directory());
  for (const std::string& output : needs.outputs) add_output(output, plan);
  plan.outputs.push_back(config.cache_directory());
  // The private folders of archives.
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  const fs::path top = error ? fs::path("/tmp") : temporary;
  plan.outputs.push_back((top / "peregrine-unpacked-*").string());
  plan.readable.push_back(top.string());
  if (needs.servers) add_servers(config, plan);
  if (!needs.objdump.empty())
    plan.programs.push_back(find_program(needs.objdump, config.variable("PATH").value_or("/usr/bin:/bin")));
  if (needs.screen) {
    plan.outputs.insert(plan.outputs.end(), {"perf.hist", "perf.shown", "*.annotation"});
    plan.programs.push_back(program);
  }
  std::erase_if(plan.outputs, [](const std::string& path) { return path.empty(); });
  std::erase_if(plan.programs, [](const std::string& path) { return path.empty(); });
  return plan;
}

}  // namespace

void add_symbol_needs(const SymbolOptions& symbols, ReaderNeeds& needs) {
  for (const std::string& place : {symbols.sysroot().folder, symbols.vmlinux, symbols.kallsyms})
    if (!place.empty()) needs.inputs.push_back(place);
  needs.servers |= symbols.servers.has_value();
}

void add_picture_needs(const PictureOptions& pictures, ReaderNeeds& needs) {
  needs.outputs.insert(needs.outputs.end(), {pictures.flame_graph, pictures.html, pictures.heat_map});
  if (pictures.flame_graph.empty()) return;
  // Each further event gets a file beside: out.svg, out.EVENT.svg.
  const fs::path path(pictures.flame_graph);
  needs.outputs.push_back((path.parent_path() / (path.stem().string() + ".*" + path.extension().string())).string());
}

namespace {

constexpr std::size_t kMostPlaces = 5;  // named in the warning

void warn_about_hidden_places(Invocation& call, const std::vector<ReadFailure>& hidden) {
  if (hidden.empty()) return;
  std::vector<std::string> places;
  for (const ReadFailure& failure : hidden)
    places.push_back(fmt::format("'{}': {}", printable(failure.path), std::strerror(failure.error)));
  const bool few_descriptors =
      std::ranges::all_of(hidden, [](const ReadFailure& failure) { return failure.error == EMFILE; });
  call.messages.warning(fmt::format("cannot read {}; the sandbox hides what is in {}", listed(places, kMostPlaces),
                                    hidden.size() == 1 ? "it" : "them"),
                        few_descriptors
                            ? std::string("raise the limit of open files: ulimit -n 1024")
                            : fmt::format("to read {}: {} --no-sandbox {} ...", hidden.size() == 1 ? "it" : "them",
                                          call.messages.program(), call.command.name));
}

}  // namespace

void settle_input(std::string& input) {
  if (input.empty() && is_pipe(STDIN_FILENO)) input = "-";
}

Result<std::optional<Sandbox>> enter_sandbox(const ReaderNeeds& needs, Invocation& call) {
  const bool required = call.config.text(kSandboxKey, "") == "required";
  const auto wanted = required ? Result<bool>(true) : call.config.flag(kSandboxKey, ::geteuid() == 0);
  if (!wanted) return std::unexpected(wanted.error());
  if (!*wanted) return std::nullopt;
  // `sched -D latency` runs `script`: the walls of the outer command are up for good.
  if (call.confined) return std::nullopt;
  if (needs.programs) {
    if (!required) return std::nullopt;
    return std::unexpected(
        Error{ErrorKind::Usage, "--sandbox: cannot be combined with -s or --dlfilter", "run them without --sandbox"});
  }
  if (required && !available_walls().any())
    return fail(ErrorKind::Unsupported, "--sandbox: this kernel has neither Landlock nor seccomp filters");
  auto sandbox = Sandbox::enter(plan_of(needs, call.config));
  if (sandbox) {
    call.confined = true;
    warn_about_hidden_places(call, sandbox->hidden());
    return std::move(*sandbox);
  }
  if (required || sandbox.error().kind == ErrorKind::System) {
    Error error{ErrorKind::System, fmt::format("cannot enter the sandbox: {}", sandbox.error().message)};
    return std::unexpected(
        std::move(error).with_hint(fmt::format("to read without it: {} --no-sandbox {} ... (or core.sandbox = false)",
                                               call.messages.program(), call.command.name)));
  }
  call.messages.warning(fmt::format("reading without a sandbox: {}", sandbox.error().message));
  return std::nullopt;
}

}  // namespace peregrine::cmd
