#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/types.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_sample.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using support::SampleLines;

constexpr u64 kOuter = ResolvedProgram::kMapped + 0x20, kInner = ResolvedProgram::kInner + 4;

// A sample in `inner`, called by `outer`, called by unmapped code.
class SampledChain {
 public:
  SampledChain() {
    lines.attr.sample_type = abi::sample_bit::Callchain;
    lines.sample.ip = kInner;
    show({abi::kContextUser, kInner, kOuter, 0x700000});
  }
  void show(std::vector<u64> addresses) {
    chain_ = std::move(addresses);
    lines.sample.callchain = chain_;
  }
  std::string print(std::string_view words) { return lines.print(words); }
  std::string dso() const { return " (" + lines.program.file() + ")"; }
  SampleLines lines;

 private:
  std::vector<u64> chain_;
};

TEST(CodeField, ShowsTheSampledAddressAndWhatIsThere) {
  SampleLines lines;
  const std::string dso = " (" + lines.program.file();
  EXPECT_EQ(lines.print("ip"), "           401010\n");
  EXPECT_EQ(lines.print("ip,sym"), "           401010 outer\n");
  EXPECT_EQ(lines.print("ip,sym,symoff"), "           401010 outer+0x10\n");
  EXPECT_EQ(lines.print("ip,sym,dso"), "           401010 outer" + dso + ")\n");
  EXPECT_EQ(lines.print("ip,dso"), "           401010" + dso + ")\n");
  EXPECT_EQ(lines.print("ip,dso,dsoff"), "           401010" + dso + "+0x1010)\n") << "the offset in the file";
  EXPECT_EQ(lines.print("sym"), "\n") << "the address has no column to add its name to";
}

TEST(CodeField, ShowsUnknownNamesInBrackets) {
  SampleLines lines;
  lines.sample.ip = 0x500000;
  EXPECT_EQ(lines.print("ip,sym,symoff,dso"), "           500000 [unknown] ([unknown])\n");
  lines.sample.ip = ResolvedProgram::kMapped + 0x300;
  EXPECT_EQ(lines.print("ip,sym,dso"), "           401300 [unknown] (" + lines.program.file() + ")\n");
  lines.sample.ip = ~u64{0};
  EXPECT_EQ(lines.print("ip,sym"), " ffffffffffffffff [unknown]\n");
}

TEST(CodeField, AddressesMayBeThoseInTheFileOrBoth) {
  SampleLines lines;
  const auto with = [&](ScriptAddresses addresses) {
    lines.options = [=](ScriptPlan& plan) { plan.shown_addresses = addresses; };
    return lines.print("ip,sym");
  };
  EXPECT_EQ(with(ScriptAddresses::AsPerf), "           401010 outer\n");
  EXPECT_EQ(with(ScriptAddresses::Absolute), "           401010 outer\n");
  EXPECT_EQ(with(ScriptAddresses::Relative), "             1010 outer\n");
  EXPECT_EQ(with(ScriptAddresses::Both), "           401010             1010 outer\n");
}

TEST(ChainField, HasALinePerFrameAndAnEmptyLineAfterThem) {
  SampledChain chain;
  EXPECT_EQ(chain.print("event,ip,sym,symoff,dso"),
            "cycles:u: \n"
            "\t            1104 inner+0x4" +
                chain.dso() +
                "\n"
                "\t            1020 outer+0x20" +
                chain.dso() +
                "\n"
                "\t          700000 [unknown] ([unknown])\n\n");
  EXPECT_EQ(chain.print("ip"), "\n\t            1104\n\t            1020\n\t          700000\n\n");
  EXPECT_EQ(chain.print("event"), "cycles:u: \n") << "the chain belongs to the address";
}

