// probe: adds, removes and lists dynamic events in the kernel and in programs, and shows where they are possible.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/message.h"
#include "cmd/probe/probe_options.h"
#include "cmd/sandbox/confined_reader.h"
#include "probe/definition/trace_probe.h"
#include "session/probe/existing_probes.h"
#include "session/probe/probe_plan.h"
#include "session/probe/probe_request.h"
#include "session/probe/probe_views.h"
#include "session/probe/probed_files.h"
#include "session/sandbox/reader_sandbox.h"
#include "sys/root.h"

namespace peregrine::cmd {

ProbeHome probe_home(const Invocation& call) {
  return {.search_path = std::string(call.config.search_path()),
          .build_ids = call.config.buildid_directory(),
          .program_name = std::string(call.messages.program())};
}

namespace {

// Prints the error; the exit code is -errno as a byte, as in linux-perf.
int give_up(const Error& error, Invocation& call) {
  constexpr int kNotFound = 254, kInvalid = 234, kExists = 239;
  call.messages.error(error);
  if (error.kind == ErrorKind::Usage && error.system_errno == EEXIST) return kExists;
  return error.kind == ErrorKind::NotFound ? kNotFound : error.kind == ErrorKind::Usage ? kInvalid : exit_code(error);
}

// Usage errors are left to the caller, which prints the usage line with them.
Result<int> code_of(const Result<>& done, Invocation& call) {
  if (done) return 0;
  if (done.error().kind == ErrorKind::Usage) return std::unexpected(done.error());
  return give_up(done.error(), call);
}

// Several actions at once would only do part of what was meant: -d A B must not remove only A.
Result<> check_one_request(const ProbeRequest& request, const Invocation& call) {
  const std::pair<bool, std::string_view> requests[] = {
      {request.list.has_value(), "-l"},      {request.functions.has_value(), "-F"}, {request.line.has_value(), "-L"},
      {request.variables.has_value(), "-V"}, {!request.remove.empty(), "-d"},       {!request.define.empty(), "-D"},
      {!request.add.empty(), "-a"},
  };
  std::vector<std::string_view> given;
  for (const auto& [wanted, name] : requests)
    if (wanted) given.push_back(name);
  if (given.size() > 1) return fail(ErrorKind::Usage, "{} cannot be used together", fmt::join(given, " and "));
  if (given.empty() || given.front() == "-a" || call.words.empty()) return {};
  // The argument of -l, -F, -L and -V may come last: -l -x PROGRAM NAME.
  const bool takes_word = (request.list && request.list->empty()) ||
                          (request.functions && request.functions->empty()) ||
                          (request.line && request.line->empty()) || (request.variables && request.variables->empty());
  if (takes_word && call.words.size() == 1) return {};
  return std::unexpected(Error{ErrorKind::Usage,
                               fmt::format("{} takes one name; found a second name, \"{}\"", given.front(),
                                           takes_word ? call.words[1] : call.words.front()),
                               given.front() == "-d" ? "repeat -d for each name, or use a glob: -d A -d 'B*'" : ""});
}

// The value of -l, -F, -L or -V, which may come last.
std::string word_of(const std::optional<std::string>& value, const Invocation& call) {
  if (value && !value->empty()) return *value;
  return call.words.empty() ? std::string() : call.words.front();
}

// The program, its debug information and its sources may be untrusted.
ReaderNeeds needs_of(const ProbeRequest& request, const Invocation& call) {
  ReaderNeeds needs;
  const std::string program =
      request.program.empty() ? "" : find_probed_file(request.program, probe_home(call).search_path);
  for (const std::string& input : {program, request.module, request.vmlinux, request.source, request.symfs})
    if (!input.empty()) needs.inputs.push_back(input);
  return needs;
}

Result<> show_confined(const ProbeRequest& request, Invocation& call) {
  const auto sandbox = enter_sandbox(needs_of(request, call), call);
  if (!sandbox) return std::unexpected(sandbox.error());
  const ProbeHome home = probe_home(call);
  if (request.functions) return show_probe_functions(request, word_of(request.functions, call), home, call.out);
  const std::string place = word_of(request.line ? request.line : request.variables, call);
  if (place.empty())
    return fail(
        ErrorKind::Usage, "{}",
        request.line ? "--line requires a function or source file" : "--vars requires a location, such as a function");
  return request.line ? show_probe_lines(request, place, home, call.out)
                      : show_probe_variables(request, place, home, call.out);
}

Result<> list_existing(const ProbeRequest& request, Invocation& call) {
  const std::string pattern = word_of(request.list, call);
  const ProbeHome home = probe_home(call);
  if (!request.cache) return list_probes(request, pattern, home, Root(), call.out);
  list_cached_probes(pattern, home, call.out);
  return {};
}

Result<int> remove_existing(const ProbeRequest& request, Invocation& call) {
  const ProbeHome home = probe_home(call);
  int code = 0;
  const auto tell = [&](const ProbeRemoval& removal) {
    if (!removal)
      code = give_up(removal.error(), call);
    else if (request.cache)
      call.messages.verbatim(fmt::format("Removed cached event: {}\n", *removal));
    else if (!request.quiet)
      call.messages.verbatim(fmt::format("Removed event: {}\n", *removal));
  };
  if (request.cache)
    std::ranges::for_each(remove_cached_probes(request, home), tell);
  else if (const auto done = remove_probes(request, home, Root(), tell); !done)
    return code_of(std::unexpected(done.error()), call);
  return code;
}

// `only_print`: print the definitions for the kernel instead.
Result<> add_planned(const ProbeRequest& request, const std::vector<std::string>& definitions, bool only_print,
                     Invocation& call) {
  const ProbeHome home = probe_home(call);
  ProbePlan plan(request, home, call.messages);
  for (const std::string& definition : definitions) PEREGRINE_TRY(plan.plan(definition));
  if (!only_print) return plan.add();
  for (const TraceProbe& probe : plan.take_probes()) call.out.append(probe.format()).append('\n');
  return {};
}

Result<int> verify_existing(const ProbeRequest& request, const std::vector<std::string>& definitions,
                            Invocation& call) {
  const auto good = verify_probes(request, definitions, probe_home(call), Root(), call.out, call.messages);
  if (!good) return code_of(std::unexpected(good.error()), call);
  if (*good) return 0;
  call.messages.note("",
                     fmt::format("remove a probe with '{} probe -d EVENT', and add it again", call.messages.program()));
  return 1;
}

}  // namespace

Result<int> run_probe(ProbeRequest& request, Invocation& call) {
  call.messages.set_quiet(request.quiet);
  // An absolute path as the first argument means -x.
  if (request.program.empty() && request.module.empty() && !call.words.empty() && call.words.front().starts_with('/')) {
    (call.words.front().ends_with(".ko") ? request.module : request.program) = call.words.front();
    call.words.erase(call.words.begin());
  }
  PEREGRINE_TRY(check_one_request(request, call));
  if (request.list) return code_of(list_existing(request, call), call);
  if (request.functions || request.line || request.variables) return code_of(show_confined(request, call), call);
  if (!request.remove.empty()) return remove_existing(request, call);
  const bool only_print = !request.define.empty();
  std::vector<std::string> definitions = only_print ? request.define : request.add;
  if (!only_print && !call.words.empty()) definitions.push_back(fmt::format("{}", fmt::join(call.words, " ")));
  if (definitions.empty()) return fail(ErrorKind::Usage, "missing probe definition, or -l, -L, -V or -F");
  if (!only_print && request.verify) return verify_existing(request, definitions, call);
  const auto added = add_planned(request, definitions, only_print, call);
  return added ? 0 : give_up(added.error(), call);
}

}  // namespace peregrine::cmd
