#include "session/probe/existing_probes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <expected>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/elf_image.h"
#include "support/kept_messages.h"
#include "support/machine.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A tracefs of regular files, and a program with one function, "work".
class ExistingProbesTest : public ::testing::Test {
 protected:
  ExistingProbesTest() : program_(folder_.path("prog")) {
    ElfImage image;
    image.symtab = {{.name = "work", .value = image.text_address, .size = 0x40}};
    image.write_to(program_);
    machine_.write("/proc/mounts = tracefs /sys/kernel/tracing tracefs rw 0 0\\n");
    machine_.write("/sys/kernel/tracing/events/header_page = x");
    machine_.write("/sys/kernel/tracing/kprobe_events = p:probe/vfs_read vfs_read+4 len=%dx:u64");
    set_program_probes({"p:probe_prog/work " + program_ + ":0x1000 n=%di:s32 m=%si:s32",
                        "p:probe_prog/work " + program_ + ":0x1004",
                        "r:probe_prog/work__return " + program_ + ":0x1000"});
  }

  void set_program_probes(const std::vector<std::string>& lines) {
    kernel_text_.clear();
    for (const std::string& line : lines) kernel_text_ += line + "\n";
    std::ofstream(program_probes()) << kernel_text_;
  }
  std::string program_probes() const { return machine_.root().path("/sys/kernel/tracing/uprobe_events"); }
  // The commands written to the kernel, apart from its initial probes.
  std::string told_kernel() const {
    std::ostringstream all;
    all << std::ifstream(program_probes()).rdbuf();
    return all.str().substr(kernel_text_.size());
  }
  std::string listed(const std::string& pattern = "") {
    Sink out;
    EXPECT_TRUE(list_probes(request_, pattern, home_, machine_.root(), out));
    return out.take();
  }
  static std::vector<std::string> texts(const std::vector<ProbeRemoval>& outcome) {
    std::vector<std::string> texts;
    for (const ProbeRemoval& removal : outcome) texts.push_back(removal ? *removal : removal.error().message);
    return texts;
  }
  std::vector<ProbeRemoval> removals(std::vector<std::string> patterns) {
    request_.remove = std::move(patterns);
    std::vector<ProbeRemoval> outcome;
    const auto done = remove_probes(request_, home_, machine_.root(),
                                    [&](const ProbeRemoval& removal) { outcome.push_back(removal); });
    if (!done) outcome.push_back(std::unexpected(done.error()));
    return outcome;
  }
  std::vector<std::string> removed(std::vector<std::string> patterns) { return texts(removals(std::move(patterns))); }

  TemporaryFolder folder_;
  testing::Machine machine_;
  const std::string program_;
  std::string kernel_text_;
  ProbeRequest request_;
  ProbeHome home_{.search_path = "/bin", .build_ids = folder_.path("cache"), .program_name = "falcon"};
};

TEST_F(ExistingProbesTest, ListsEachPlaceByItsSymbol) {
  EXPECT_EQ(listed(),
            "  probe:vfs_read       (on vfs_read+4 with len)\n"
            "  probe_prog:work      (on work in " +
                program_ +
                " with n m)\n"
                "  probe_prog:work      (on work+4 in " +
                program_ +
                ")\n"
                "  probe_prog:work__return (on work%return in " +
                program_ + ")\n");
}

TEST_F(ExistingProbesTest, ListsAnOffsetIfTheProgramIsGone) {
  std::filesystem::remove(program_);
  EXPECT_THAT(listed("*return"), HasSubstr("(on 0x1000 in " + program_ + ")"));
}

TEST_F(ExistingProbesTest, MatchesAPatternWithoutAColonInAnyGroup) {
  EXPECT_THAT(listed("vfs*"), HasSubstr("probe:vfs_read"));
  EXPECT_THAT(listed("probe:*"), ::testing::Not(HasSubstr("probe_prog")));
  EXPECT_EQ(listed("other:vfs*"), "");
}

TEST_F(ExistingProbesTest, RemovesAnEventOfTwoPatternsOnce) {
  EXPECT_THAT(removed({"work__return", "*:work__*"}), ElementsAre("probe_prog:work__return"));
  EXPECT_EQ(told_kernel(), "-:probe_prog/work__return");
}

TEST_F(ExistingProbesTest, GoesOnAfterAPatternThatMatchesNothing) {
  EXPECT_THAT(removed({"wrok__return", "work__return"}),
              ElementsAre("\"wrok__return\" does not hit any event.", "probe_prog:work__return"));
  EXPECT_EQ(removals({"wrok__return"}).front().error().hint, "did you mean 'work__return'?");
  EXPECT_EQ(removals({"zzzzzzzzzz"}).front().error().hint, "'falcon probe -l' lists the probes");
}

TEST_F(ExistingProbesTest, ChangesNothingInADryRun) {
  request_.dry_run = true;
  EXPECT_THAT(removed({"*"}), ElementsAre("probe:vfs_read", "probe_prog:work", "probe_prog:work__return"));
  EXPECT_EQ(told_kernel(), "");
}

TEST_F(ExistingProbesTest, SaysWhetherProbesAreWhereTheirDefinitionsPutThem) {
  testing::KeptMessages messages;
  request_.program = program_;
  const auto verified = [&](const std::string& definition) {
    Sink out;
    const auto good = verify_probes(request_, {definition}, home_, machine_.root(), out, messages);
    return good ? fmt::format("{} {}", *good, out.take()) : good.error().message;
  };
  EXPECT_EQ(verified("work%return"), "true probe_prog:work__return: ok, 1 location\n");
  EXPECT_EQ(verified("other=work"), "false probe_prog:other: not defined\n");
  set_program_probes({"p:probe_prog/work " + program_ + ":0x1010"});
  EXPECT_EQ(verified("work"),
            "false probe_prog:work: not at the location given by its definition\n"
            "  found at:      work+16 (" +
                program_ +
                ":0x1010)\n"
                "  expected at:   work (" +
                program_ + ":0x1000)\n");
}

// The build-id cache has a marker of the program, and a probe kept by `probe --cache`.
class CachedProbesTest : public ExistingProbesTest {
 protected:
  CachedProbesTest() {
    const std::filesystem::path cache = home_.build_ids, kept = cache / "bin/prog/1234";
    std::filesystem::create_directories(kept);
    std::filesystem::create_directories(cache / ".build-id/ab");
    std::filesystem::create_directory_symlink("../../bin/prog/1234", cache / ".build-id/ab/cdef");
    folder_.write("cache/bin/prog/1234/probes",
                  "%sdt_shop:order=order\np:sdt_shop/order /bin/prog:0x30\n"
                  "#probe_prog:work=work n\np:probe_prog/work /bin/prog:0x10 n=%di:s32\n");
  }
  std::string cached() const {
    Sink out;
    list_cached_probes("", home_, out);
    return out.take();
  }
};

TEST_F(CachedProbesTest, ListsThemByProgram) {
  EXPECT_EQ(cached(), "/bin/prog (abcdef):\nsdt_shop:order=order\nprobe_prog:work=work n\n");
}

TEST_F(CachedProbesTest, KeepsMarkersWhenProbesAreRemoved) {
  request_.remove = {"*", "none"};
  EXPECT_THAT(texts(remove_cached_probes(request_, home_)),
              ElementsAre("probe_prog:work=work n", "\"none\" does not hit any cached event."));
  EXPECT_EQ(cached(), "/bin/prog (abcdef):\nsdt_shop:order=order\n");
}

}  // namespace
}  // namespace peregrine
