#include "sys/kernel/host.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

constexpr u32 kNoteGnuBuildId = 3;

// Returns the NT_GNU_BUILD_ID of a notes file, or nothing if it has none.
std::vector<std::byte> build_id_of_notes(const Root& root, const std::string& path) {
  const auto text = root.read(path);
  if (!text) return {};
  ByteReader notes{std::as_bytes(std::span(*text))};
  const auto padded = [](u32 size) { return (std::size_t{size} + 3) & ~std::size_t{3}; };
  while (notes.left() >= 12) {
    const u32 name_size = notes.get32(), content_size = notes.get32(), type = notes.get32();
    const Bytes name = notes.take(padded(name_size));
    const Bytes content = notes.take(content_size);
    notes.skip(std::min(padded(content_size) - content_size, notes.left()));
    if (!notes.ok()) break;
    if (type == kNoteGnuBuildId && name_size == 4 && std::memcmp(name.data(), "GNU", 4) == 0)
      return {content.begin(), content.end()};
  }
  return {};
}

u64 nanoseconds(const timespec& t) { return static_cast<u64>(t.tv_sec) * 1'000'000'000 + static_cast<u64>(t.tv_nsec); }

}  // namespace

Host read_host(const Root& root) {
  Host host;
  if (root.live()) {
    utsname names;
    if (::uname(&names) == 0) {
      host.hostname = names.nodename;
      host.release = names.release;
      host.machine = names.machine;
    }
  } else {
    host.hostname = root.line("/proc/sys/kernel/hostname").value_or("");
    host.release = root.line("/proc/sys/kernel/osrelease").value_or("");
    host.machine = root.line("/proc/sys/kernel/arch").value_or("");
  }
  host.online_cpus = static_cast<u32>(online_cpus(root).size());
  host.available_cpus = static_cast<u32>(present_cpus(root).size());
  return host;
}

std::vector<std::byte> kernel_build_id(const Root& root) { return build_id_of_notes(root, "/sys/kernel/notes"); }

std::vector<std::byte> module_build_id(const Root& root, std::string_view name) {
  if (name.find('/') != std::string_view::npos) return {};
  return build_id_of_notes(root, fmt::format("/sys/module/{}/notes/.note.gnu.build-id", name));
}

std::optional<u64> clock_resolution(int clockid) {
  timespec resolution;
  if (::clock_getres(clockid, &resolution) != 0) return std::nullopt;
  return nanoseconds(resolution);
}

std::optional<ClockReading> read_clocks(int clockid) {
  timespec wall, clock;
  if (::clock_gettime(CLOCK_REALTIME, &wall) != 0 || ::clock_gettime(clockid, &clock) != 0) return std::nullopt;
  return ClockReading{nanoseconds(wall), nanoseconds(clock)};
}

}  // namespace peregrine
