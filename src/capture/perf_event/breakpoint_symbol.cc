#include "capture/perf_event/breakpoint_symbol.h"

#include <elf.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/nearest.h"
#include "base/types.h"
#include "event/syntax/kernel_symbol.h"
#include "symbol/elf/elf_aliases.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {
namespace {

// A file and its first mapping in a process.
struct LoadedFile {
  std::string path;    // path in the process
  std::string opened;  // path through which we open it
  u64 start = 0;       // address of its first mapping
  u64 offset = 0;      // file offset of that mapping
};

// The program comes first: its symbols take precedence over those of libraries.
std::vector<LoadedFile> loaded_files(const Root& root, Pid pid) {
  std::vector<LoadedFile> files;
  const std::string program = root.link(fmt::format("/proc/{}/exe", pid)).value_or("");
  const auto add = [&](const MapLine& map) {
    if (map.inode == 0 || !map.path.starts_with('/')) return;
    if (std::ranges::find(files, map.path, &LoadedFile::path) != files.end()) return;
    const bool is_program = map.path == program;
    LoadedFile file{std::string(map.path), is_program ? fmt::format("/proc/{}/exe", pid) : "", map.start, map.offset};
    if (!is_program) file.opened = fmt::format("/proc/{}/root{}", pid, map.path);
    files.insert(is_program ? files.begin() : files.end(), std::move(file));
  };
  // A process that has exited has no files; opening its events reports that.
  [[maybe_unused]] const auto walked = for_each_map(root, pid, add);
  return files;
}

// Returns what to add to the file's addresses: 0 for a program loaded where it was linked.
std::optional<u64> bias_of(const ElfFile& elf, const LoadedFile& file) {
  for (const ElfSegment& segment : elf.segments()) {
    if (segment.type != PT_LOAD || segment.offset < file.offset) continue;
    return file.start + (segment.offset - file.offset) - segment.address;
  }
  return std::nullopt;
}

Error ambiguous(const LoadedFile& file, std::string_view symbol, std::span<const u64> addresses, u64 bias) {
  Error error{ErrorKind::Usage, fmt::format("{} has several symbols named '{}'", file.path, symbol)};
  std::string list;
  for (const u64 address : addresses) list += fmt::format("{}{:#x}", list.empty() ? "" : ", ", address + bias);
  error.hint = fmt::format("pass the address of one: mem:ADDRESS with {}", list);
  return error;
}

class ProcessSymbols {
 public:
  ProcessSymbols(const Root& root, Pid pid) : root_(root), pid_(pid), files_(loaded_files(root, pid)) {}

  // Returns nothing if no file of the process has the symbol.
  Result<std::optional<u64>> find(std::string_view symbol) const {
    for (const LoadedFile& file : files_) {
      const auto elf = ElfFile::open(root_.path(file.opened));
      if (!elf) continue;
      const auto bias = bias_of(*elf, file);
      const auto addresses = find_symbol_addresses(*elf, symbol);
      if (!bias || addresses.empty()) continue;
      if (addresses.size() > 1) return std::unexpected(ambiguous(file, symbol, addresses, *bias));
      return addresses.front() + *bias;
    }
    return std::nullopt;
  }

  Error unknown(std::string_view symbol) const {
    Error error{ErrorKind::NotFound,
                fmt::format("process {} has exited, or you do not have permission to inspect it", pid_)};
    if (files_.empty()) return error;
    error.message = fmt::format("neither {} nor the kernel has a symbol '{}'", files_.front().path, symbol);
    error.hint = "pass an address; a command's libraries are not loaded when it starts: start it first, then use -p";
    const auto elf = ElfFile::open(root_.path(files_.front().opened));
    if (!elf) return error;
    if (!elf->has_symtab()) {
      error.message += "; the program is stripped";
      return error;
    }
    const auto table = load_elf_symbols(*elf, ElfAddresses::Virtual);
    if (!table) return error;
    std::vector<std::string> names;
    for (u32 i = 0; i < table->size(); ++i) names.push_back(table->name(SymbolIndex(i)));
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const auto near = nearest(symbol, views)) error.hint = fmt::format("did you mean '{}'?", *near);
    return error;
  }

 private:
  const Root& root_;
  Pid pid_;
  std::vector<LoadedFile> files_;
};

std::unexpected<Error> of_event(const EventSpec& spec, Error error) {
  error.message = fmt::format("{}: {}", spec.name, error.message);
  return std::unexpected(std::move(error));
}

Result<> place(const Root& root, std::span<const Pid> processes, EventSpec& spec) {
  const auto named = parse_named_place(spec.symbol);
  if (!named) return std::unexpected(named.error());
  std::optional<u64> found;
  for (const Pid pid : processes) {
    const ProcessSymbols symbols(root, pid);
    const auto address = symbols.find(named->symbol);
    if (!address) return of_event(spec, address.error());
    if (!*address && !found && !spec.needs_program()) continue;
    if (!*address) return of_event(spec, symbols.unknown(named->symbol));
    if (found && *found != **address) {
      Error error{ErrorKind::Usage, "the processes have that symbol at different addresses"};
      error.hint = "a breakpoint has one address: select one process";
      return of_event(spec, std::move(error));
    }
    found = *address;
  }
  if (found) spec.attr.config1 = *found + named->offset;
  return {};
}

}  // namespace

bool has_named_breakpoint(const EventList& events) {
  return std::ranges::any_of(events, [](const EventSpec& spec) { return !spec.symbol.empty(); });
}

Result<> place_breakpoints(const Root& root, std::span<const Pid> processes, EventList& events) {
  for (EventSpec& spec : events)
    if (!spec.symbol.empty()) PEREGRINE_TRY(place(root, processes, spec));
  return {};
}

Result<> place_breakpoints(const Root& root, const Target& target, EventList& events) {
  if (!has_named_breakpoint(events) || target.kind == TargetKind::Workload) return {};
  if (target.kind == TargetKind::Threads)
    return place_breakpoints(root, target.processes.empty() ? target.threads : target.processes, events);
  for (const EventSpec& spec : events) {
    if (!spec.needs_program()) continue;
    auto missing = kernel_symbol_address(root, spec.symbol);
    if (!missing) return of_event(spec, std::move(missing.error()));
  }
  return {};
}

Result<> move_breakpoints(const Root& root, Pid workload, const EventMatrix& matrix, EventList& events) {
  PEREGRINE_TRY(place_breakpoints(root, std::span(&workload, 1), events));
  for (std::size_t index = 0; index < events.size(); ++index) {
    if (events[index].symbol.empty()) continue;
    // The kernel requires the rest of the attr unchanged, and exec has cleared these flags in its copy.
    abi::EventAttr attr = events[index].attr;
    if (attr.has(abi::attr_flag::EnableOnExec))
      attr.set(abi::attr_flag::EnableOnExec | abi::attr_flag::Disabled, false);
    ByteWriter bytes;
    encode_attr(attr, bytes);
    for (const Cell& cell : matrix.at(index).cells) {
      if (cell.fd && ::ioctl(cell.fd.get(), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, bytes.bytes().data()) != 0)
        return fail_errno(fmt::format("putting {} to {:#x}", events[index].name, attr.config1));
    }
  }
  return {};
}

}  // namespace peregrine
