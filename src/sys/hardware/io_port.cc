#include "sys/hardware/io_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

constexpr std::string_view kUncoreDevices = "/sys/bus/event_source/devices", kUnit = "uncore_iio_", kDie = "die";

// Returns every N of the names "PREFIX N", in ascending order.
std::vector<unsigned> numbers_behind(std::string_view prefix, const std::vector<std::string>& names) {
  std::vector<unsigned> numbers;
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) continue;
    const auto number = parse_number<unsigned>(std::string_view(name).substr(prefix.size()));
    if (number) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

// Parses one to `most` hexadecimal digits.
std::optional<u32> hex(std::string_view text, std::size_t most) {
  return text.size() > most ? std::nullopt : parse_number<u32>(text, 16);
}

Result<> add_unit(const Root& root, unsigned unit, std::vector<IoPort>& ports) {
  const std::string folder = fmt::format("{}/{}{}", kUncoreDevices, kUnit, unit);
  // The mask has one CPU per die, in the order of the dies.
  const CpuList cpus = parse_cpu_list(trim(root.line(folder + "/cpumask").value_or(""))).value_or(CpuList{});
  for (const unsigned die : numbers_behind(kDie, root.names(folder))) {
    const std::string file = fmt::format("{}/{}{}", folder, kDie, die);
    const auto line = root.line(file);
    if (!line || die >= cpus.size()) continue;
    auto port = parse_io_port(trim(*line));
    if (!port) return fail(ErrorKind::Malformed, "{}: {}", file, port.error().message);
    port->unit = unit;
    port->die = die;
    port->cpu = cpus[die];
    ports.push_back(*port);
  }
  return {};
}

}  // namespace

std::string IoPort::address() const { return fmt::format("{:04x}:{:02x}", domain, bus); }

std::string IoPort::pmu() const { return fmt::format("{}{}", kUnit, unit); }

Result<IoPort> parse_io_port(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto domain = hex(text.substr(0, colon), 8), bus = hex(text.substr(colon + 1), 2);
    if (domain && bus) return IoPort{.domain = *domain, .bus = *bus};
  }
  return fail(ErrorKind::Malformed, "'{}' is not a root port", text);
}

Result<std::vector<IoPort>> read_io_ports(const Root& root) {
  const std::vector<unsigned> units = numbers_behind(kUnit, root.names(kUncoreDevices));
  if (units.empty())
    return std::unexpected(Error{ErrorKind::Unsupported, "cannot count I/O ports on this machine"}.with_hint(
        "no uncore_iio PMU: requires an Intel server (Skylake or later), not a virtual machine"));
  std::vector<IoPort> ports;
  for (const unsigned unit : units) PEREGRINE_TRY(add_unit(root, unit, ports));
  if (ports.empty())
    return std::unexpected(Error{ErrorKind::Unsupported, "cannot count I/O ports on this machine"}.with_hint(
        fmt::format("{}/{}{} does not list its root ports (no file die0): requires Linux 5.14; 'perf list uncore_iio' "
                    "shows events by unit",
                    kUncoreDevices, kUnit, units.front())));
  return ports;
}

}  // namespace peregrine
