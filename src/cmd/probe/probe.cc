// probe: dynamic events in the kernel and in programs: adds, removes and lists them, and shows where they can be.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cmd/probe/probe_options.h"
#include "cmd/sandbox/confined_reader.h"
#include "symbol/elf/build_id.h"
#include "symbol/kernel/module_file.h"

namespace peregrine::cmd {
namespace {

std::string find_by_name(const std::string& name, const Config& config) {
  if (name.find('/') != std::string::npos || ::access(name.c_str(), F_OK) == 0) return name;
  std::vector<std::string> folders;
  for (std::string_view rest = config.variable("PATH").value_or(""); !rest.empty();) {
    folders.emplace_back(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(folders.back().size() + 1, rest.size()));
  }
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                             "/usr/lib", "/usr/local/lib"})
    folders.emplace_back(folder);
  for (const std::string& folder : folders)
    if (::access((folder + '/' + name).c_str(), F_OK) == 0) return folder + '/' + name;
  return name;
}

}  // namespace

// Says what went wrong; the exit code.
int give_up_probe(const Error& error, Invocation& call) {
  constexpr int kNotFound = 254, kInvalid = 234;  // -errno as a byte, as linux-perf ends
  call.messages.error(error);
  return error.kind == ErrorKind::NotFound ? kNotFound : error.kind == ErrorKind::Usage ? kInvalid : exit_code(error);
}

DebugSearch ProbeRequest::search(Invocation& call) const {
  DebugSearch search;
  search.symfs = symfs;
  search.cache_folder = call.config.buildid_directory();
  if (target_namespace) search.root = fmt::format("/proc/{}/root", *target_namespace);
  return search;
}

ProbedKernel probed_kernel() {
  const auto self = ElfFile::open("/proc/self/exe");
  return {Root(), self ? self->machine() : u16{0}};
}

ProbeWishes probe_wishes(const ProbeRequest& request, bool of_kernel) {
  ProbeWishes wishes;
  wishes.points.inlines = !request.no_inlines;
  wishes.points.most = request.most_probes;
  wishes.source_folder = request.source;
  wishes.abilities.kernel_probe = of_kernel;
  wishes.points.of_program = !of_kernel;
  return wishes;
}

Result<std::unique_ptr<ProbeProgram>> open_probe_program(const ProbeRequest& request, Invocation& call) {
  const DebugSearch search = request.search(call);
  std::error_code error;
  std::string path = request.program;
  if (!request.target_namespace) {
    const auto real = std::filesystem::canonical(find_by_name(path, call.config), error);
    if (error)
      return std::unexpected(
          Error{ErrorKind::NotFound, fmt::format("Failed to get the absolute path of {}: {}", path, error.message()),
                "-x takes a program or library by path, or by the name that PATH or the loader finds"});
    path = real.string();
  }
  return ProbeProgram::open(path, search);
}

namespace {

std::string module_of_path(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  std::string name(path.substr(0, path.find(".ko")));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string module_of_function(const std::string& function) {
  const auto all = probed_kernel().functions("");
  if (!all) return {};
  const auto found = std::ranges::find(*all, function, &KernelFunction::name);
  return found == all->end() ? std::string() : found->module;
}

}  // namespace

Result<std::unique_ptr<ProbeProgram>> open_kernel_image(const ProbeRequest& request, const std::string& function,
                                                        Invocation& call) {
  const DebugSearch search = request.search(call);
  const Root root;
  const std::string release = root.line("/proc/sys/kernel/osrelease").value_or("");
  if (request.module.find('/') != std::string::npos) {
    OpenedFile opened = open_candidate(request.module);
    if (!opened.file) return fail(ErrorKind::NotFound, "{}: {}", request.module, describe(opened.miss));
    opened.file->place_as_module();
    return ProbeProgram::open_kernel(std::move(*opened.file), module_of_path(request.module));
  }
  if (!request.vmlinux.empty() && request.module.empty()) {
    auto file = ElfFile::open(request.vmlinux);
    if (!file) return std::unexpected(std::move(file.error()));
    return ProbeProgram::open_kernel(std::move(*file), "");
  }
  const std::string module = request.module.empty() ? module_of_function(function) : request.module;
  if (!module.empty()) {
    ModuleFile found = find_module('[' + module + ']', "", release, {}, search, DsoPart::DebugInfo);
    if (found.file) return ProbeProgram::open_kernel(std::move(*found.file), module_of_path(module));
  } else {
    const auto id = read_build_id_notes(root.path("/sys/kernel/notes"));
    KernelImage image = find_vmlinux(release, id ? *id : BuildId(), search);
    if (image.file) return ProbeProgram::open_kernel(std::move(*image.file), "");
  }
  return std::unexpected(Error{ErrorKind::NotFound,
                               fmt::format("the kernel's {} file has no debug information here, so lines and variables "
                                           "inside of functions are not known",
                                           module.empty() ? "image" : "module"),
                               "name one with -k VMLINUX or -m MODULE.ko, or install the kernel's debug package; a "
                               "function's entry, its arguments, "
                               "%return and +OFFSET need none"});
}

Result<std::unique_ptr<ProbeProgram>> open_probe_target(const ProbeRequest& request, const std::string& function,
                                                        Invocation& call) {
  return request.program.empty() ? open_kernel_image(request, function, call) : open_probe_program(request, call);
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
ReaderNeeds needs_of(const ProbeRequest& request, const Config& config) {
  ReaderNeeds needs;
  const std::string program = request.program.empty() ? "" : find_by_name(request.program, config);
  for (const std::string& input : {program, request.module, request.vmlinux, request.source, request.symfs})
    if (!input.empty()) needs.inputs.push_back(input);
  return needs;
}

Result<int> show_confined(const ProbeRequest& request, Invocation& call) {
  const auto sandbox = enter_sandbox(needs_of(request, call.config), call);
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
