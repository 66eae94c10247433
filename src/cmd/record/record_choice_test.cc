#include "cmd/record/record_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "base/types.h"
#include "cli/frame/config.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "event/config/callgraph.h"

namespace peregrine::cmd {
namespace {

// The options set by a command line of record, or the error message.
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

// The same with these perfconfig settings.
Result<RecordCommandOptions> configured(std::vector<Setting> settings, std::vector<std::string> arguments) {
  RecordCommandOptions options;
  if (auto done = options.configure(Config::of({}, std::move(settings))); !done) return std::unexpected(done.error());
  auto parsed = parse_options(kRecord.options, kRecord.words_at, arguments, &options, kOwner<RecordCommandOptions>);
  if (!parsed) return std::unexpected(parsed.error());
  return options;
}

TEST(RecordChoice, PerfconfigSaysWhatDashGMeans) {
  EXPECT_EQ(configured({}, {"-g"})->request.recording.config.callchains.callgraph.mode, CallgraphMode::FramePointer);
  const Setting dwarf{"call-graph.record-mode", "dwarf"}, size{"call-graph.dump-size", "4096"};
  EXPECT_EQ(configured({dwarf}, {})->request.recording.config.callchains.callgraph.mode, CallgraphMode::None);
  EXPECT_EQ(configured({dwarf}, {"-g"})->request.recording.config.callchains.callgraph.stack_bytes, 8192u);
  const auto both = configured({dwarf, size}, {"-g"});
  EXPECT_EQ(both->request.recording.config.callchains.callgraph.mode, CallgraphMode::Dwarf);
  EXPECT_EQ(both->request.recording.config.callchains.callgraph.stack_bytes, 4096u);
  EXPECT_FALSE(both->request.recording.config.fields.addresses) << "only --call-graph dwarf adds them";
  EXPECT_EQ(
      configured({dwarf, {"record.call-graph", "fp"}}, {"-g"})->request.recording.config.callchains.callgraph.mode,
      CallgraphMode::FramePointer);
  EXPECT_EQ(configured({dwarf}, {"--call-graph", "lbr"})->request.recording.config.callchains.callgraph.mode,
            CallgraphMode::Lbr);
  EXPECT_FALSE(configured({{"record.call-graph", "wrong"}}, {}));
}

TEST(RecordChoice, PerfconfigSaysWhatBecomesOfBuildIds) {
  EXPECT_TRUE(configured({{"record.build-id", "no-cache"}}, {})->no_build_id_cache);
  EXPECT_TRUE(*configured({{"record.build-id", "skip"}}, {})->request.recording.output.build_ids.skip);
  EXPECT_TRUE(configured({{"record.build-id", "mmap"}}, {})->request.recording.config.side_band.build_ids);
  EXPECT_FALSE(configured({{"record.build-id", "cache"}}, {})->no_build_id_cache);
  EXPECT_EQ(configured({{"record.build-id", "x"}}, {}).error().message, "invalid record.build-id 'x' in perfconfig");
}

TEST(RecordChoice, BranchesAreNamedOnce) {
  EXPECT_EQ(chosen({"-b"})->request.recording.config.fields.branch_type, 8u);
  EXPECT_EQ(chosen({"-j", "any_call,u"})->request.recording.config.fields.branch_type, 0x11u);
  EXPECT_EQ(chosen({"-b", "--no-branch-any"})->request.recording.config.fields.branch_type, 0u);
  EXPECT_EQ(refused({"-b", "-j", "any"}), "Can't use --branch-any (-b) with --branch-filter (-j).");
  EXPECT_EQ(refused({"-j", "some"}), "unknown branch filter some");
}

TEST(RecordChoice, Registers) {
  const auto& host = abi::register_table(abi::kHostArch);
  const std::string ip(host.names[host.ip]);
  EXPECT_EQ(chosen({"-I"})->request.recording.config.fields.intr_regs, host.default_mask);
  EXPECT_EQ(chosen({"-I" + ip})->request.recording.config.fields.intr_regs, u64{1} << host.ip);
  EXPECT_EQ(chosen({"--user-regs=" + ip})->request.recording.config.fields.user_regs, u64{1} << host.ip);
  EXPECT_TRUE(refused({"-I?"}).starts_with("available registers: "));
  EXPECT_TRUE(refused({"--user-regs=?"}).starts_with("available registers: "));
  EXPECT_EQ(refused({"--user-regs=nothing"}), "Unknown register \"nothing\"");
  EXPECT_EQ(refused({"-I", "-I" + ip}), "-I can be given only once");
}

TEST(RecordChoice, Synthesis) {
  const auto scope = [](const char* word) {
    const auto options = chosen({"--synth", word});
    if (!options) return options.error().message;
    const auto& s = options->request.recording.synthesis.scope;
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
  EXPECT_TRUE(chosen({"--all-user"})->request.recording.config.sampling.all_user);
  EXPECT_EQ(refused({"--all-kernel", "--all-user"}), "option `all-user' cannot be used with all-kernel");
  EXPECT_EQ(refused({"--all-kernel", "--no-all-kernel", "--all-user"}), "accepted");
}

TEST(RecordChoice, CgroupsFollowEvents) { EXPECT_NE(refused({"-G", "/", "-e", "cpu-clock"}), "accepted"); }

}  // namespace
}  // namespace peregrine::cmd
