#include "probe/kernel_probes.h"

#include <elf.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "probe/argument/argument_gaps.h"
#include "probe/argument/fetch.h"
#include "probe/argument/variable_finder.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/type/type_source.h"

namespace peregrine {
namespace {

// The registers that hold the first arguments at a function's entry.
std::span<const std::string_view> argument_registers(u16 machine) {
  static constexpr std::array<std::string_view, 6> kX86_64 = {"%di", "%si", "%dx", "%cx", "%r8", "%r9"};
  static constexpr std::array<std::string_view, 3> kI386 = {"%ax", "%dx", "%cx"};
  static constexpr std::array<std::string_view, 8> kArm64 = {"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7"};
  static constexpr std::array<std::string_view, 8> kRiscv = {"%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7"};
  switch (machine) {
    case EM_X86_64:
      return kX86_64;
    case EM_386:
      return kI386;
    case EM_AARCH64:
      return kArm64;
    case EM_RISCV:
      return kRiscv;
    default:
      return {};
  }
}

// "ffffffff81000000 T vfs_read	[module]"
std::optional<KernelFunction> parse_line(std::string_view line, char& type) {
  KernelFunction function;
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos || line.size() < first + 4) return std::nullopt;
  const auto address = parse_number<u64>(line.substr(0, first), 16);
  if (!address) return std::nullopt;
  function.address = *address;
  type = line[first + 1];
  line.remove_prefix(first + 3);
  const std::size_t tab = line.find_first_of("\t ");
  function.name = line.substr(0, tab);
  if (tab != std::string_view::npos) {
    const std::size_t open = line.find('['), close = line.find(']');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open)
      function.module = line.substr(open + 1, close - open - 1);
  }
  return function;
}

struct KernelArgument {
  BtfParameter parameter;
  std::string_view place;  // a register; empty if it is not in one
};

std::vector<KernelArgument> place_arguments(std::vector<BtfParameter> parameters, const TypeSource& types,
                                            u16 machine) {
  const auto registers = argument_registers(machine);
  std::vector<KernelArgument> result;
  std::size_t next = 0;
  for (BtfParameter& parameter : parameters) {
    const TypeShape shape = types.shape(parameter.type);
    const bool aggregate = shape.kind == TypeKind::Structure || shape.kind == TypeKind::Union;
    const std::size_t words = (shape.size.value_or(8) + 7) / 8;
    std::string_view place;
    // A structure of more than two words is passed on the stack and uses no register.
    if (!aggregate && words == 1 && next < registers.size()) place = registers[next];
    if (!aggregate || words <= 2) next += words;
    result.push_back({std::move(parameter), place});
  }
  return result;
}

// Maps a function name of older kernels, used in many tutorials, to its current name; empty if there is no current
// name.
std::string name_of_today(std::string_view old, const std::vector<std::string_view>& functions) {
  std::vector<std::string> candidates;
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {{"do_fork", "kernel_clone"},
                                                                        {"_do_fork", "kernel_clone"},
                                                                        {"do_sys_open", "do_sys_openat2"},
                                                                        {"do_execve", "do_execveat_common"},
                                                                        {"do_IRQ", "common_interrupt"},
                                                                        {"do_page_fault", "exc_page_fault"},
                                                                        {"__do_page_fault", "handle_mm_fault"},
                                                                        {"blk_start_request", "blk_mq_start_request"},
                                                                        {"__kmalloc", "__kmalloc_noprof"},
                                                                        {"kmem_cache_alloc", "kmem_cache_alloc_noprof"},
                                                                        {"__alloc_pages", "__alloc_pages_noprof"}};
  for (const auto& [before, today] : kRenamed)
    if (old == before) candidates.emplace_back(today);
  for (const std::string_view prefix : {"sys_", "SyS_"})
    if (old.starts_with(prefix))
      for (const char* const arch : {"__x64_sys_", "__arm64_sys_"})
        candidates.push_back(arch + std::string(old.substr(prefix.size())));
  for (const std::string& candidate : candidates)
    for (const std::string_view name : functions)
      if (name == candidate || (name.starts_with(candidate) && name[candidate.size()] == '.')) return std::string(name);
  return {};
}

