#include "cmd/script/script_places.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using script::Language;

class ScriptPlacesTest : public ::testing::Test {
 protected:
  // "python FILE", "perl FILE", or the error's message.
  std::string parsed(std::string_view text) const {
    const auto spec = parse_script_spec(text, places_);
    if (!spec) return spec.error().message;
    return (spec->language == Language::Python ? "python " : "perl ") + spec->file;
  }
  // Adds a script to the installed ones.
  std::string install(const std::string& language, const std::string& name) const {
    std::filesystem::create_directories(folder_.path("scripts/" + language));
    return folder_.write("scripts/" + language + "/" + name, "");
  }

  TemporaryFolder folder_;
  ScriptPlaces places_{.plugins = folder_.path(), .scripts = folder_.path()};
};

TEST_F(ScriptPlacesTest, LanguagesHaveTwoNamesInAnyCase) {
  for (const char* name : {"python", "Python", "py", "PY"}) EXPECT_EQ(find_language(name), Language::Python) << name;
  for (const char* name : {"perl", "Perl", "pl"}) EXPECT_EQ(find_language(name), Language::Perl) << name;
  for (const char* name : {"", "pyt", "python3", "ruby", "p"}) EXPECT_EQ(find_language(name), std::nullopt) << name;
}

TEST_F(ScriptPlacesTest, ScriptsAreNamedByLanguageOrEnding) {
  EXPECT_EQ(parsed("python:x"), "python x");
  EXPECT_EQ(parsed("Perl:/a/b.py"), "perl /a/b.py") << "the language that is said wins";
  EXPECT_EQ(parsed("py:a:b"), "python a:b");
  EXPECT_EQ(parsed("dir/x.py"), "python dir/x.py");
  EXPECT_EQ(parsed("x.tar.pl"), "perl x.tar.pl");
}

TEST_F(ScriptPlacesTest, AWordWithAKnownEndingCanBeAFile) {
  EXPECT_TRUE(is_script_file(folder_.write("x.py", "")).value());
  EXPECT_TRUE(is_script_file(folder_.write("x.pl", "")).value());
  EXPECT_FALSE(is_script_file(folder_.write("x.txt", "")).value());
  EXPECT_FALSE(is_script_file(folder_.path("absent.py")).value());
  EXPECT_FALSE(is_script_file(folder_.path()).value());
  EXPECT_FALSE(is_script_file("").value());
}

TEST_F(ScriptPlacesTest, InstalledScriptsNeedNoEnding) {
  const std::string syscalls = install("python", "syscalls.py"), failed = install("perl", "failed.pl");
  EXPECT_EQ(parsed("syscalls"), "python " + syscalls);
  EXPECT_EQ(parsed("failed"), "perl " + failed);
  install("perl", "syscalls.pl");
  EXPECT_EQ(parsed("syscalls"), "python " + syscalls) << "Python is asked first";
}

TEST_F(ScriptPlacesTest, OtherNamesAreErrors) {
  install("python", ".py");
  EXPECT_EQ(parsed("ruby:x"), "invalid language specifier");
  EXPECT_EQ(parsed(":x"), "invalid language specifier");
  for (const char* name : {"", "absent", "x.rb", "../python/syscalls", "scripts/python"})
    EXPECT_EQ(parsed(name), "invalid script extension") << name;
  EXPECT_EQ(parse_script_spec("x.rb", places_).error().hint,
            "must be python:FILE, perl:FILE, FILE.py, FILE.pl or a name listed by -l");
}

TEST_F(ScriptPlacesTest, TheExecPathHasScriptsOnly) {
  const ScriptPlaces own = ScriptPlaces::find(Config());
  EXPECT_TRUE(own.are_own());
  EXPECT_TRUE(own.plugins.ends_with("/lib/peregrine"));
  const Config config = Config::of({"PERF_EXEC_PATH=" + folder_.path()}, {});
  EXPECT_TRUE(ScriptPlaces::find(config).are_own()) << "it has no folder of scripts yet";
  install("python", "x.py");
  const ScriptPlaces chosen = ScriptPlaces::find(config);
  EXPECT_EQ(chosen.scripts, folder_.path());
  EXPECT_EQ(chosen.plugins, own.plugins) << "libraries are never loaded from there";
  EXPECT_FALSE(chosen.are_own());
}

}  // namespace
}  // namespace peregrine::cmd
