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
  if (gave(tried, SymbolSet::All)) return {"no symbol of it covers these addresses", ""};
  if (gave(tried, SymbolSet::Exported))
    return {"it is stripped: only what it exports has names", get_debug_symbols(dso, tried)};
  if (any(tried, MissReason::NoSymbols)) return {"it is stripped", get_debug_symbols(dso, tried)};
  if (!dso.path.starts_with('/')) return {"it has no backing file", ""};
  if (any(tried, SourceKind::Dso, MissReason::BuildIdMismatch))
    return {"the file there now is of another build than the recorded one",
            "where the recorded build still is: perf buildid-cache --add FILE"};
  if (any(tried, SourceKind::Dso, MissReason::Denied)) return {"it may not be read", "ask as root"};
  if (any(tried, SourceKind::Dso, MissReason::NotElf)) return {"it is not an ELF file", ""};
  if (any(tried, MissReason::BadCompression)) return {"it cannot be unpacked", ""};
  return {"the file is not there", "on the machine that has it: perf archive; or say where: --symfs DIR"};
}

MissingNames of_kernel(const Sources& tried) {
  if (gave(tried, SymbolSet::All)) return {"no symbol of the kernel covers these addresses", ""};
  if (any(tried, MissReason::HiddenAddresses))
    return {"the kernel hides its addresses (kernel.kptr_restrict)", "as root: sysctl kernel.kptr_restrict=0"};
  if (any(tried, SourceKind::Kallsyms, MissReason::BuildIdMismatch))
    return {"another kernel was recorded than the one that runs",
            "name its image or its list: -k FILE, --kallsyms FILE"};
  return {"neither a list nor an image of the kernel was found", "name one: -k FILE, --kallsyms FILE"};
}

MissingNames of_module(const Sources& tried) {
  if (gave(tried, SymbolSet::All)) return {"no symbol of the module covers these addresses", ""};
  if (any(tried, MissReason::HiddenAddresses)) return of_kernel(tried);
  if (any(tried, SourceKind::Module, MissReason::BuildIdMismatch))
    return {"the module's file is of another build than the recorded one", ""};
  return {"the module is not loaded, and its file was not found", "load it, or install its kernel's package"};
}

MissingNames of_generated_code(const Sources& tried) {
  if (any(tried, MissReason::Untrusted))
    return {"the list of the program's compiler belongs to another user", "ask as its owner, or with -f"};
  if (any(tried, MissReason::Denied)) return {"the list of the program's compiler may not be read", "ask as root"};
  if (any(tried, MissReason::NotRegular)) return {"the list of the program's compiler is not a regular file", ""};
  if (any(tried, MissReason::Absent))
    return {"the program's compiler left no list of its functions in /tmp",
            "node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, DOTNET_PerfMapEnabled=1, python -X perf"};
  return {"the list of the program's compiler does not have them", ""};
}

MissingNames of_no_map(char level) {
  if (level == 'k') return {"no map of the kernel covers these addresses", ""};
  if (level == '.') return {"no recorded map covers these addresses", "record the program from its start"};
  return {"guests and hypervisors are not looked into", ""};
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
                 ? MissingNames{"no symbol of it covers these addresses", ""}
                 : MissingNames{"it is of another kernel", "record keeps it in the build-id cache"};
    case DsoKind::Anonymous:
    case DsoKind::JitDump:
      return of_generated_code(tried);
    case DsoKind::Guest:
      return {"no list of the guest's symbols was given", "kvm --guestkallsyms FILE: a copy of its /proc/kallsyms"};
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
  return fmt::format("{:.0f}% of the samples have no name, {}{}: {}{}{}; all of it: perf report --symbols-report",
                     share * 100, worst.unnamed == hits.unnamed ? "all" : "most", where, missing.why,
                     missing.remedy.empty() ? "" : "; ", missing.remedy);
}

}  // namespace peregrine
