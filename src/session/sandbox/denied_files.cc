#include "session/sandbox/denied_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/file/read_failures.h"
#include "base/judged_file.h"
#include "base/process_root.h"
#include "base/text/counted.h"
#include "base/text/listed.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "output/text/format/printable.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

// Landlock restricts open(2) but does not affect the result of access(2).
bool is_hidden_by_sandbox(const ReaderConfinement& confinement, const std::string& path) {
  if (!confinement.confined || ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return false;
  const auto file = open_and_judge(path, {});
  return !file && file.error().system_errno == EACCES;
}

namespace {

constexpr std::size_t kMostDeniedNamed = 5;

using DsoTables = std::span<const DsoTable* const>;

// Why a file was not used: its errno, or another reason if the file could be opened.
struct FileRefusal {
  int error = 0;
  MissReason miss = MissReason::None;
  std::string_view why() const { return error != 0 ? std::string_view(std::strerror(error)) : describe(miss); }
};

// Binaries that could not be opened, so that their dso has no symbols, and lists of JIT-compiled code that exist
// but were not read. Two causes are reported elsewhere: machine failures in damage.h, and wrong owners of lists
// below.
std::map<std::string, FileRefusal> closed_files(DsoTables tables) {
  std::map<std::string, FileRefusal> closed;
  for (const DsoTable* const dsos : tables) {
    for (u32 i = 0; i < dsos->size(); ++i) {
      const auto& tried = dsos->tried(DsoId(i));
      if (std::ranges::any_of(tried, [](const SymbolSource& one) { return one.gave != SymbolSet::None; })) continue;
      for (const SymbolSource& source : tried) {
        const bool absent = source.error == 0 || source.miss == MissReason::Absent;
        if (source.kind == SourceKind::Dso && !absent && !is_machine_failure(source.error))
          closed.emplace(source.path, FileRefusal{source.error, source.miss});
        if (source.kind != SourceKind::PerfMap) continue;
        if (source.miss == MissReason::NotRegular) closed.emplace(source.path, FileRefusal{0, source.miss});
        // Below the root of a process that we may not inspect, we cannot know whether such a file exists.
        if (source.miss == MissReason::Denied && !split_process_path(source.path))
          closed.emplace(source.path, FileRefusal{EACCES, source.miss});
      }
    }
  }
  return closed;
}

void warn_about_hidden_files(SessionListener& listener, const std::vector<std::string>& hidden,
                             const ReaderConfinement& confinement) {
  if (hidden.empty()) return;
  const bool one = hidden.size() == 1;
  listener.warning(
      fmt::format("no symbols of {}: the sandbox hides {}", listed(hidden, kMostDeniedNamed),
                  one ? "this file" : "these files"),
      fmt::format("to read {}: {} (or core.sandbox = false)", one ? "it" : "them", confinement.unconfined));
}

// Returns whether the sandbox hides any of them.
bool warn_about_closed_files(SessionListener& listener, DsoTables tables, const ReaderConfinement& confinement) {
  std::vector<std::string> hidden, closed;
  bool denied = false;
  for (const auto& [path, refusal] : closed_files(tables)) {
    const bool may_be_allowed = refusal.error == EACCES || refusal.error == EPERM;
    if (may_be_allowed && is_hidden_by_sandbox(confinement, path)) {
      hidden.push_back(printable(path));
      continue;
    }
    denied |= may_be_allowed;
    closed.push_back(printable(fmt::format("'{}': {}", path, refusal.why())));
  }
  warn_about_hidden_files(listener, hidden, confinement);
  if (!closed.empty())
    listener.warning(fmt::format("cannot read {}; function names are missing", listed(closed, kMostDeniedNamed)),
                     denied ? "run as root, or make the file readable for your user" : "");
  return !hidden.empty();
}

}  // namespace

bool warn_about_denied_files(SessionListener& listener, std::span<const DsoTable* const> tables,
                             const ReaderConfinement& confinement) {
  const bool hidden = warn_about_closed_files(listener, tables, confinement);
  std::set<std::string> denied;
  for (const DsoTable* const dsos : tables) {
    for (u32 i = 0; i < dsos->size(); ++i) {
      for (const SymbolSource& source : dsos->tried(DsoId(i)))
        if (source.kind == SourceKind::PerfMap && source.miss == MissReason::Untrusted) denied.insert(source.path);
    }
  }
  std::size_t said = 0;
  for (const std::string& path : denied) {
    if (++said > kMostDeniedNamed) {
      listener.warning(
          counted(denied.size() - kMostDeniedNamed, "more such file is ignored", "more such files are ignored"));
      break;
    }
    listener.warning(
        fmt::format("File {} not owned by the process's owner, current user or root, ignoring it", printable(path)),
        "use -f to override");
  }
  return hidden;
}

}  // namespace peregrine