TEST(ChainField, AddressesMayBeAbsolute) {
  SampledChain chain;
  const auto with = [&](ScriptAddresses addresses) {
    chain.lines.options = [=](ScriptPlan& plan) { plan.shown_addresses = addresses; };
    return chain.print("ip,sym");
  };
  EXPECT_EQ(with(ScriptAddresses::AsPerf), with(ScriptAddresses::Relative));
  EXPECT_EQ(with(ScriptAddresses::Absolute),
            "\n\t          401104 inner\n\t          401020 outer\n\t          700000 [unknown]\n\n");
  EXPECT_EQ(with(ScriptAddresses::Both),
            "\n\t          401104             1104 inner\n\t          401020             1020 outer\n"
            "\t          700000           700000 [unknown]\n\n");
}

// Lines of frames are cached, since a function appears in many chains.
TEST(ChainField, KeptLinesEqualFreshOnes) {
  SampledChain chain;
  const std::string once = chain.print("ip,sym,dso");
  EXPECT_EQ(chain.lines.print("ip,sym,dso", {chain.lines.sample, chain.lines.sample}), once + once);
  // The same frames as complete lines of a chain, and at the end of a line without a chain.
  chain.lines.attr.sample_type = 0;
  EXPECT_EQ(chain.print("ip,sym,dso"), "           401104 inner" + chain.dso() + "\n");
}

TEST(ChainField, IsLimitedToTheDeepestStack) {
  SampledChain chain;
  unsigned depth = 0;
  chain.lines.options = [&](ScriptPlan& plan) { plan.max_stack = depth; };
  EXPECT_EQ(chain.print("ip,sym"), "\n\n");
  depth = 1;
  EXPECT_EQ(chain.print("ip,sym"), "\n\t            1104 inner\n\n");
  depth = 2;
  EXPECT_EQ(chain.print("ip,sym"), "\n\t            1104 inner\n\t            1020 outer\n\n");
}

TEST(ChainField, EndsAtAFunctionOfStopBt) {
  SampledChain chain;
  const std::string whole = chain.print("ip,sym");
  chain.lines.options = [](ScriptPlan& plan) { plan.stop_at = {"main", "outer"}; };
  EXPECT_EQ(chain.print("ip,sym"), "\n\t            1104 inner\n\t            1020 outer\n\n");
  chain.lines.options = [](ScriptPlan& plan) { plan.stop_at = {"out"}; };
  EXPECT_EQ(chain.print("ip,sym"), whole) << "a part of a name is not its name";
}

TEST(ChainField, MarkersAreNoFramesAndUnknownOnesDropTheChain) {
  SampledChain chain;
  chain.show({abi::kContextUser});
  EXPECT_EQ(chain.print("ip,sym"), "\n\n");
  chain.show({});
  EXPECT_EQ(chain.print("ip,sym"), "\n\n");
  chain.show({abi::kContextUser, kInner, abi::kContextMax, kOuter});
  EXPECT_EQ(chain.print("ip,sym"), "\n\n");
}

// With --no-merge-callchains, the user frames are in a later record with the same cookie.
TEST(ChainField, ADeferredUserStackIsItsCookie) {
  SampledChain chain;
  chain.show({abi::kContextKernel, 0xffffffff81000010, abi::kContextUserDeferred, 0xb00000006});
  chain.lines.options = [](ScriptPlan& plan) { plan.merges_chains = false; };
  EXPECT_EQ(chain.print("ip,sym,dso"),
            "\n\tffffffff81000010 [unknown] ([unknown])\n\t       b00000006 (cookie) ([unknown])\n\n");
  EXPECT_EQ(chain.print("ip"), "\n\tffffffff81000010\n\t       b00000006\n\n");
}

TEST(ChainField, ADeferredChainIsPrintedWithItsCookie) {
  SampledChain chain;
  const ScriptPlan plan = chain.lines.plan("ip,sym");
  ScriptSample printer(plan);
  ScriptText text;
  printer.put_deferred_chain(text, chain.lines.replayed(chain.lines.sample), 0xb00000006, chain.lines.program.resolver);
  EXPECT_EQ(text.view(),
            "DEFERRED CALLCHAIN [cookie: b00000006]\n"
            "\t            1104 inner\n\t            1020 outer\n\t          700000 [unknown]\n\n");
}

}  // namespace
}  // namespace peregrine
