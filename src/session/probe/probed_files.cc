#include "session/probe/probed_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <expected>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/module_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"
#include "sys/process/program_path.h"
#include "sys/root.h"

namespace peregrine {

std::string find_probed_file(const std::string& name, std::string_view search_path) {
  if (name.find('/') != std::string::npos || ::access(name.c_str(), F_OK) == 0) return name;
  std::vector<std::string> folders = search_folders(search_path);
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                             "/usr/lib", "/usr/local/lib"})
    folders.emplace_back(folder);
  for (const std::string& folder : folders)
    if (::access((folder + '/' + name).c_str(), F_OK) == 0) return folder + '/' + name;
  return name;
}

DebugSearch debug_search(const ProbeRequest& request, const ProbeHome& home) {
  DebugSearch search;
  search.symfs = request.symfs;
  search.cache_folder = home.build_ids;
  if (request.target_namespace) search.root = fmt::format("/proc/{}/root", *request.target_namespace);
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

Result<std::unique_ptr<ProbeProgram>> open_probe_program(const ProbeRequest& request, const ProbeHome& home) {
  const DebugSearch search = debug_search(request, home);
  std::error_code error;
  std::string path = request.program;
  if (!request.target_namespace) {
    const auto real = std::filesystem::canonical(find_probed_file(path, home.search_path), error);
    if (error)
      return std::unexpected(Error{ErrorKind::NotFound,
                                   fmt::format("Failed to get the absolute path of {}: {}", path, error.message()),
                                   "-x takes the path of a program or library, or a name found by PATH or the loader"});
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
                                                        const ProbeHome& home) {
  const DebugSearch search = debug_search(request, home);
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
  return std::unexpected(
      Error{ErrorKind::NotFound,
            fmt::format("the kernel's {} file has no debug information: lines and local variables are unknown",
                        module.empty() ? "image" : "module"),
            "pass -k VMLINUX or -m MODULE.ko, or install the debug kernel package; function entries, their arguments, "
            "%return and +OFFSET do not need it"});
}

Result<std::unique_ptr<ProbeProgram>> open_probe_target(const ProbeRequest& request, const std::string& function,
                                                        const ProbeHome& home) {
  return request.program.empty() ? open_kernel_image(request, function, home) : open_probe_program(request, home);
}

}  // namespace peregrine
