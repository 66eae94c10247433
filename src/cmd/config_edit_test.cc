#include "cmd/config_edit.h"

#include <gtest/gtest.h>

#include "cmd/config.h"

namespace peregrine::cmd {
namespace {

constexpr std::string_view kFile =
    "# mine\n"
    "[Report]\n"
    "  children = no   # slow\n"
    "\n"
    "[ui \"stdio\"]\n"
    "\tcolor = red";

TEST(ConfigEdit, ChangesOneLineOnly) {
  EXPECT_EQ(with_setting(kFile, "report", "Children", "yes"),
            "# mine\n[Report]\n\tChildren = yes\n\n[ui \"stdio\"]\n\tcolor = red");
}

TEST(ConfigEdit, AddsToTheSection) {
  EXPECT_EQ(with_setting(kFile, "report", "group", "true"),
            "# mine\n[Report]\n  children = no   # slow\n\tgroup = true\n\n[ui \"stdio\"]\n\tcolor = red\n");
  EXPECT_EQ(with_setting(kFile, "ui.stdio", "x", "1"),
            "# mine\n[Report]\n  children = no   # slow\n\n[ui \"stdio\"]\n\tcolor = red\n\tx = 1\n");
}

TEST(ConfigEdit, AddsTheSection) {
  EXPECT_EQ(with_setting("", "buildid", "dir", "/tmp/x"), "[buildid]\n\tdir = /tmp/x\n");
  EXPECT_EQ(with_setting("[a]\nb", "buildid", "dir", "y"), "[a]\nb\n[buildid]\n\tdir = y\n");
}

TEST(ConfigEdit, WhatIsWrittenIsRead) {
  for (const std::string_view value : {"plain", " blank ends ", "a # b ; c", R"(back\slash "quoted")", ""}) {
    std::vector<std::string> problems;
    const auto settings = parse_config(with_setting(kFile, "new", "key", value), "", problems);
    ASSERT_FALSE(settings.empty());
    EXPECT_EQ(settings.back().key, "new.key");
    EXPECT_EQ(settings.back().value, value);
    EXPECT_TRUE(problems.empty());
  }
}

}  // namespace
}  // namespace peregrine::cmd
