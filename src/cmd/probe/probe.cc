// probe: dynamic events in the kernel and in programs: adds, removes and lists them, and shows where they can be.
#include <algorithm>
#include <cerrno>

#include "cmd/probe/probe_options.h"
#include "cmd/sandbox/confined_reader.h"

namespace peregrine::cmd {

// Says what went wrong; the exit code.
int give_up_probe(const Error& error, Invocation& call) {
  constexpr int kNotFound = 254, kInvalid = 234, kExists = 239;  // -errno as a byte, as linux-perf ends
  call.messages.error(error);
  if (error.kind == ErrorKind::Usage && error.system_errno == EEXIST) return kExists;
  return error.kind == ErrorKind::NotFound ? kNotFound : error.kind == ErrorKind::Usage ? kInvalid : exit_code(error);
}

ProbeHome probe_home(const Invocation& call) {
  return {.search_path = std::string(call.config.search_path()),
          .build_ids = call.config.buildid_directory(),
          .program_name = std::string(call.messages.program())};
}

namespace {

// One thing at a time: -d A B must not remove A alone, nor -l A -d B forget the one or the other.
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
  // The word of -l, -F, -L and -V may come last: -l -x PROGRAM NAME.
  const bool takes_word = (request.list && request.list->empty()) ||
                          (request.functions && request.functions->empty()) ||
                          (request.line && request.line->empty()) || (request.variables && request.variables->empty());
  if (takes_word && call.words.size() == 1) return {};
  return std::unexpected(Error{ErrorKind::Usage,
                               fmt::format("{} takes one name; found a second name, \"{}\"", given.front(),
                                           takes_word ? call.words[1] : call.words.front()),
                               given.front() == "-d" ? "give each its own -d, or a glob: -d A -d 'B*'" : ""});
}

// What is read may be a stranger's: a program, its debug information, its sources. The kernel is told nothing.
ReaderNeeds needs_of(const ProbeRequest& request, const Invocation& call) {
  ReaderNeeds needs;
  const std::string program =
      request.program.empty() ? "" : find_probed_file(request.program, probe_home(call).search_path);
  for (const std::string& input : {program, request.module, request.vmlinux, request.source, request.symfs})
    if (!input.empty()) needs.inputs.push_back(input);
  return needs;
}

Result<int> show_confined(const ProbeRequest& request, Invocation& call) {
  const auto sandbox = enter_sandbox(needs_of(request, call), call);
  if (!sandbox) return std::unexpected(sandbox.error());
  if (request.functions) return show_probe_functions(request, call);
  return request.line ? show_probe_lines(request, call) : show_probe_variables(request, call);
}

}  // namespace

Result<int> run_probe(ProbeRequest& request, Invocation& call) {
  call.messages.set_quiet(request.quiet);
  // An absolute path as first word stands for -x.
  if (request.program.empty() && request.module.empty() && !call.words.empty() && call.words.front().starts_with('/')) {
    (call.words.front().ends_with(".ko") ? request.module : request.program) = call.words.front();
    call.words.erase(call.words.begin());
  }
  PEREGRINE_TRY(check_one_request(request, call));
  const auto answered = [&](Result<int> code) -> Result<int> {
    return code || code.error().kind == ErrorKind::Usage ? std::move(code)
                                                         : Result<int>(give_up_probe(code.error(), call));
  };
  if (request.list && request.cache) {
    const std::string pattern = request.list->empty() && !call.words.empty() ? call.words.front() : *request.list;
    return answered(list_cached_probes(pattern, call));
  }
  if (request.list) return answered(list_probes(request, call));
  if (request.functions || request.line || request.variables) return answered(show_confined(request, call));
  if (!request.remove.empty() && request.cache) return answered(remove_cached_probes(request, call));
  if (!request.remove.empty()) return answered(remove_probes(request, call));
  if (!request.define.empty()) return add_probes(request, request.define, true, call);
  std::vector<std::string> definitions = request.add;
  if (!call.words.empty()) definitions.push_back(fmt::format("{}", fmt::join(call.words, " ")));
  if (definitions.empty()) return fail(ErrorKind::Usage, "nothing to do: name a function, or see -l, -L, -V, -F");
  if (request.verify) return answered(verify_probes(request, definitions, call));
  return add_probes(request, definitions, false, call);
}

}  // namespace peregrine::cmd
