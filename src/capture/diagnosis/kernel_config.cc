#include "capture/diagnosis/kernel_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/nearest.h"
#include "symbol/compression/unpack.h"

namespace peregrine {
namespace {

// A setting, or several of which one suffices ("UNWINDER_ORC|UNWINDER_FRAME_POINTER"): the first is suggested.
struct Need {
  std::string_view settings;
  std::string_view machine = {};  // only there; empty: everywhere
};

struct KernelFeature {
  std::string_view name, description;
  std::array<Need, 6> needs;
};

constexpr KernelFeature kKernelFeatures[] = {
    {"record", "perf events: record, stat, top", {{{"PERF_EVENTS"}, {"HW_PERF_EVENTS", "aarch64"}}}},
    {"symbols", "names of kernel functions", {{{"KALLSYMS"}, {"KALLSYMS_ALL"}, {"PROC_KCORE"}}}},
    {"stacks", "call chains through the kernel", {{{"STACKTRACE"}, {"UNWINDER_ORC|UNWINDER_FRAME_POINTER", "x86_64"}}}},
    {"tracepoints",
     "tracepoints: record -e sched:*, sched, kmem, kwork, timechart",
     {{{"FTRACE"}, {"EVENT_TRACING|ENABLE_DEFAULT_TRACERS"}, {"SCHEDSTATS"}}}},
    {"syscalls", "system calls: trace, record -e syscalls:*", {{{"FTRACE"}, {"FTRACE_SYSCALLS"}}}},
    {"kprobes", "probes in the kernel: probe", {{{"MODULES"}, {"KPROBES"}, {"KPROBE_EVENTS"}}}},
    {"uprobes", "probes in programs: probe -x, SDT markers", {{{"UPROBE_EVENTS"}}}},
    {"bpf",
     "BPF programs: lock contention -a -b, record --off-cpu, stat --hist",
     {{{"BPF_SYSCALL"},
       {"BPF_JIT"},
       {"BPF_EVENTS"},
       {"DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT|DEBUG_INFO_DWARF4|DEBUG_INFO_DWARF5|DEBUG_INFO"},
       {"DEBUG_INFO_BTF"}}}},
    {"cgroups", "control groups: -G, --for-each-cgroup", {{{"CGROUPS"}, {"CGROUP_PERF"}}}},
    {"functions",
     "function tracers: ftrace -T, ftrace -G, ftrace latency",
     {{{"FTRACE"}, {"FUNCTION_TRACER"}, {"DYNAMIC_FTRACE"}, {"FUNCTION_GRAPH_TRACER"}}}},
    {"latency",
     "latency tracers: ftrace trace -t irqsoff",
     {{{"FTRACE"}, {"IRQSOFF_TRACER"}, {"SCHED_TRACER"}, {"HWLAT_TRACER"}, {"OSNOISE_TRACER"}, {"TIMERLAT_TRACER"}}}},
    {"triggers",
     "ftrace --trigger EVENT:hist and EVENT:snapshot",
     {{{"FTRACE"}, {"HIST_TRIGGERS"}, {"TRACER_SNAPSHOT"}}}},
    {"blk", "ftrace trace -t blk", {{{"FTRACE"}, {"BLK_DEV_IO_TRACE"}}}},
    {"user-events", "tracepoints that programs register", {{{"USER_EVENTS"}}}},
    {"sandbox", "the sandbox of report and script", {{{"SECURITY_LANDLOCK"}, {"SECCOMP"}, {"SECCOMP_FILTER"}}}},
};

bool is_made(const std::optional<KernelConfig>& config, std::string_view setting) {
  return config && config->made.contains(std::string(setting));
}

// The setting to suggest; empty if one of the alternatives is there.
std::string_view missing_of(const std::optional<KernelConfig>& config, std::string_view alternatives) {
  const std::string_view first = alternatives.substr(0, alternatives.find('|'));
  while (!alternatives.empty()) {
    const std::string_view one = alternatives.substr(0, alternatives.find('|'));
    if (is_made(config, one)) return {};
    alternatives.remove_prefix(std::min(one.size() + 1, alternatives.size()));
  }
  return first;
}

Result<> check_names(std::span<const std::string> features) {
  const std::vector<std::string_view> known = kernel_features();
  for (const std::string& feature : features) {
    if (std::ranges::find(known, feature) != known.end()) continue;
    const auto near = nearest(feature, known);
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown kernel feature '{}'", feature)}.with_hint(
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("must be one of {}", fmt::join(known, ", "))));
  }
  return {};
}

}  // namespace

std::set<std::string> parse_kernel_config(std::string_view text) {
  constexpr std::string_view kPrefix = "CONFIG_";
  std::set<std::string> made;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view value = line.substr(equals + 1);
    if (value.starts_with('y') || value.starts_with('m'))
      made.emplace(line.substr(kPrefix.size(), equals - kPrefix.size()));
  }
  return made;
}

std::optional<KernelConfig> read_kernel_config(const Root& root, const std::string& release) {
  constexpr std::size_t kLimit = std::size_t{16} << 20;
  constexpr const char* kPacked = "/proc/config.gz";
  if (const auto packed = root.read(kPacked); packed && !packed->empty()) {
    const auto text = unpack(std::as_bytes(std::span(*packed)), kPacked, kLimit);
    if (text)
      return KernelConfig{
          kPacked, parse_kernel_config(std::string_view(reinterpret_cast<const char*>(text->data()), text->size()))};
  }
  for (const std::string& path :
       {fmt::format("/boot/config-{}", release), fmt::format("/lib/modules/{}/config", release),
        fmt::format("/lib/modules/{}/build/.config", release), std::string("/boot/config")}) {
    const auto text = root.read(path);
    if (text && !text->empty()) return KernelConfig{path, parse_kernel_config(*text)};
  }
  return std::nullopt;
}

std::vector<std::string_view> kernel_features() {
  std::vector<std::string_view> names;
  for (const KernelFeature& feature : kKernelFeatures) names.push_back(feature.name);
  return names;
}

Result<std::vector<MissingSettings>> missing_settings(const std::optional<KernelConfig>& config,
                                                      std::span<const std::string> features, std::string_view machine) {
  PEREGRINE_TRY(check_names(features));
  std::vector<MissingSettings> all;
  std::set<std::string_view> named;
  for (const KernelFeature& feature : kKernelFeatures) {
    if (!features.empty() && std::ranges::find(features, feature.name) == features.end()) continue;
    MissingSettings missing{feature.name, feature.description, {}};
    for (const Need& need : feature.needs) {
      if (need.settings.empty() || (!need.machine.empty() && need.machine != machine)) continue;
      const std::string_view setting = missing_of(config, need.settings);
      if (!setting.empty() && named.insert(setting).second) missing.settings.push_back(setting);
    }
    if (!missing.settings.empty()) all.push_back(std::move(missing));
  }
  return all;
}

std::string kconfig_fragment(std::span<const MissingSettings> missing, const std::optional<KernelConfig>& config,
                             std::string_view release) {
  std::string text = config ? fmt::format("# Settings missing from linux {} ({})\n", release, config->path)
                            : fmt::format(
                                  "# Settings for linux {}, some of which it may have: there is no "
                                  "/proc/config.gz or /boot/config-{}\n",
                                  release, release);
  for (const MissingSettings& feature : missing) {
    text += fmt::format("\n# {}: {}\n", feature.feature, feature.description);
    for (const std::string_view setting : feature.settings) text += fmt::format("CONFIG_{}=y\n", setting);
  }
  return text;
}

}  // namespace peregrine
