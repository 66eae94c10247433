#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "abi/sample.h"
#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/sample_facts.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/thread_table.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "support/elf_image.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

// One sample, and fixed answers instead of look-ups.
class KnownFacts : public SampleFacts {
 public:
  using SampleFacts::SampleFacts;
  i32 socket() override { return socket_of_cpu; }
  u64 parallelism() override { return 4; }
  u64 time_quantum() override { return 1000; }
  HistFrameId parent() override { return HistFrameId(11); }
  HistFrameId function() override { return HistFrameId(12); }
  HistFrameId place() override { return HistFrameId(13); }
  HistFrameId call_site() override { return HistFrameId(14); }
  // A data frame's id is the last digits of its address.
  HistFrameId data(u64 address) override { return HistFrameId(static_cast<u32>(address & 0xffff)); }
  u32 trace_text() override { return 21; }
  u32 field(std::size_t index) override { return static_cast<u32>(30 + index); }
  DataTypeTable::Texts data_type() override { return {StringId(41), StringId(42), StringId(43)}; }
  i32 socket_of_cpu = 1;
};

SortKey sort_key_named(std::string_view name) {
  const auto found = std::ranges::find(all_sort_keys(), name, &SortKeySpec::name);
  EXPECT_NE(found, all_sort_keys().end()) << name;
  return *found;
}

struct SortKeyValues : ::testing::Test {
  SortKeyValues() {
    sample.fields = abi::sample_bit::Cpu | abi::sample_bit::Cgroup;
    sample.ip = 0x401234;
    sample.cpu = 3;
    sample.time = 123'456;
    sample.addr = 0x10ff;
    sample.weight = 50;
    sample.weight2 = 20;
    sample.weight3 = 7;
    sample.transaction = 6;
    sample.data_src = ~u64{0};
    sample.phys_addr = 0xabc000;
    sample.cgroup = 99;
    sample.data_page_size = 2 << 20;
    sample.code_page_size = 4096;
    context.thread.pid = 40;
    context.thread.tid = 41;
    context.thread.comm = CommId{5};
    branch.entry.cycles = 17;
    branch.from = HistFrameId(51);
    branch.to = HistFrameId(52);
  }
  u64 value(std::string_view name) { return value(sort_key_named(name)); }
  u64 value(SortKey key) {
    const ReplaySample replayed{
        .sample = sample, .context = context, .event = 0, .period = 1, .moment = 1, .file_offset = 0};
    KnownFacts facts(replayed, branch);
    facts.socket_of_cpu = socket;
    return key->value(facts);
  }
  static std::string text(std::string_view name, u64 value) {
    const Machine machine;
    return MachineNaming(machine).text(sort_key_named(name), value);
  }

  abi::Sample sample;
  Resolver::Context context;
  BranchHit branch;
  i32 socket = 1;
};

