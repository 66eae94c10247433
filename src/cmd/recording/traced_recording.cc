#include "cmd/recording/traced_recording.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/number/number_list.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "cmd/recording/temporary_folder.h"

namespace peregrine::cmd {

std::optional<TracedRecording> open_traced(const TracedInput& input, const SymbolOptions& symbols, Invocation& call) {
  auto recording =
      open_traced({.path = recording_name(input.path), .force = input.force, .temporary_folder = temporary_folder()},
                  symbol_request(symbols, call.config), call.messages);
  if (recording) return std::move(*recording);
  say_open_error(call, input.path, recording.error(), recorder_of(call.command));
  return std::nullopt;
}

std::vector<std::string> record_arguments(const std::string& output, const std::vector<std::string>& command,
                                          const std::vector<std::string>& options) {
  std::vector<std::string> arguments;
  if (!output.empty()) arguments.push_back("--output=" + output);
  arguments.insert(arguments.end(), options.begin(), options.end());
  if (!command.empty()) arguments.emplace_back("--");
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

Result<int> record_traced(TracepointRecording recording, std::span<const std::string> rest, Invocation& call) {
  recording.arguments.insert(recording.arguments.end(), rest.begin(), rest.end());
  auto done = run_other(kRecord, std::move(recording.arguments), call);
  if (!done) return std::unexpected(recording.tracepoints.cause_of(std::move(done.error())));
  return done;
}

Result<int> dump_traced(const TracedInput& input, Invocation& call) {
  std::vector<std::string> words{"-D"};
  if (!input.path.empty()) words.push_back("--input=" + input.path);
  if (input.force) words.emplace_back("--force");
  return run_other(kScript, std::move(words), call);
}

std::string recorder_of(const Command& command) {
  return fmt::format("{} record", command.name.substr(0, command.name.rfind(' ')));
}

Result<std::vector<u32>> numbers_of(const std::string& text, std::string_view option, u32 highest) {
  auto numbers = parse_number_list(text, highest);
  if (!numbers) return fail(ErrorKind::Usage, "{}: {}", option, numbers.error().message);
  return numbers;
}

}  // namespace peregrine::cmd
