// confined(): how a command that reads recordings enters the sandbox (docs/sandbox.md).
//
//   .run = entry<ReportOptions, confined<ReportOptions, report>>
//
// needs_of(options, call), or the options' member needs(), returns what a command reads, writes and starts; by default
// it reads the member `input`. A member `symbols` is always used as well. Commands that read only in some cases call
// enter_sandbox() before they open a recording. Main thread only.
#pragma once
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "session/sandbox/reader_sandbox.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {
struct PictureRequest;
}  // namespace peregrine

namespace peregrine::cmd {

struct AnnotateOptions;
struct DiffOptions;
struct ReportOptions;
struct ScriptOptions;
struct SymbolOptions;

// "true", "false", or "required": fail rather than read without a sandbox. Set by --sandbox and --no-sandbox.
inline constexpr std::string_view kSandboxKey = "core.sandbox";

ReaderNeeds needs_of(const AnnotateOptions& options, const Invocation& call);
ReaderNeeds needs_of(const DiffOptions& options, const Invocation& call);
ReaderNeeds needs_of(const ReportOptions& options, const Invocation& call);
ReaderNeeds needs_of(const ScriptOptions& options, const Invocation& call);
// The files and folders named by these options.
void add_symbol_needs(const SymbolOptions& symbols, ReaderNeeds& needs);
void add_picture_needs(const PictureRequest& pictures, ReaderNeeds& needs);

// If no recording is named, "-" if standard input is a pipe.
void settle_input(std::string& input);

// Keep it until the last file is written. Nothing if no sandbox is wanted, or if the kernel does not support it and it
// is not required (a warning says what failed). Errors: as enter_reader_sandbox(), and Usage, a sandbox is required but
// impossible.
Result<std::optional<Sandbox>> enter_sandbox(const ReaderNeeds& needs, Invocation& call);

// Runs a command's function in the sandbox.
template <class Options, auto Function>
Result<int> confined(Options& options, Invocation& call) {
  ReaderNeeds needs;
  if constexpr (requires { options.input.path; })
    settle_input(options.input.path);
  else if constexpr (requires { settle_input(options.input); })
    settle_input(options.input);
  if constexpr (requires { needs_of(options, call); })
    needs = needs_of(options, call);
  else if constexpr (requires { options.needs(); })
    needs = options.needs();
  else if constexpr (requires { options.input.path; })
    needs.inputs = {options.input.path};
  else
    needs.inputs = {options.input};
  if constexpr (requires { add_symbol_needs(options.symbols, needs); }) add_symbol_needs(options.symbols, needs);
  const auto sandbox = enter_sandbox(needs, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  return Function(options, call);
}

}  // namespace peregrine::cmd