TEST_F(SortKeyValues, ComeFromTheSampleItsThreadAndItsBranch) {
  const std::map<std::string_view, u64> expected = {
      {"pid", 41},
      {"tgid", 40},
      {"comm", 5},
      {"comm_nodigit", 5},
      {"cgroup_id", 41},
      {"cgroup", 99},
      {"cpu", 3},
      {"socket", 1},
      {"parallelism", 4},
      {"time", 123'000},
      {"addr", 0x401234},
      {"parent", 11},
      {"symbol_iaddr", 12},
      {"symoff", 13},
      {"callsite", 14},
      {"symbol_daddr", 0x10ff},
      {"dso_daddr", 0x10ff},
      {"dcacheline", 0x10c0},  // the 64-byte line that contains it
      {"phys_daddr", 0xabc000},
      {"data_page_size", 2 << 20},
      {"code_page_size", 4096},
      {"trace", 21},
      {"local_weight", 50},
      {"weight", 50},
      {"local_ins_lat", 20},
      {"ins_lat", 20},
      {"local_p_stage_cyc", 7},
      {"p_stage_cyc", 7},
      {"local_retire_lat", 7},
      {"retire_lat", 7},
      {"transaction", 6},
      {"type", 41},
      {"typeoff", 42},
      {"typecln", 43},
      {"dso_from", 51},
      {"dso_to", 52},
      {"symbol_from", 51},
      {"symbol_to", 52},
      {"srcline_from", 51},
      {"srcline_to", 52},
      {"addr_from", 51},
      {"addr_to", 52},
      {"cycles", 17},
  };
  for (const auto& [name, wanted] : expected) EXPECT_EQ(value(name), wanted) << name;
  EXPECT_EQ(value(dynamic_key(2)), 32u);
}

TEST_F(SortKeyValues, AreUnknownIfTheSampleLacksTheField) {
  sample.fields = 0;
  socket = -1;
  EXPECT_EQ(static_cast<i64>(value("cpu")), -1);
  EXPECT_EQ(static_cast<i64>(value("socket")), -1);
  EXPECT_EQ(text("cgroup", value("cgroup")), "N/A");
}

TEST_F(SortKeyValues, ABranchWasPredictedOrNotOrThatIsUnknown) {
  const auto outcome = [&] { return text("mispredict", value("mispredict")); };
  EXPECT_EQ(outcome(), "N/A");
  branch.entry.predicted = true;
  EXPECT_EQ(outcome(), "N");
  branch.entry.mispredicted = true;  // damaged: has both flags
  EXPECT_EQ(outcome(), "Y");
}

TEST_F(SortKeyValues, ABranchMayAbortOrBeInATransaction) {
  EXPECT_EQ(text("abort", value("abort")), ".");
  EXPECT_EQ(text("in_tx", value("in_tx")), ".");
  branch.entry.abort = branch.entry.in_transaction = true;
  EXPECT_EQ(text("abort", value("abort")), "A");
  EXPECT_EQ(text("in_tx", value("in_tx")), "T");
}

TEST_F(SortKeyValues, HaveTextsWithoutAnyTable) {
  EXPECT_EQ(text("data_page_size", 2 << 20), "2M");
  EXPECT_EQ(text("code_page_size", 0), "N/A");
  EXPECT_EQ(text("trace", 3), "");
  EXPECT_EQ(text("type", 3), "(unknown)");
  EXPECT_EQ(text("cgroup", 12), "unknown") << "no record names it";
  EXPECT_EQ(text("cpu", 12), "") << "numbers are shown as numbers";
  EXPECT_EQ(text("simd", value("simd")), "");
}

TEST(MachineNamingTexts, AreTheNamesOfTheMachine) {
  support::ResolvedProgram program;
  MachineNaming naming(program.machine);
  EXPECT_EQ(naming.text(SortKey::Pid, support::ResolvedProgram::kTid), "shell");
  EXPECT_EQ(naming.text(SortKey::Pid, 4711), ":4711");
  EXPECT_EQ(naming.text(SortKey::Comm, program.machine.find_comm("shell")->value), "shell");

  const Frame inner =
      program.resolver.at(program.resolver.frame(program.context(), support::ResolvedProgram::kInner, 2));
  const Naming::SymbolName symbol = naming.symbol(inner.dso.value, inner.symbol.value);
  EXPECT_EQ(symbol.name, "inner");
  EXPECT_EQ(symbol.end - symbol.start, 0x100u);
  EXPECT_EQ(naming.dso(inner.dso.value), "shell");
  EXPECT_EQ(MachineNaming(program.machine, true).dso(inner.dso.value), program.file());
  EXPECT_EQ(naming.dso_size(inner.dso.value), ElfImage::kTextSize);
}

TEST(MachineNamingTexts, ASymbolThatIsGoneHasNoExtent) {
  support::ResolvedProgram program;
  MachineNaming naming(program.machine);
  const Frame inner =
      program.resolver.at(program.resolver.frame(program.context(), support::ResolvedProgram::kInner, 2));
  const Naming::SymbolName gone = naming.symbol(inner.dso.value, 1000);
  EXPECT_EQ(gone.name, "");
  EXPECT_EQ(gone.start, 0u);
  EXPECT_EQ(gone.end, 0u);
}

TEST(MachineNamingTexts, RecordsNameCgroupsAndTheirNamespaces) {
  const Machine machine;
  MachineNaming naming(machine);
  RecordedNames recorded;
  recorded.cgroups[7] = "/user.slice";
  recorded.cgroup_namespaces[41] = {.moment = 1, .link = {.device = 4, .inode = 0xeffffffb}};
  naming.set_recorded(recorded);
  EXPECT_EQ(naming.cgroup(7), "/user.slice");
  EXPECT_EQ(naming.cgroup(0), "N/A");
  EXPECT_EQ(naming.cgroup_namespace(41), "4/0xeffffffb");
  EXPECT_EQ(naming.cgroup_namespace(42), "0/0x0");
}

TEST(WithoutDigits, NumberedThreadsReadTheSame) {
  const std::map<std::string_view, std::string_view> expected = {{"kworker/3:1", "kworker/<N>:<N>"},
                                                                 {"kworker/13:0", "kworker/<N>:<N>"},
                                                                 {"bash", "bash"},
                                                                 {"1024", "<N>"},
                                                                 {"", ""},
                                                                 {"x86", "x<N>"}};
  for (const auto& [comm, text] : expected) EXPECT_EQ(without_digits(comm), text) << comm;
}

}  // namespace
}  // namespace peregrine
