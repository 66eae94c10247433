// Tests what the options of `annotate` and annotate.* in perfconfig request.
#include "cmd/annotate/annotate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

Result<AnnotateOptions> annotated(const std::vector<std::string>& arguments, std::vector<Setting> settings = {}) {
  return options_of<AnnotateOptions>(kAnnotate, arguments, std::move(settings));
}
std::string not_annotated(const std::vector<std::string>& arguments, std::vector<Setting> settings = {}) {
  return refusal_of<AnnotateOptions>(kAnnotate, arguments, std::move(settings));
}

TEST(AnnotateOptionsTest, PercentagesHaveABaseAndAUnit) {
  struct Case {
    const char* word;
    PercentBase base;
    PercentOf of;
  };
  for (const Case& test : {Case{"local-period", PercentBase::Symbol, PercentOf::Period},
                           Case{"local-hits", PercentBase::Symbol, PercentOf::Samples},
                           Case{"global-period", PercentBase::Recording, PercentOf::Period},
                           Case{"global-hits", PercentBase::Recording, PercentOf::Samples}}) {
    const auto options = annotated({"--percent-type", test.word});
    ASSERT_TRUE(options) << test.word;
    EXPECT_EQ(options->numbers.percent_type.base, test.base) << test.word;
    EXPECT_EQ(options->numbers.percent_type.of, test.of) << test.word;
  }
  const auto back = annotated({"--percent-type", "global-hits", "--no-percent-type"});
  EXPECT_EQ(back->numbers.percent_type.base, PercentBase::Symbol);
  EXPECT_EQ(back->numbers.percent_type.of, PercentOf::Period);
  for (const char* wrong : {"local", "hits", "", "local-periods"})
    EXPECT_EQ(not_annotated({"--percent-type", wrong}),
              std::string("invalid --percent-type '") + wrong +
                  "': must be local-period, local-hits, global-period or global-hits");
}

TEST(AnnotateOptionsTest, ColoursAreForTerminalsUnlessSaid) {
  EXPECT_EQ(annotated({})->screen.color, ColorMode::Auto);
  EXPECT_EQ(annotated({"--stdio-color", "always"})->screen.color, ColorMode::Always);
  EXPECT_EQ(annotated({"--stdio-color", "never"})->screen.color, ColorMode::Never);
  EXPECT_EQ(annotated({"--stdio-color", "always", "--stdio-color=auto"})->screen.color, ColorMode::Auto);
  EXPECT_EQ(annotated({"--no-stdio-color"})->screen.color, ColorMode::Never);
  EXPECT_EQ(annotated({"--stdio-color", "always", "--no-stdio-color"})->screen.color, ColorMode::Never);
  EXPECT_EQ(not_annotated({"--stdio-color", "red"}), "invalid --stdio-color 'red': must be always, never or auto");
}

