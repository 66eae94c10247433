#include "cmd/global_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "cli/option/store.h"

namespace peregrine::cmd {

namespace {

Result<> set_paging(GlobalOptions& options, const Use& use) {
  options.paginate = (use.option->name == "paginate") != use.negated;
  return {};
}

Result<> set_sandbox(GlobalOptions& options, const Use& use) {
  options.sandbox = !use.negated;
  return {};
}

// Without a value, prints where scripts are; with a value, sets it.
Result<> set_exec_path(GlobalOptions& options, const Use& use) {
  if (use.has_value)
    options.exec_path = use.value;
  else
    options.show_exec_path = true;
  return {};
}

// The values that linux-perf accepts for --debug. Only `verbose` and `perf-event-open` have an effect here: the others
// refer to parts that work differently.
constexpr std::string_view kDebugVariables[] = {"verbose", "ordered-events", "stderr", "data-convert",
                                                "perf-event-open"};

Result<> set_debug(GlobalOptions& options, const Use& use) {
  const std::size_t equals = use.value.find('=');
  const std::string_view name = use.value.substr(0, equals);
  if (std::ranges::find(kDebugVariables, name) == std::end(kDebugVariables)) {
    Error error{ErrorKind::Usage, fmt::format("invalid --debug '{}'", name)};
    error.hint = fmt::format("must be one of {}", fmt::join(kDebugVariables, ", "));
    if (const auto meant = nearest(name, kDebugVariables)) error.hint = fmt::format("did you mean '{}'?", *meant);
    return std::unexpected(std::move(error));
  }
  unsigned level = 1;
  if (equals != std::string_view::npos) {
    const std::string_view digits = use.value.substr(equals + 1);
    const auto given = parse_number<unsigned>(digits);
    if (!given) return fail(ErrorKind::Usage, "--debug {}: '{}' is not a number", name, digits);
    level = *given;
  }
  constexpr unsigned kMostVerbose = 4;
  if (name == "verbose") options.verbose = std::min(level, kMostVerbose);
  if (name == "perf-event-open" && level > 0) options.verbose = std::max(options.verbose, 2u);
  return {};
}

constexpr Option kGlobalOptions[] = {
    {.name = "help", .letter = 'h', .help = "list the commands", .store = set<&GlobalOptions::help>},
    {.name = "version",
     .letter = 'v',
     .help = "show the version; -vv: also show build options",
     .store = count<&GlobalOptions::version>},
    {.name = "exec-path",
     .value = Value::Sticky,
     .metavar = "path",
     .help = "use scripts installed under this path; without a value: show the path",
     .store = call<set_exec_path>},
    {.name = "html-path", .help = "show where documentation is installed", .store = set<&GlobalOptions::html_path>},
    {.name = "paginate", .letter = 'p', .help = "use a pager", .store = call<set_paging>},
    {.name = "no-pager", .help = "do not use a pager", .store = call<set_paging>},
    {.name = "debugfs-dir",
     .value = Value::Required,
     .metavar = "dir",
     .help = "accepted and ignored: tracefs is found wherever it is mounted",
     .store = set<&GlobalOptions::debugfs_directory>},
    {.name = "buildid-dir",
     .value = Value::Required,
     .metavar = "dir",
     .help = "use this build-id cache (default: ~/.debug)",
     .store = set<&GlobalOptions::buildid_directory>},
    {.name = "list-cmds", .help = "print the names of all commands", .store = set<&GlobalOptions::list_commands>},
    {.name = "debug",
     .value = Value::Required,
     .metavar = "variable[=n]",
     .help = "show more messages: verbose=n means n times -v, perf-event-open means -vv",
     .store = call<set_debug>},
    {.name = "sandbox",
     .help = "read recordings in a sandbox (default for root); --no-sandbox: turn it off",
     .store = call<set_sandbox>,
     .since = Since::Ours},
    {.name = "parse-only",
     .help = "show how the command line is parsed, and run nothing",
     .store = set<&GlobalOptions::parse_only>,
     .shown = Shown::Hidden,
     .since = Since::Ours},
};

}  // namespace

std::span<const Option> global_option_table() { return kGlobalOptions; }

std::vector<std::string> with_version_as_command(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments[0] == "--version") arguments[0] = "version";
  return arguments;
}

}  // namespace peregrine::cmd