class KernelProbeMaker {
 public:
  KernelProbeMaker(const ProbeDefinition& definition, const std::string& module, ProbedKernel& kernel,
                   const ProbeWishes& wishes)
      : definition_(definition), module_(module), kernel_(kernel), wishes_(wishes) {}

  Result<MadeProbes> run() {
    const ProbePlace& place = definition_.place;
    if (place.address) return at_address(*place.address);
    if ((place.has_line && place.line != 0) || !place.pattern.empty() || place.function.empty())
      return std::unexpected(
          Error{ErrorKind::NotFound,
                fmt::format("source lines of '{}' are unknown: no kernel debug information found", place.text()),
                "install the debug kernel package, or pass -k vmlinux; FUNCTION, %return, +OFFSET and arguments do not "
                "need it"});
    const auto functions = kernel_.functions(module_);
    if (!functions) return std::unexpected(functions.error());
    const bool glob = place.function.find_first_of("*?[") != std::string::npos;
    MadeProbes made;
    for (const KernelFunction& function : *functions) {
      const bool hit =
          glob ? ::fnmatch(place.function.c_str(), function.name.c_str(), 0) == 0 : function.name == place.function;
      if (!hit) continue;
      if (kernel_.is_forbidden(function.name)) {
        if (!glob) return forbidden(function.name);
        made.notes.push_back(
            fmt::format("{} cannot be probed: it is on the kernel's blacklist (kprobe)", function.name));
        continue;
      }
      if (made.probes.size() >= wishes_.points.most)
        return std::unexpected(Error{ErrorKind::Usage,
                                     fmt::format("'{}' matches more than {} places", place.text(), wishes_.points.most),
                                     "raise the limit with --max-probes"});
      auto probe = at_function(function, *functions);
      if (!probe) return std::unexpected(std::move(probe.error()));
      made.probes.push_back(std::move(*probe));
    }
    if (made.probes.empty()) return std::unexpected(not_found(*functions));
    return made;
  }

 private:
  TraceProbe start(const std::string& function) const {
    TraceProbe probe;
    probe.is_return = definition_.place.is_return;
    probe.group = definition_.group.empty() ? "probe" : definition_.group;
    probe.event = event_name_of(definition_, function);
    return probe;
  }

  std::unexpected<Error> forbidden(const std::string& name) const {
    return std::unexpected(Error{ErrorKind::Unsupported,
                                 fmt::format("{} cannot be probed: it is on the kernel's blacklist (kprobe)", name),
                                 "probe a caller or a callee instead"});
  }

  Result<MadeProbes> at_address(u64 address) const {
    MadeProbes made;
    TraceProbe probe = start("");
    if (probe.event.empty()) probe.event = fmt::format("abs_{:x}", address);
    probe.symbol = fmt::format("{:#x}", address);
    for (const ProbeArgument& argument : definition_.arguments) {
      if (argument.is_variable() || argument.variable == "$vars" || argument.variable == "$params")
        return fail(ErrorKind::NotFound, "variables at {:#x} are unknown: specify the function", address);
      probe.arguments.push_back(fetch_as_written(argument));
    }
    made.probes.push_back(std::move(probe));
    return made;
  }

  Result<TraceProbe> at_function(const KernelFunction& function, const std::vector<KernelFunction>& all) {
    TraceProbe probe = start(function.name);
    probe.target = function.module;
    probe.symbol = function.name;
    probe.offset = definition_.place.offset;
    const auto same = std::ranges::count_if(
        all, [&](const KernelFunction& one) { return one.name == function.name && one.module == function.module; });
    // The kernel rejects an ambiguous name, so this function is given as an offset from _text.
    if (same > 1 && function.module.empty() && function.address > kernel_.text_start() && kernel_.text_start() != 0) {
      probe.symbol = "_text";
      probe.offset += function.address - kernel_.text_start();
    }
    PEREGRINE_TRY(add_arguments(function, probe));
    return probe;
  }

