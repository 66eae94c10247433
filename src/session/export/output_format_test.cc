#include "session/export/output_format.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

std::string refused_format(FormatUser user, std::string_view text) {
  OutputFormat format;
  const auto chosen = choose_format(user, text, format);
  return chosen ? "accepted" : chosen.error().message + "; " + chosen.error().hint;
}

TEST(OutputFormat, KeepsTheFileAndReplacesTheRest) {
  OutputFormat format;
  format.output = "out.txt";
  format.csv_safe = true;
  ASSERT_TRUE(choose_format(FormatUser::Report, "folded,count,pid", format));
  EXPECT_TRUE(format.is_profile());
  EXPECT_TRUE(format.by_count && format.fold.pid);
  ASSERT_TRUE(choose_format(FormatUser::Report, "csv", format));
  EXPECT_FALSE(format.is_profile());
  EXPECT_FALSE(format.by_count || format.fold.pid);
  EXPECT_EQ(format.output, "out.txt");
  EXPECT_TRUE(format.csv_safe);
}

TEST(OutputFormat, AllMarksOfFoldedStacksAreNoIds) {
  OutputFormat format;
  ASSERT_TRUE(choose_format(FormatUser::Script, "folded,all", format));
  EXPECT_TRUE(format.fold.mark_kernel && format.fold.mark_jit && format.fold.mark_inlined);
  EXPECT_FALSE(format.fold.addresses || format.fold.pid || format.fold.tid);
}

TEST(OutputFormat, EventNamesMayContainCommas) {
  OutputFormat format;
  ASSERT_TRUE(choose_format(FormatUser::Script, "folded,tid,event=cpu/event=1,umask=2/", format));
  EXPECT_EQ(format.event, "cpu/event=1,umask=2/");
  EXPECT_TRUE(format.fold.tid);
}

TEST(OutputFormat, BinaryRowsTakeColumns) {
  OutputFormat format;
  ASSERT_TRUE(choose_format(FormatUser::Script, "binary,time,cpu", format));
  EXPECT_EQ(format.columns, (std::vector<std::string>{"time", "cpu"}));
}

TEST(OutputFormat, NamesTheCommandsThatWriteAFormat) {
  EXPECT_EQ(
      refused_format(FormatUser::Diff, "pprof"),
      "--format of diff must be one of folded, json, jsonl, csv, not 'pprof'; pprof is a format of: report, script");
  EXPECT_EQ(refused_format(FormatUser::Annotate, "xml"),
            "--format of annotate must be one of json, jsonl, csv, not 'xml'; ");
  EXPECT_EQ(refused_format(FormatUser::Report, "csv,count"), "--format csv takes no arguments, not 'count'; ");
  EXPECT_EQ(refused_format(FormatUser::Report, "speedscope,pid"),
            "--format speedscope takes period or count, not 'pid'; ");
}

TEST(OutputFormat, SuggestsTheNearestFormat) {
  EXPECT_TRUE(refused_format(FormatUser::Report, "speedscop").ends_with("; did you mean 'speedscope'?"));
  EXPECT_TRUE(refused_format(FormatUser::Script, "fold").ends_with("; did you mean 'folded'?"));
  EXPECT_TRUE(refused_format(FormatUser::Report, "htlm").ends_with("; did you mean '--html FILE'?"));
  EXPECT_TRUE(refused_format(FormatUser::Script, "htlm").ends_with("; ")) << "it writes no page";
}

TEST(OutputFormat, OnlyCompressedProfilesMayReplaceCompressedFiles) {
  OutputFormat format;
  ASSERT_TRUE(choose_format(FormatUser::Report, "pprof", format));
  EXPECT_EQ(format.content(), ContentKind::Gzip);
  ASSERT_TRUE(choose_format(FormatUser::Report, "chrome", format));
  EXPECT_EQ(format.content(), ContentKind::Other);
}

}  // namespace
}  // namespace peregrine
