// The settings that a kernel lacks for a feature.
#include "capture/diagnosis/kernel_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

KernelConfig config_of(std::string_view text) { return {"/boot/config", parse_kernel_config(text)}; }

TEST(KernelConfig, HasBuiltInSettingsAndModules) {
  EXPECT_THAT(
      parse_kernel_config("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=m\nCONFIG_D=\"text\"\nCONFIG_E=12\n\nF=y"),
      ElementsAre("A", "C"));
}

TEST(KernelConfig, NamesWhatAFeatureLacks) {
  const auto missing = missing_settings(config_of("CONFIG_MODULES=y\nCONFIG_KPROBES=y\n"), Names{"kprobes"}, "x86_64");
  ASSERT_TRUE(missing);
  ASSERT_THAT(*missing, SizeIs(1));
  EXPECT_THAT(missing->front().settings, ElementsAre("KPROBE_EVENTS"));
}

TEST(KernelConfig, AcceptsOneOfSeveralAlternatives) {
  const KernelConfig config = config_of("CONFIG_STACKTRACE=y\nCONFIG_UNWINDER_FRAME_POINTER=y\n");
  EXPECT_THAT(*missing_settings(config, Names{"stacks"}, "x86_64"), IsEmpty());
  const auto missing = missing_settings(config_of("CONFIG_STACKTRACE=y\n"), Names{"stacks"}, "x86_64");
  EXPECT_THAT(missing->front().settings, ElementsAre("UNWINDER_ORC"));
  EXPECT_THAT(*missing_settings(config_of("CONFIG_STACKTRACE=y\n"), Names{"stacks"}, "riscv64"), IsEmpty());
}

TEST(KernelConfig, NamesASettingOnce) {
  const auto missing = missing_settings(std::nullopt, Names{"syscalls", "functions"}, "x86_64");
  const std::string text = kconfig_fragment(*missing, std::nullopt, "6.1");
  EXPECT_EQ(text.find("CONFIG_FTRACE=y"), text.rfind("CONFIG_FTRACE=y")) << text;
  EXPECT_THAT(text, HasSubstr("some of which it may have"));
  EXPECT_THAT(text, HasSubstr("# functions: function tracers"));
}

TEST(KernelConfig, RejectsUnknownFeatures) {
  const auto missing = missing_settings(std::nullopt, Names{"kprobe"}, "x86_64");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "unknown kernel feature 'kprobe'");
  EXPECT_EQ(missing.error().hint, "did you mean 'kprobes'?");
}

TEST(KernelConfig, IsReadFromTheBootFolder) {
  testing::Machine machine;
  EXPECT_FALSE(read_kernel_config(machine.root(), "6.1"));
  machine.write("/boot/config-6.1 = CONFIG_BPF_SYSCALL=y");
  const auto config = read_kernel_config(machine.root(), "6.1");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->path, "/boot/config-6.1");
  EXPECT_TRUE(config->made.contains("BPF_SYSCALL"));
}

}  // namespace
}  // namespace peregrine
