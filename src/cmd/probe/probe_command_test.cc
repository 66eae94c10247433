// Command lines of probe that end before the kernel is used.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "session/probe/probe_request.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

using ProbeWords = std::vector<std::string>;

ProbeRequest probe_by(const ProbeWords& words) {
  auto request = options_of<ProbeRequest>(kProbe, words);
  EXPECT_TRUE(request) << request.error().message;
  return request ? std::move(*request) : ProbeRequest();
}

TEST(ProbeOptions, DefinitionsAddUp) {
  EXPECT_EQ(probe_by({"-a", "f", "-a", "g:3 n"}).add, (ProbeWords{"f", "g:3 n"}));
  EXPECT_EQ(probe_by({"-D", "f"}).define, ProbeWords{"f"});
  EXPECT_EQ(probe_by({"-d", "a", "--del", "b*"}).remove, (ProbeWords{"a", "b*"}));
  EXPECT_TRUE(probe_by({"-a", "f", "--no-add"}).add.empty());
}

// -l takes the next argument, if there is one.
TEST(ProbeOptions, ViewsTakeANameOrNone) {
  EXPECT_EQ(probe_by({}).list, std::nullopt);
  EXPECT_EQ(probe_by({"-l"}).list, "");
  EXPECT_EQ(probe_by({"-l", "probe:*"}).list, "probe:*");
  EXPECT_EQ(probe_by({"-F", "-x", "prog"}).functions, "") << "an option is no name";
  EXPECT_EQ(probe_by({"-F", "-x", "prog"}).program, "prog");
  EXPECT_EQ(probe_by({"--line=main:3"}).line, "main:3");
  EXPECT_EQ(probe_by({"-V", "main"}).variables, "main");
}

TEST(ProbeOptions, LimitsHaveDefaults) {
  EXPECT_EQ(probe_by({}).most_probes, 128u);
  EXPECT_EQ(probe_by({"--max-probes", "5"}).most_probes, 5u);
  EXPECT_EQ(probe_by({"--max-probes=5", "--no-max-probes"}).most_probes, 128u);
  EXPECT_TRUE(probe_by({}).demangle);
  EXPECT_FALSE(probe_by({"--no-demangle"}).demangle);
  EXPECT_EQ(probe_by({"--target-ns", "12"}).target_namespace, 12);
  EXPECT_EQ(refusal_of<ProbeRequest>(kProbe, {"--max-probes", "all"}), "option `max-probes' expects a numerical value");
}

TEST(ProbeCommand, DoesOneThingAtATime) {
  EXPECT_EQ(misuse_of(kProbe, {"-d", "a", "-a", "b"}), "-d and -a cannot be used together");
  EXPECT_EQ(misuse_of(kProbe, {"-F", "-L", "main"}), "-F and -L cannot be used together");
  EXPECT_EQ(misuse_of(kProbe, {"-l", "x", "-V", "y", "-D", "z"}), "-l and -V and -D cannot be used together");
}

TEST(ProbeCommand, DoesNotRemoveHalfOfWhatWasNamed) {
  const Called call = called(kProbe, {"-d", "a", "b"});
  EXPECT_EQ(call.error.message, "-d takes one name; found a second name, \"b\"");
  EXPECT_EQ(call.error.hint, "repeat -d for each name, or use a glob: -d A -d 'B*'");
}

TEST(ProbeCommand, ViewsTakeOneName) {
  EXPECT_EQ(misuse_of(kProbe, {"-l", "a", "b"}), "-l takes one name; found a second name, \"b\"");
  EXPECT_EQ(misuse_of(kProbe, {"-L", "-x", "/bin/true", "main", "exit"}),
            "-L takes one name; found a second name, \"exit\"");
}

TEST(ProbeCommand, NeedsSomethingToDo) {
  EXPECT_EQ(misuse_of(kProbe, {}), "missing probe definition, or -l, -L, -V or -F");
  EXPECT_EQ(misuse_of(kProbe, {"-x", "/bin/true"}), "missing probe definition, or -l, -L, -V or -F");
  EXPECT_EQ(misuse_of(kProbe, {"/bin/true"}), "missing probe definition, or -l, -L, -V or -F")
      << "an absolute path names the program";
}

TEST(ProbeCommand, ViewsOfCodeNeedAPlace) {
  EXPECT_EQ(misuse_of(kProbe, {"-L"}), "--line requires a function or source file");
  EXPECT_EQ(misuse_of(kProbe, {"-V"}), "--vars requires a location, such as a function");
}

}  // namespace
}  // namespace peregrine::cmd