  Result<> add_arguments(const KernelFunction& function, TraceProbe& probe) {
    std::optional<std::vector<KernelArgument>> known;
    const BtfTypes* types = nullptr;
    for (const ProbeArgument& argument : definition_.arguments) {
      const bool all = argument.variable == "$vars" || argument.variable == "$params";
      if (!argument.is_variable() && !all) {
        probe.arguments.push_back(fetch_as_written(argument));
        continue;
      }
      if (!known) {
        auto found = arguments_of(function, types);
        if (!found) return std::unexpected(std::move(found.error()));
        known = std::move(*found);
      }
      for (const KernelArgument& one : *known) {
        if (all ? definition_.has_field(one.parameter.name) : one.parameter.name != argument.variable) continue;
        if (one.place.empty()) {
          if (all) continue;
          return fail(ErrorKind::Unsupported, "'{}' of {} is not in a single register at function entry",
                      argument.variable, function.name);
        }
        ProbeArgument wanted = argument;
        if (all) wanted.variable = one.parameter.name;
        auto fetched = fetch_variable(wanted, {.base = std::string(one.place), .dereferences = {}}, one.parameter.type,
                                      *types, wishes_.abilities);
        if (!fetched) return std::unexpected(std::move(fetched.error()));
        probe.arguments.push_back(std::move(*fetched));
      }
      const bool there = std::ranges::any_of(
          *known, [&](const KernelArgument& one) { return one.parameter.name == argument.variable; });
      if (!all && !there) return std::unexpected(no_argument(function, argument.variable, *known));
    }
    return {};
  }

  Result<std::vector<KernelArgument>> arguments_of(const KernelFunction& function, const BtfTypes*& types) {
    if (definition_.place.offset != 0 || definition_.place.is_return)
      return std::unexpected(
          Error{ErrorKind::NotFound,
                fmt::format("variables of {} are known only at its entry: no debug information for this kernel",
                            function.name),
                definition_.place.is_return ? "use $retval for its result" : "fetch registers instead: %di, %si, …"});
    const auto found = kernel_.types(function.module);
    if (!found) return std::unexpected(found.error());
    types = *found;
    auto parameters = types->parameters(function.name);
    if (!parameters)
      return std::unexpected(Error{ErrorKind::NotFound, fmt::format("no BTF arguments for '{}'", function.name),
                                   "fetch registers instead: %di, %si, …"});
    return place_arguments(std::move(*parameters), *types, kernel_.machine());
  }

  Error no_argument(const KernelFunction& function, const std::string& name,
                    const std::vector<KernelArgument>& known) const {
    Error error{ErrorKind::NotFound, fmt::format("{} has no argument '{}'", function.name, name)};
    std::vector<std::string_view> names;
    for (const KernelArgument& one : known) names.push_back(one.parameter.name);
    if (const auto near = nearest(name, names))
      error.hint = fmt::format("did you mean '{}'?", *near);
    else if (!names.empty())
      error.hint = fmt::format("it has {}; local variables require kernel debug information", fmt::join(names, ", "));
    return error;
  }

  Error not_found(const std::vector<KernelFunction>& functions) const {
    Error error{ErrorKind::NotFound,
                fmt::format("no function '{}' in {}", definition_.place.function,
                            module_.empty() ? "the kernel or a loaded module" : "the module " + module_)};
    std::vector<std::string_view> names;
    names.reserve(functions.size());
    for (const KernelFunction& function : functions) names.push_back(function.name);
    if (const std::string today = name_of_today(definition_.place.function, names); !today.empty())
      error.hint = fmt::format("this kernel calls it '{}'", today);
    else if (const auto near = nearest(definition_.place.function, names))
      error.hint = fmt::format("did you mean '{}'?", *near);
    return error;
  }

