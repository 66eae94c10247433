#include "capture/diagnosis/facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "sys/hardware/pmu.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Reads only the first bytes of a file, because kallsyms is 15 MB.
std::string head_of(const Root& root, std::string_view path, std::size_t size) {
  const auto fd = open_file(root.path(path), O_RDONLY);
  std::string text(size, '\0');
  const ssize_t count = fd ? ::read(fd->get(), text.data(), size) : 0;
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// A line is "ffffffff81000000 T _text", with zeros for processes that may not see addresses. Before Linux 6.15, the
// first line on x86-64 is per-CPU data at address 0 for everybody; the following lines show the difference.
bool shows_addresses(const Root& root) {
  constexpr std::size_t kSomeLines = 4096;
  const std::string text = head_of(root, "/proc/kallsyms", kSomeLines);
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1)
    if (text.find_first_of("123456789abcdef", at) < text.find(' ', at)) return true;
  return false;
}

std::string kernel_image(const Root& root, const std::string& release) {
  for (const std::string& path :
       {fmt::format("/usr/lib/debug/boot/vmlinux-{}", release),
        fmt::format("/usr/lib/debug/lib/modules/{}/vmlinux", release), fmt::format("/boot/vmlinux-{}", release),
        fmt::format("/lib/modules/{}/build/vmlinux", release), std::string("/boot/vmlinux")})
    if (root.readable(path)) return path;
  return {};
}

std::string core_pmu(const Root& root) {
  for (const auto& [name, type] : pmu_types(root))
    if (name == "cpu" || name == "cpu_core" || name.starts_with("armv") || name.starts_with("apple_")) return name;
  return {};
}

void read_tracing(const Root& root, Facts& facts) {
  const auto tracefs = Tracefs::find(root);
  facts.tracefs_mounted = tracefs || tracefs.error().kind == ErrorKind::Denied;
  if (!tracefs) return;
  facts.tracefs = tracefs->mount();
  facts.kprobes = root.exists(facts.tracefs + "/kprobe_events");
  facts.uprobes = root.exists(facts.tracefs + "/uprobe_events");
  if (const auto id = tracefs->id("sched", "sched_switch")) facts.tracepoint = *id;
}

}  // namespace

Facts read_facts(const Root& root) {
  Facts facts;
  facts.host = read_host(root);
  facts.limits = perf_limits(root);
  facts.capabilities = capabilities(root);
  facts.confinement = confinement(root);
  if (root.live()) facts.sandbox = available_walls();
  read_tracing(root, facts);
  facts.btf = root.readable("/sys/kernel/btf/vmlinux");
  facts.kernel_addresses = shows_addresses(root);
  facts.has_kcore = root.exists("/proc/kcore");
  facts.kcore = root.readable("/proc/kcore");
  facts.debug_files = root.is_directory("/usr/lib/debug/.build-id");
  facts.kernel_image = kernel_image(root, facts.host.release);
  facts.core_pmu = core_pmu(root);
  facts.nmi_watchdog = root.number("/proc/sys/kernel/nmi_watchdog");
  facts.open_files = resource_limit(root, "Max open files");
  return facts;
}

}  // namespace peregrine
