#include "cmd/record/record_choice.h"

#include <gtest/gtest.h>

#include "abi/arch/registers.h"
#include "cli/frame/config.h"
#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

// What a command line of record leaves behind, or the error's message.
Result<RecordCommandOptions> chosen(std::vector<std::string> arguments) {
  RecordCommandOptions options;
  auto parsed = parse_options(kRecord.options, kRecord.words_at, arguments, &options, kOwner<RecordCommandOptions>);
  if (!parsed) return std::unexpected(parsed.error());
  return options;
}

std::string refused(std::vector<std::string> arguments) {
  auto options = chosen(std::move(arguments));
  return options ? "accepted" : options.error().message;
}

// The same where perfconfig has these settings.
Result<RecordCommandOptions> configured(std::vector<Setting> settings, std::vector<std::string> arguments) {
  RecordCommandOptions options;
  if (auto done = options.configure(Config::of({}, std::move(settings))); !done) return std::unexpected(done.error());
  auto parsed = parse_options(kRecord.options, kRecord.words_at, arguments, &options, kOwner<RecordCommandOptions>);
  if (!parsed) return std::unexpected(parsed.error());
  return options;
}

TEST(RecordChoice, PerfconfigSaysWhatDashGMeans) {
  EXPECT_EQ(configured({}, {"-g"})->config.callgraph.mode, CallgraphMode::FramePointer);
  const Setting dwarf{"call-graph.record-mode", "dwarf"}, size{"call-graph.dump-size", "4096"};
  EXPECT_EQ(configured({dwarf}, {})->config.callgraph.mode, CallgraphMode::None);
  EXPECT_EQ(configured({dwarf}, {"-g"})->config.callgraph.stack_bytes, 8192u);
  const auto both = configured({dwarf, size}, {"-g"});
  EXPECT_EQ(both->config.callgraph.mode, CallgraphMode::Dwarf);
  EXPECT_EQ(both->config.callgraph.stack_bytes, 4096u);
  EXPECT_TRUE(both->config.addresses);
  EXPECT_EQ(configured({dwarf, {"record.call-graph", "fp"}}, {"-g"})->config.callgraph.mode,
            CallgraphMode::FramePointer);
  EXPECT_EQ(configured({dwarf}, {"--call-graph", "lbr"})->config.callgraph.mode, CallgraphMode::Lbr);
  EXPECT_FALSE(configured({{"record.call-graph", "wrong"}}, {}));
}

TEST(RecordChoice, PerfconfigSaysWhatBecomesOfBuildIds) {
  EXPECT_TRUE(configured({{"record.build-id", "no-cache"}}, {})->no_build_id_cache);
  EXPECT_TRUE(*configured({{"record.build-id", "skip"}}, {})->no_build_ids);
  EXPECT_TRUE(configured({{"record.build-id", "mmap"}}, {})->config.build_id_in_mmap);
  EXPECT_FALSE(configured({{"record.build-id", "cache"}}, {})->no_build_id_cache);
  EXPECT_EQ(configured({{"record.build-id", "x"}}, {}).error().message,
            "record.build-id in perfconfig: unknown value 'x'");
}

TEST(RecordChoice, BranchesAreNamedOnce) {
  EXPECT_EQ(chosen({"-b"})->config.branch_type, 8u);
  EXPECT_EQ(chosen({"-j", "any_call,u"})->config.branch_type, 0x11u);
  EXPECT_EQ(chosen({"-b", "--no-branch-any"})->config.branch_type, 0u);
  EXPECT_EQ(refused({"-b", "-j", "any"}), "Can't use --branch-any (-b) with --branch-filter (-j).");
  EXPECT_EQ(refused({"-j", "some"}), "unknown branch filter some");
}

TEST(RecordChoice, Registers) {
  const auto& host = abi::register_table(abi::kHostArch);
  const std::string ip(host.names[host.ip]);
  EXPECT_EQ(chosen({"-I"})->config.intr_regs, host.default_mask);
  EXPECT_EQ(chosen({"-I" + ip})->config.intr_regs, u64{1} << host.ip);
  EXPECT_EQ(chosen({"--user-regs=" + ip})->config.user_regs, u64{1} << host.ip);
  EXPECT_TRUE(refused({"-I?"}).starts_with("available registers: "));
  EXPECT_TRUE(refused({"--user-regs=?"}).starts_with("available registers: "));
  EXPECT_EQ(refused({"--user-regs=nothing"}), "Unknown register \"nothing\"");
  EXPECT_EQ(refused({"-I", "-I" + ip}), "the registers of -I are already chosen");
}

TEST(RecordChoice, Synthesis) {
  const auto scope = [](const char* word) {
    const auto options = chosen({"--synth", word});
    if (!options) return options.error().message;
    const auto& s = options->synthesis;
    return fmt::format("{}{}{}", s.tasks ? "t" : "", s.maps ? "m" : "", s.cgroups ? "c" : "");
  };
  EXPECT_EQ(scope("all"), "tmc");
  EXPECT_EQ(scope("no"), "");
  EXPECT_EQ(scope("task"), "t");
  EXPECT_EQ(scope("mmap"), "tm");
  EXPECT_EQ(scope("Cgroup"), "c");
  EXPECT_EQ(scope("task,cgroup"), "tc");
  EXPECT_EQ(scope("task,no"), "");
  EXPECT_EQ(scope("task,all"), "tmc");
  EXPECT_EQ(scope("task,some"), "Invalid synth option: task,some");
}

TEST(RecordChoice, UserAndKernelExcludeEachOther) {
  EXPECT_TRUE(chosen({"--all-user"})->config.all_user);
  EXPECT_EQ(refused({"--all-kernel", "--all-user"}), "option `all-user' cannot be used with all-kernel");
  EXPECT_EQ(refused({"--all-kernel", "--no-all-kernel", "--all-user"}), "accepted");
}

TEST(RecordChoice, CgroupsFollowEvents) { EXPECT_NE(refused({"-G", "/", "-e", "cpu-clock"}), "accepted"); }

}  // namespace
}  // namespace peregrine::cmd
