#include "cmd/denied_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/judged_file.h"
#include "output/text/printable.h"

namespace peregrine::cmd {

// Landlock forbids to open a file, and leaves access(2) as it is.
bool is_hidden_by_sandbox(const Invocation& call, const std::string& path) {
  if (!call.confined || ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return false;
  const auto file = open_and_judge(path, {});
  return !file && file.error().system_errno == EACCES;
}

namespace {

constexpr std::size_t kMostNamed = 5;

bool warn_about_hidden_files(Invocation& call, const DsoTable& dsos) {
  std::set<std::string> hidden;
  for (u32 i = 0; i < dsos.size(); ++i) {
    const auto& tried = dsos.tried(DsoId(i));
    if (std::ranges::any_of(tried, [](const SymbolSource& source) { return source.gave != SymbolSet::None; })) continue;
    for (const SymbolSource& source : tried) {
      if (source.kind == SourceKind::Dso && source.miss == MissReason::Denied &&
          is_hidden_by_sandbox(call, source.path))
        hidden.insert(source.path);
    }
  }
  if (hidden.empty()) return false;
  std::string names;
  std::size_t said = 0;
  for (const std::string& path : hidden)
    if (said++ < kMostNamed) names += fmt::format("{}{}", names.empty() ? "" : ", ", printable(path));
  if (said > kMostNamed) names += fmt::format(" and {} more", said - kMostNamed);
  call.messages.warning(
      fmt::format("no symbols of {}: the sandbox hides {}", names, said == 1 ? "this file" : "these files"),
      fmt::format("to read {}: {} --no-sandbox {} ... (or core.sandbox = false)", said == 1 ? "it" : "them",
                  call.messages.program(), call.command.name));
  return true;
}

}  // namespace

bool warn_about_denied_files(Invocation& call, const DsoTable& dsos) {
  const bool hidden = warn_about_hidden_files(call, dsos);
  std::set<std::string> denied;
  for (u32 i = 0; i < dsos.size(); ++i) {
    for (const SymbolSource& source : dsos.tried(DsoId(i)))
      if (source.kind == SourceKind::PerfMap && source.miss == MissReason::Untrusted) denied.insert(source.path);
  }
  std::size_t said = 0;
  for (const std::string& path : denied) {
    if (++said > kMostNamed) {
      call.messages.warning(fmt::format("{} more such files are ignored", denied.size() - kMostNamed));
      break;
    }
    call.messages.warning(
        fmt::format("File {} not owned by the process's owner, current user or root, ignoring it", printable(path)),
        "use -f to override");
  }
  return hidden;
}

}  // namespace peregrine::cmd