TEST(AnnotateOptionsTest, NoFormatReturnsToTextAndKeepsTheFile) {
  const auto options = annotated({"--output", "a.out", "--format", "json", "--no-format"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->format.name, "");
  EXPECT_EQ(options->format.output, "a.out");
}

TEST(AnnotateOptionsTest, LimitsArePercentages) {
  EXPECT_EQ(annotated({})->counted.percent_limit, 0);
  EXPECT_EQ(annotated({"--percent-limit", "2.5"})->counted.percent_limit, 2.5);
  EXPECT_EQ(annotated({"--percent-limit", "2.5", "--no-percent-limit"})->counted.percent_limit, 0);
  for (const char* wrong : {"x", "", "1,5"}) EXPECT_NE(not_annotated({"--percent-limit", wrong}), "accepted") << wrong;
}

TEST(AnnotateOptionsTest, DataTypesAreAllOrOne) {
  EXPECT_FALSE(annotated({})->counted.types.any());
  const auto all = annotated({"--data-type"});
  EXPECT_TRUE(all->counted.types.members);
  EXPECT_EQ(all->counted.types.type, "");
  const auto one = annotated({"--data-type=task_struct"});
  EXPECT_TRUE(one->counted.types.members);
  EXPECT_EQ(one->counted.types.type, "task_struct");
  const auto none = annotated({"--data-type=task_struct", "--no-data-type"});
  EXPECT_FALSE(none->counted.types.any());
  EXPECT_EQ(none->counted.types.type, "");
  EXPECT_TRUE(annotated({"--type-stat"})->counted.types.any());
  EXPECT_TRUE(annotated({"--insn-stat"})->counted.types.any());
  EXPECT_FALSE(annotated({"--skip-empty"})->counted.types.any()) << "it only filters what others show";
}

TEST(AnnotateOptionsTest, GroupsTellADefaultFromAChoice) {
  EXPECT_TRUE(annotated({})->counted.group);
  EXPECT_FALSE(annotated({})->counted.group_given);
  EXPECT_TRUE(annotated({"--group"})->counted.group_given);
  const auto pages = annotated({"--no-group"});
  EXPECT_FALSE(pages->counted.group);
  EXPECT_TRUE(pages->counted.group_given);
}

TEST(AnnotateOptionsTest, WindowsAreNotSupported) {
  const auto window = annotated({"--gtk"});
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(window.error().message, "--gtk is not supported; use --stdio");
  EXPECT_EQ(not_annotated({"--no-gtk"}), "accepted");
}

TEST(AnnotateOptionsTest, KernelImagesMustBeReadable) {
  const TemporaryFolder folder;
  const std::string image = folder.write("vmlinux", "image");
  EXPECT_EQ(annotated({"-k", image})->symbols.vmlinux, image);
  EXPECT_EQ(not_annotated({"-k", folder.path("none")}), "Invalid file: " + folder.path("none"));
}

TEST(AnnotateOptionsTest, SomeRowsOfLinuxPerfChangeNothing) {
  for (const std::vector<std::string>& row :
       {std::vector<std::string>{"--ignore-vmlinux"}, {"-m"}, {"--addr2line", "x"}, {"--no-modules"}})
    EXPECT_EQ(not_annotated(row), "accepted") << row[0];
}

TEST(AnnotateOptionsTest, SettingsAreDefaultsOfTheCommandLine) {
  EXPECT_TRUE(annotated({})->code.source);
  EXPECT_FALSE(annotated({}, {{"annotate.hide_src_code", "true"}})->code.source);
  EXPECT_FALSE(annotated({}, {{"annotate.hide_src_code", "true"}})->code.source_frame);
  EXPECT_TRUE(annotated({"--no-source"})->code.source_frame);
  EXPECT_TRUE(annotated({}, {{"annotate.hide_src_code", "false"}})->code.source);
  EXPECT_TRUE(annotated({"--source"}, {{"annotate.hide_src_code", "true"}})->code.source);
  EXPECT_TRUE(annotated({}, {{"annotate.show_nr_samples", "yes"}})->numbers.show_samples);
  EXPECT_FALSE(annotated({"--no-show-nr-samples"}, {{"annotate.show_nr_samples", "yes"}})->numbers.show_samples);
  EXPECT_TRUE(annotated({}, {{"annotate.show_total_period", "1"}})->numbers.show_period);
  EXPECT_TRUE(annotated({})->code.use_offsets);
  EXPECT_FALSE(annotated({}, {{"annotate.use_offset", "off"}})->code.use_offsets);
  EXPECT_EQ(annotated({}, {{"annotate.disassembler_style", "intel"}})->code.disassembler_style, "intel");
  EXPECT_EQ(annotated({"-M", "att"}, {{"annotate.disassembler_style", "intel"}})->code.disassembler_style, "att");
  EXPECT_EQ(annotated({}, {{"annotate.objdump", "/bin/objdump"}})->code.objdump, "/bin/objdump");
}

TEST(AnnotateOptionsTest, SettingsThatAreNoFlagsAreReported) {
  for (const char* key :
       {"annotate.hide_src_code", "annotate.show_nr_samples", "annotate.show_total_period", "annotate.use_offset"})
    EXPECT_THAT(not_annotated({}, {{key, "perhaps"}}), ::testing::HasSubstr(key));
}

TEST(AnnotateScreen, EveryTextFormKeepsTheScreenAway) {
  EXPECT_TRUE(wants_code_screen(*annotated({})));
  for (const std::vector<std::string>& text : {std::vector<std::string>{"--stdio"},
                                               {"--stdio2"},
                                               {"-D"},
                                               {"-l"},
                                               {"-i", "-"},
                                               {"--data-type"},
                                               {"--type-stat"},
                                               {"--insn-stat"},
                                               {"--objdump", "objdump"},
                                               {"--format", "csv"}}) {
    EXPECT_FALSE(wants_code_screen(*annotated(text))) << text[0];
    std::vector<std::string> both = text;
    both.emplace_back("--tui");
    EXPECT_TRUE(wants_code_screen(*annotated(both))) << text[0] << " --tui";
  }
  for (const std::vector<std::string>& look :
       {std::vector<std::string>{"-n"}, {"-i", "perf.data"}, {"--code-with-type"}})
    EXPECT_TRUE(wants_code_screen(*annotated(look))) << look[0];
}

TEST(AnnotateScreen, ShowsTheSameRecordingAsReport) {
  const auto options = annotated({"-i", "my.data", "-d", "libc.so.6", "-C", "0-3", "--percent-limit", "1", "-f",
                                  "--prefix", "/src", "--prefix-strip", "2", "-vv", "--tui", "--code-with-type"});
  ASSERT_TRUE(options) << options.error().message;
  const ReportOptions report = options->browsed();
  EXPECT_EQ(report.input, "my.data");
  EXPECT_EQ(report.request.selection.dsos, "libc.so.6");
  EXPECT_EQ(report.request.selection.cpus, "0-3");
  EXPECT_EQ(report.request.look.percent_limit, 1);
  EXPECT_FALSE(report.request.grouping.children) << "code has no callees";
  EXPECT_TRUE(report.symbols.force);
  EXPECT_EQ(report.source_prefix, "/src");
  EXPECT_EQ(report.source_prefix_strip, 2u);
  EXPECT_EQ(report.verbose, 2);
  EXPECT_TRUE(report.tui);
  EXPECT_TRUE(report.code_with_type);
}

}  // namespace
}  // namespace peregrine::cmd