  const ProbeDefinition& definition_;
  const std::string& module_;
  ProbedKernel& kernel_;
  const ProbeWishes& wishes_;
};

}  // namespace

Result<> ProbedKernel::load() const {
  if (loaded_) return {};
  loaded_ = true;
  const auto text = root_.read("/proc/kallsyms");
  if (!text) return std::unexpected(text.error());
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    char type = 0;
    auto function = parse_line(line, type);
    if (!function) continue;
    if (function->name == "_text") text_start_ = function->address;
    const bool code = type == 't' || type == 'T' || type == 'w' || type == 'W';
    if (code && function->module != "bpf" && function->name != "_text") functions_.push_back(std::move(*function));
  }
  std::ranges::stable_sort(functions_, {}, &KernelFunction::name);
  return {};
}

Result<std::vector<KernelFunction>> ProbedKernel::functions(std::string_view module) const {
  PEREGRINE_TRY(load());
  if (module.empty()) return functions_;
  std::string wanted(module);
  std::ranges::replace(wanted, '-', '_');
  std::vector<KernelFunction> found;
  std::ranges::copy_if(functions_, std::back_inserter(found),
                       [&](const KernelFunction& one) { return one.module == wanted; });
  if (found.empty())
    return std::unexpected(Error{ErrorKind::NotFound, fmt::format("module '{}' is not loaded", module),
                                 "load it with modprobe, or pass the path of its .ko file"});
  return found;
}

Result<const BtfTypes*> ProbedKernel::types(const std::string& module) {
  const auto read = [&](const std::string& name, const BtfTypes* base) -> Result<BtfTypes> {
    const std::string path = "/sys/kernel/btf/" + name;
    auto bytes = root_.read(path);
    if (!bytes)
      return std::unexpected(
          Error{ErrorKind::NotFound, fmt::format("arguments of kernel functions are unknown: {} does not exist", path),
                "requires CONFIG_DEBUG_INFO_BTF=y, or debug information (-k); or fetch registers: %di, %si, …"});
    return BtfTypes::parse(std::move(*bytes), path, base);
  };
  if (!kernel_types_) {
    auto parsed = read("vmlinux", nullptr);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    kernel_types_ = std::move(*parsed);
  }
  if (module.empty()) return &*kernel_types_;
  for (const auto& [name, types] : module_types_)
    if (name == module) return types.get();
  auto parsed = read(module, &*kernel_types_);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return module_types_.emplace_back(module, std::make_unique<BtfTypes>(std::move(*parsed))).second.get();
}

bool ProbedKernel::is_forbidden(std::string_view function) {
  if (!forbidden_) forbidden_ = root_.read("/sys/kernel/debug/kprobes/blacklist").value_or("");
  return forbidden_->find(fmt::format("\t{}\n", function)) != std::string::npos;
}

Result<MadeProbes> make_kernel_probes(const ProbeDefinition& definition, const std::string& module,
                                      ProbedKernel& kernel, const ProbeWishes& wishes) {
  auto made = KernelProbeMaker(definition, module, kernel, wishes).run();
  if (!made) return made;
  for (TraceProbe& probe : made->probes) {
    name_apart(probe.arguments);
    PEREGRINE_TRY(check_probe_line(probe));
  }
  return made;
}

Result<std::set<ShownVariable>> kernel_arguments(const std::string& function, const std::string& module,
                                                 ProbedKernel& kernel) {
  const auto types = kernel.types(module);
  if (!types) return std::unexpected(types.error());
  auto parameters = (*types)->parameters(function);
  if (!parameters) return fail(ErrorKind::NotFound, "no function '{}' in BTF", function);
  std::set<ShownVariable> rows;
  for (const KernelArgument& one : place_arguments(std::move(*parameters), **types, kernel.machine()))
    rows.insert({.type = (*types)->text(one.parameter.type),
                 .name = one.parameter.name,
                 .ranges = {},
                 .available = !one.place.empty()});
  return rows;
}

}  // namespace peregrine
