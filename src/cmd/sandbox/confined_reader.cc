#include "cmd/sandbox/confined_reader.h"

#include <unistd.h>

#include <expected>
#include <filesystem>

#include "base/concurrency/own_process.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cli/frame/standard_pipe.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/temporary_folder.h"
#include "cmd/sandbox/denied_files.h"
#include "session/export/picture_request.h"
#include "sys/process/program_path.h"

namespace peregrine::cmd {

void add_symbol_needs(const SymbolOptions& symbols, ReaderNeeds& needs) {
  for (const std::string& place : {symbols.sysroot().folder, symbols.vmlinux, symbols.kallsyms})
    if (!place.empty()) needs.inputs.push_back(place);
  needs.servers |= symbols.servers.has_value();
}

void add_picture_needs(const PictureRequest& pictures, ReaderNeeds& needs) {
  needs.outputs.insert(needs.outputs.end(), {pictures.flame_graph, pictures.html, pictures.heat_map});
  if (pictures.flame_graph.empty()) return;
  // Each further event gets a separate file: out.svg, out.EVENT.svg.
  const std::filesystem::path path(pictures.flame_graph);
  needs.outputs.push_back((path.parent_path() / (path.stem().string() + ".*" + path.extension().string())).string());
}

void settle_input(std::string& input) {
  if (input.empty() && is_pipe(STDIN_FILENO)) input = "-";
}

namespace {

SandboxPlan plan_of(ReaderNeeds needs, const Config& config) {
  for (std::string& input : needs.inputs) input = recording_name(input);
  if (!needs.objdump.empty()) needs.objdump = find_program(needs.objdump, config.search_path());
  return sandbox_plan(needs, {.program = own_program(),
                              .home = config.home(),
                              .build_ids = config.buildid_directory(),
                              .own_cache = config.cache_directory(),
                              .temporary_folder = temporary_folder(),
                              .servers_cache = debug_server_folder(config)});
}

}  // namespace

Result<std::optional<Sandbox>> enter_sandbox(const ReaderNeeds& needs, Invocation& call) {
  const bool required = call.config.text(kSandboxKey, "") == "required";
  const auto wanted = required ? Result<bool>(true) : call.config.flag(kSandboxKey, ::geteuid() == 0);
  if (!wanted) return std::unexpected(wanted.error());
  if (!*wanted) return std::nullopt;
  // `sched -D latency` runs `script` in the same process, which the outer command has already confined.
  if (call.confined) return std::nullopt;
  if (needs.programs) {
    if (!required) return std::nullopt;
    return std::unexpected(
        Error{ErrorKind::Usage, "--sandbox cannot be combined with -s or --dlfilter", "run them without --sandbox"});
  }
  auto sandbox =
      enter_reader_sandbox(plan_of(needs, call.config), required, confinement_of(call).unconfined, call.messages);
  call.confined = sandbox && *sandbox;
  return sandbox;
}

}  // namespace peregrine::cmd
