#include "analysis/hist/quality/missing_names.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

// Explains one dso; its symbols were searched for in these places.
class MissingNamesTest : public ::testing::Test {
 protected:
  struct Given {
    DsoKind kind = DsoKind::File;
    std::string name = "/usr/bin/app";
    std::vector<SymbolSource> tried = {};
    bool has_build_id = false;
  };
  MissingNames explain(const Given& given) {
    DsoTable dsos({});
    const DsoId id = dsos.find_or_add(given.kind, given.name);
    if (given.has_build_id) dsos.at(id).build_id = *BuildId::parse("abcd");
    for (const SymbolSource& source : given.tried) dsos.set_symbols(id, SymbolTable(), source);
    return explain_missing_names(dsos, {.dso = id.value, .samples = 2, .unnamed = 1});
  }
};

SymbolSource missed(SourceKind kind, MissReason miss) { return {.kind = kind, .path = {}, .miss = miss}; }
SymbolSource given_by(SourceKind kind, SymbolSet set) { return {.kind = kind, .path = {}, .gave = set}; }

TEST_F(MissingNamesTest, SaysWhyAndWhatToDo) {
  using enum MissReason;
  constexpr auto kDso = SourceKind::Dso, kMap = SourceKind::PerfMap, kList = SourceKind::Kallsyms;
  const SymbolSource whole = given_by(kDso, SymbolSet::All);
  const struct Case {
    Given given;
    std::string_view why, remedy;
  } cases[] = {
      {{.tried = {whole}}, "none of its symbols covers these addresses", ""},
      {{.tried = {given_by(kDso, SymbolSet::Exported)}},
       "it is stripped: only exported functions have names",
       "install its debug symbols"},
      {{.tried = {missed(kDso, NoSymbols)}}, "it is stripped", "install its debug symbols"},
      {{.tried = {missed(kDso, NoSymbols)}, .has_build_id = true},
       "it is stripped",
       "install its debug symbols, or fetch them: --debuginfod"},
      {{.tried = {missed(kDso, NoSymbols), missed(SourceKind::DebugServer, NotOnServer)}, .has_build_id = true},
       "it is stripped",
       "install its debug symbols"},  // the debuginfod servers were already asked
      {{.tried = {missed(kDso, BuildIdMismatch)}},
       "the file is not the recorded build",
       "add the recorded build: perf buildid-cache --add FILE"},
      {{.tried = {missed(kDso, Denied)}}, "you do not have permission to read it", "run as root"},
      {{.tried = {missed(kDso, NotElf)}}, "it is not an ELF file", ""},
      {{.tried = {missed(kDso, BadCompression)}}, "it cannot be decompressed", ""},
      {{.tried = {missed(kDso, Absent)}},
       "the file does not exist here",
       "run perf archive on the recorded machine, or pass --symfs DIR"},
      {{DsoKind::Kernel, "[kernel.kallsyms]", {given_by(kList, SymbolSet::All)}},
       "no kernel symbol covers these addresses",
       ""},
      {{DsoKind::Kernel, "[kernel.kallsyms]", {missed(kList, BuildIdMismatch)}},
       "the recorded kernel is not the running one",
       "pass its image (-k FILE) or symbol list (--kallsyms FILE)"},
      {{DsoKind::Kernel, "[kernel.kallsyms]", {missed(kList, Absent)}},
       "no kernel image or symbol list was found",
       "pass one: -k FILE, --kallsyms FILE"},
      {{DsoKind::Module, "[xfs]", {missed(SourceKind::Module, BuildIdMismatch)}},
       "the module's file is not the recorded build",
       ""},
      {{DsoKind::Module, "[xfs]", {missed(kList, HiddenAddresses)}},
       "the kernel hides its addresses (kernel.kptr_restrict)",
       "run as root: sysctl kernel.kptr_restrict=0"},
      {{DsoKind::Module, "[xfs]", {missed(SourceKind::Module, Absent)}},
       "the module is not loaded, and its file was not found",
       "load it, or install its kernel's package"},
      {{DsoKind::Vdso, "[vdso]", {missed(kDso, BuildIdMismatch)}},
       "it belongs to another kernel",
       "record keeps it in the build-id cache"},
      {{DsoKind::Anonymous, "/tmp/perf-7.map", {missed(kMap, Absent)}},
       "the JIT compiler left no symbol list in /tmp",
       "node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, DOTNET_PerfMapEnabled=1, python -X perf"},
      {{DsoKind::Anonymous, "/tmp/perf-7.map", {missed(kMap, Untrusted)}},
       "the JIT compiler's symbol list belongs to another user",
       "run as its owner, or pass -f"},
      {{DsoKind::Anonymous, "/tmp/perf-7.map", {missed(kMap, Denied)}},
       "you do not have permission to read the JIT compiler's symbol list",
       "run as root"},
      {{DsoKind::Anonymous, "/tmp/perf-7.map", {missed(kMap, NotRegular)}},
       "the JIT compiler's symbol list is not a regular file",
       ""},
      {{DsoKind::JitDump, "/tmp/jit-7.dump", {given_by(SourceKind::JitDump, SymbolSet::All)}},
       "the JIT compiler's symbol list does not cover these addresses",
       ""},
      {{DsoKind::Guest, "[guest.kernel.kallsyms]"},
       "missing symbol list of the guest",
       "pass a copy of its /proc/kallsyms: kvm --guestkallsyms FILE"},
      {{DsoKind::Generated, "bpf_prog_1234"}, "it has no backing file", ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.why);
    const MissingNames missing = explain(each.given);
    EXPECT_EQ(missing.why, each.why);
    EXPECT_EQ(missing.remedy, each.remedy);
  }
}

