// Turns definitions into lines for uprobe_events, for a small program with debug information.
#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/program_probes.h"
#include "support/probed_program.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class ProgramProbeLines : public ::testing::Test {
 protected:
  void SetUp() override {
    written_.image().write_to(path_);
    auto opened = ProbeProgram::open(path_, {});
    ASSERT_TRUE(opened) << opened.error().message;
    program_ = std::move(*opened);
    ASSERT_NE(program_->information(), nullptr) << program_->no_information().message;
  }
  Result<MadeProbes> make(std::string_view definition) {
    const auto parsed = parse_probe(definition);
    if (!parsed) return std::unexpected(parsed.error());
    ProbeWishes wishes;
    wishes.source_folder = written_.source_folder();
    return make_program_probes(*parsed, *program_, wishes);
  }
  // The lines, with PROG for the program's path, or the message.
  std::vector<std::string> lines(std::string_view definition) {
    const auto made = make(definition);
    if (!made) return {made.error().message};
    std::vector<std::string> lines;
    for (const TraceProbe& probe : made->probes) {
      EXPECT_EQ(probe.target, path_);
      lines.push_back(probe.format());
      lines.back().replace(lines.back().find(path_), path_.size(), "PROG");
    }
    return lines;
  }

  support::ProbedProgram written_;
  TemporaryFolder folder_;
  std::string path_ = folder_.path("prog");
  std::unique_ptr<ProbeProgram> program_;
};

struct LineCase {
  const char* definition;
  std::vector<std::string> lines;
};

// Offsets are relative to the file: .text is at 0x1000 there, and at 0x11000 in memory.
TEST_F(ProgramProbeLines, NameTheProgramAndAnOffsetInTheFile) {
  const LineCase cases[] = {
      {"work", {"p:probe_prog/work PROG:0x1000"}},
      {"mine:start=work+4", {"p:mine/start PROG:0x1004"}},
      {"work%return", {"r:probe_prog/work__return PROG:0x1000"}},
      {"work:5", {"p:probe_prog/work_L5 PROG:0x1020"}},
      {"prog.c:18", {"p:probe_prog/main PROG:0x1044"}},
      {"twice", {"p:probe_prog/twice PROG:0x1010"}},
      {"app::main", {"p:probe_prog/main PROG:0x1040"}},
      {"all=[mw]*", {"p:probe_prog/all PROG:0x1000", "p:probe_prog/all PROG:0x1040"}},
  };
  for (const LineCase& each : cases) EXPECT_EQ(lines(each.definition), each.lines) << each.definition;
}

TEST_F(ProgramProbeLines, FetchVariablesBehindThePrologue) {
  EXPECT_EQ(lines("work n"), (std::vector<std::string>{"p:probe_prog/work PROG:0x1004 n=%di:s32"}));
  EXPECT_EQ(lines("work size=n:u64"), (std::vector<std::string>{"p:probe_prog/work PROG:0x1004 size=%di:u64"}));
  EXPECT_EQ(lines("work $params"), (std::vector<std::string>{"p:probe_prog/work PROG:0x1004 n=%di:s32"}));
  EXPECT_EQ(lines("work %si"), (std::vector<std::string>{"p:probe_prog/work PROG:0x1000 %si"}))
      << "a register needs no prologue";
  EXPECT_EQ(make("work n")->notes.size(), 1u) << "the move is reported";
  EXPECT_TRUE(make("work")->notes.empty());
}

TEST_F(ProgramProbeLines, SayWhatIsNotThere) {
  const auto function = make("wrok");
  ASSERT_FALSE(function);
  EXPECT_EQ(function.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(function.error().hint, "did you mean 'work'?");
  const auto variable = make("work m");
  ASSERT_FALSE(variable);
  EXPECT_EQ(variable.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(variable.error().hint, "the only variable in scope is n");
}

}  // namespace
}  // namespace peregrine
