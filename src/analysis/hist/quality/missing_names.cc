#include "analysis/hist/quality/missing_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {
namespace {

constexpr double kNoteworthyNames = 0.05;  // of all samples
constexpr u64 kTooFewSamples = 20;         // below this, percentages are meaningless

using Sources = std::vector<SymbolSource>;

bool any(const Sources& tried, MissReason miss) {
  return std::ranges::any_of(tried, [&](const SymbolSource& source) { return source.miss == miss; });
}
bool any(const Sources& tried, SourceKind kind, MissReason miss) {
  return std::ranges::any_of(tried,
                             [&](const SymbolSource& source) { return source.kind == kind && source.miss == miss; });
}
bool gave(const Sources& tried, SymbolSet set) {
  return std::ranges::any_of(tried, [&](const SymbolSource& source) { return source.gave == set; });
}

std::string get_debug_symbols(const Dso& dso, const Sources& tried) {
  const bool asked =
      std::ranges::any_of(tried, [](const SymbolSource& source) { return source.kind == SourceKind::DebugServer; });
  if (asked || !dso.build_id) return "install its debug symbols";
  return "install its debug symbols, or fetch them: --debuginfod";
}

MissingNames of_file(const Dso& dso, const Sources& tried) {
  if (gave(tried, SymbolSet::All)) return {"none of its symbols covers these addresses", ""};
  if (gave(tried, SymbolSet::Exported))
    return {"it is stripped: only exported functions have names", get_debug_symbols(dso, tried)};
  if (any(tried, MissReason::NoSymbols)) return {"it is stripped", get_debug_symbols(dso, tried)};
  if (!dso.path.starts_with('/')) return {"it has no backing file", ""};
  if (any(tried, SourceKind::Dso, MissReason::BuildIdMismatch))
    return {"the file is not the recorded build", "add the recorded build: perf buildid-cache --add FILE"};
  if (any(tried, SourceKind::Dso, MissReason::Denied)) return {"you do not have permission to read it", "run as root"};
  if (any(tried, SourceKind::Dso, MissReason::NotElf)) return {"it is not an ELF file", ""};
  if (any(tried, MissReason::BadCompression)) return {"it cannot be decompressed", ""};
  return {"the file does not exist here", "run perf archive on the recorded machine, or pass --symfs DIR"};
}

MissingNames of_kernel(const Sources& tried) {
  if (gave(tried, SymbolSet::All)) return {"no kernel symbol covers these addresses", ""};
  if (any(tried, MissReason::HiddenAddresses))
    return {"the kernel hides its addresses (kernel.kptr_restrict)", "run as root: sysctl kernel.kptr_restrict=0"};
  if (any(tried, SourceKind::Kallsyms, MissReason::BuildIdMismatch))
    return {"the recorded kernel is not the running one", "pass its image (-k FILE) or symbol list (--kallsyms FILE)"};
  return {"no kernel image or symbol list was found", "pass one: -k FILE, --kallsyms FILE"};
}

MissingNames of_module(const Sources& tried) {
  if (gave(tried, SymbolSet::All)) return {"no module symbol covers these addresses", ""};
  if (any(tried, MissReason::HiddenAddresses)) return of_kernel(tried);
  if (any(tried, SourceKind::Module, MissReason::BuildIdMismatch))
    return {"the module's file is not the recorded build", ""};
  return {"the module is not loaded, and its file was not found", "load it, or install its kernel's package"};
}

MissingNames of_generated_code(const Sources& tried) {
  if (any(tried, MissReason::Untrusted))
    return {"the JIT compiler's symbol list belongs to another user", "run as its owner, or pass -f"};
  if (any(tried, MissReason::Denied))
    return {"you do not have permission to read the JIT compiler's symbol list", "run as root"};
  if (any(tried, MissReason::NotRegular)) return {"the JIT compiler's symbol list is not a regular file", ""};
  if (any(tried, MissReason::Absent))
    return {"the JIT compiler left no symbol list in /tmp",
            "node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, DOTNET_PerfMapEnabled=1, python -X perf"};
  return {"the JIT compiler's symbol list does not cover these addresses", ""};
}

MissingNames of_no_map(char level) {
  if (level == 'k') return {"no kernel map covers these addresses", ""};
  if (level == '.') return {"no recorded map covers these addresses", "record the program from its start"};
  return {"guest and hypervisor code is not resolved", ""};
}

}  // namespace

MissingNames explain_missing_names(const DsoTable& dsos, const DsoHits& hits) {
  if (hits.unnamed == 0) return {};
  if (hits.dso == HistFrame::kNone) return of_no_map(hits.level);
  const DsoId id(hits.dso);
  const Dso& dso = dsos.at(id);
  const Sources& tried = dsos.tried(id);
  switch (dso.kind) {
    case DsoKind::File:
      return of_file(dso, tried);
    case DsoKind::Kernel:
      return of_kernel(tried);
    case DsoKind::Module:
      return of_module(tried);
    case DsoKind::Vdso:
      return gave(tried, SymbolSet::All)
                 ? MissingNames{"none of its symbols covers these addresses", ""}
                 : MissingNames{"it belongs to another kernel", "record keeps it in the build-id cache"};
    case DsoKind::Anonymous:
    case DsoKind::JitDump:
      return of_generated_code(tried);
    case DsoKind::Guest:
      return {"missing symbol list of the guest", "pass a copy of its /proc/kallsyms: kvm --guestkallsyms FILE"};
    case DsoKind::Generated:
    case DsoKind::NoSymbols:
      break;
  }
  return {"it has no backing file", ""};
}

std::string sum_up_missing_names(const DsoTable& dsos, const NameCoverage& hits) {
  if (hits.samples < kTooFewSamples || hits.dsos.empty()) return {};
  const double share = static_cast<double>(hits.unnamed) / static_cast<double>(hits.samples);
  if (share < kNoteworthyNames) return {};
  const DsoHits& worst = hits.dsos.front();
  const MissingNames missing = explain_missing_names(dsos, worst);
  const std::string where =
      worst.dso == HistFrame::kNone ? std::string() : " in " + dsos.at(DsoId(worst.dso)).short_name;
  return fmt::format("{:.0f}% of samples have no symbol, {}{}: {}{}{}; details: perf report --symbols-report",
                     share * 100, worst.unnamed == hits.unnamed ? "all" : "mostly", where, missing.why,
                     missing.remedy.empty() ? "" : "; ", missing.remedy);
}

}  // namespace peregrine