TEST_F(MissingNamesTest, PlacesInNoMapAreToldByTheirLevel) {
  const DsoTable dsos({});
  const auto why = [&](char level) {
    return explain_missing_names(dsos, {.level = level, .samples = 1, .unnamed = 1}).why;
  };
  EXPECT_EQ(why('.'), "no recorded map covers these addresses");
  EXPECT_EQ(why('k'), "no kernel map covers these addresses");
  EXPECT_EQ(why('g'), "guest and hypervisor code is not resolved");
}

TEST_F(MissingNamesTest, ASummaryNamesTheWorstDsoIfItMatters) {
  DsoTable dsos({});
  const DsoId app = dsos.find_or_add(DsoKind::File, "/usr/bin/app");
  dsos.set_symbols(app, SymbolTable(), missed(SourceKind::Dso, MissReason::NotElf));
  const auto sum_up = [&](u64 samples, std::vector<DsoHits> hits) {
    NameCoverage coverage{.dsos = std::move(hits), .samples = samples};
    for (const DsoHits& each : coverage.dsos) coverage.unnamed += each.unnamed;
    return sum_up_missing_names(dsos, coverage);
  };
  const DsoHits worst{.dso = app.value, .samples = 50, .unnamed = 50}, unmapped{.samples = 10, .unnamed = 10};
  EXPECT_EQ(sum_up(100, {worst}),
            "50% of samples have no symbol, all in app: it is not an ELF file; details: perf report --symbols-report");
  EXPECT_EQ(
      sum_up(100, {worst, unmapped}),
      "60% of samples have no symbol, mostly in app: it is not an ELF file; details: perf report --symbols-report");
  EXPECT_EQ(sum_up(100, {unmapped}),
            "10% of samples have no symbol, all: no recorded map covers these addresses; record the program from its "
            "start; details: perf report --symbols-report");
  EXPECT_EQ(sum_up(19, {worst}), "") << "too few samples to say anything";
  EXPECT_EQ(sum_up(2000, {worst}), "") << "two and a half percent";
  EXPECT_EQ(sum_up(100, {}), "");
}

}  // namespace
}  // namespace peregrine
