#include "base/file/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string_view>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  std::string text(const std::string& name) const { return folder_.text(name); }
  unsigned mode(const std::string& name) const { return folder_.mode(name); }
  void give_away(const std::string& name) const { folder_.give_away(name); }
  Result<> put(const std::string& name, std::string_view bytes, const OutputRequest& request = {}) const {
    auto file = create_output(path(name), request);
    if (!file) return std::unexpected(std::move(file.error()));
    return write_all(file->get(), bytes.data(), bytes.size());
  }
  Result<> put_whole(const std::string& name, std::string_view bytes, const OutputRequest& request = {}) const {
    auto file = OutputFile::create(path(name), request);
    if (!file) return std::unexpected(std::move(file.error()));
    PEREGRINE_TRY(write_all(file->fd(), bytes.data(), bytes.size()));
    return file->finish();
  }
  // Simulates a disk that becomes full while writing.
  Result<> put_half(const std::string& name, const OutputRequest& request = {}) const {
    auto file = OutputFile::create(path(name), request);
    if (!file) return std::unexpected(std::move(file.error()));
    return write_all(file->fd(), "half", 4);
  }
  std::size_t names() const { return folder_.names(); }
  ino_t inode(const std::string& name) const {
    struct stat status{};
    return ::stat(path(name).c_str(), &status) == 0 ? status.st_ino : 0;
  }
  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, CreatesAFileForItsOwnerAlone) {
  ASSERT_TRUE(put("new", "text"));
  EXPECT_EQ(mode("new"), 0600u);
  EXPECT_EQ(text("new"), "text");
}

TEST_F(OutputFileTest, TruncatesAFileOfOursInPlace) {
  write("mine", "longer than that");
  fs::permissions(path("mine"), fs::perms(0640));
  ASSERT_TRUE(put("mine", "text"));
  EXPECT_EQ(text("mine"), "text");
  EXPECT_EQ(mode("mine"), 0640u);
}

TEST_F(OutputFileTest, AppendsOrRefusesWhenAsked) {
  write("mine", "one");
  ASSERT_TRUE(put("mine", "two", {.existing = Existing::Append}));
  EXPECT_EQ(text("mine"), "onetwo");
  const auto refused = put("mine", "three", {.existing = Existing::Refuse});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().system_errno, EEXIST);
}

TEST_F(OutputFileTest, RefusingExistingFilesAllowsDevices) {
  auto file = OutputFile::create("/dev/null", {.existing = Existing::Refuse});
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->finish());
}

TEST_F(OutputFileTest, DoesNotTruncateWhatIsPrecious) {
  write("recording", "PERFILE2 and so on");
  const auto refused =
      put("recording", "page", {.is_precious = [](Bytes bytes) { return bytes.front() == std::byte{'P'}; }});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
  EXPECT_EQ(text("recording"), "PERFILE2 and so on");
}

TEST_F(OutputFileTest, RefusesToOverwriteProgramsScriptsAndArchives) {
  using namespace std::string_literals;
  for (const std::string& there : {"\177ELF\2\1\1"s, "#!/bin/sh\n"s, "!<arch>\n"s, "PK\3\4"s, "\x1f\x8b\b"s, "BZh91AY"s,
                                   "\3757zXZ\0"s, "\x28\xb5\x2f\xfd"s, "7z\xbc\xaf\x27\x1c"s,
                                   std::string(257, 'n') + "ustar", "\x17\x08\x44tracing6"s, "\x07tae"s}) {
    write("there", there);
    for (const auto& refused : {put("there", "page"), put_whole("there", "page")}) {
      ASSERT_FALSE(refused) << there;
      EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
      EXPECT_NE(refused.error().message.find("refusing to overwrite it"), std::string::npos);
    }
    EXPECT_EQ(text("there"), there);
  }
  EXPECT_EQ(names(), 1u);
}

TEST_F(OutputFileTest, TellsInAdvanceWhatItWouldRefuse) {
  write("program",
        "\x7f"
        "ELF");
  write("text", "words");
  fs::create_directory(path("folder"));
  const std::size_t before = names();
  EXPECT_TRUE(check_output_file(path("text")));
  EXPECT_TRUE(check_output_file(path("new")));
  EXPECT_EQ(check_output_file(path("program")).error().kind, ErrorKind::Denied);
  EXPECT_FALSE(check_output_file(path("folder")));
  EXPECT_FALSE(check_output_file(path("none/new")));
  EXPECT_EQ(names(), before) << "nothing was created";
  EXPECT_EQ(text("text"), "words");
}

TEST_F(OutputFileTest, ReplacesTextAndWhatItWroteBefore) {
  for (const char* there : {"", "text", "<!DOCTYPE html>", "{\"a\": 1}", "<svg>", "# started on", "%PDF"}) {
    write("there", there);
    EXPECT_TRUE(put("there", "page")) << there;
    EXPECT_TRUE(put_whole("there", "page")) << there;
  }
  const OutputRequest packed{.written = ContentKind::Gzip};
  for (int times = 0; times < 2; ++times) ASSERT_TRUE(put_whole("there", "\x1f\x8b\b profile", packed));
  EXPECT_FALSE(put_whole("there", "page"));
  write("there", "#!/bin/sh\n");
  EXPECT_FALSE(put_whole("there", "\x1f\x8b\b profile", packed));
  EXPECT_FALSE(put("there", "more", {.existing = Existing::Append}));
}

TEST_F(OutputFileTest, KeepsTheOldFileUnderAnotherName) {
  const OutputRequest keeping{.existing = Existing::KeepOld};
  for (const char* run : {"first", "second", "third"}) ASSERT_TRUE(put("there", run, keeping));
  EXPECT_EQ(text("there"), "third");
  EXPECT_EQ(text("there.old"), "second");
  write("empty", "");
  ASSERT_TRUE(put("empty", "page", keeping));
  EXPECT_EQ(text("empty"), "page");
  EXPECT_EQ(names(), 3u) << "an empty file is kept";
}

TEST_F(OutputFileTest, MovesALinkToTheOldFile) {
  write("real", "text");
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(put("link", "page", {.existing = Existing::KeepOld}));
  EXPECT_EQ(text("link"), "page");
  EXPECT_TRUE(fs::is_symlink(path("link.old")));
  EXPECT_EQ(text("real"), "text");
}

TEST_F(OutputFileTest, MovesNothingThatMustNotBeOverwritten) {
  const OutputRequest keeping{.existing = Existing::KeepOld};
  write("program", "#!/bin/sh\n");
  EXPECT_EQ(put("program", "page", keeping).error().kind, ErrorKind::Denied);
  write("text", "text");
  write("text.old", "#!/bin/sh\n");
  EXPECT_EQ(put("text", "page", keeping).error().kind, ErrorKind::Denied);
  EXPECT_EQ(text("text"), "text");
  EXPECT_EQ(text("text.old"), "#!/bin/sh\n");
  EXPECT_EQ(names(), 3u);
}

TEST_F(OutputFileTest, ReplacesAnotherUsersFileInsteadOfWritingIntoIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  write("theirs", "their text");
  fs::create_hard_link(path("theirs"), path("other"));
  give_away("theirs");
  ASSERT_TRUE(put("theirs", "ours"));
  EXPECT_EQ(text("theirs"), "ours");
  EXPECT_EQ(mode("theirs"), 0600u);
  EXPECT_EQ(text("other"), "their text");
  EXPECT_EQ(names(), 2u) << "a draft is left";
  give_away("theirs");
  EXPECT_FALSE(put("theirs", "more", {.existing = Existing::Append}));
}

TEST_F(OutputFileTest, ReplacesAFileThatHasAnotherName) {
  write("mine", "precious");
  fs::create_hard_link(path("mine"), path("planted"));
  ASSERT_TRUE(put("planted", "page"));
  EXPECT_EQ(text("mine"), "precious");
  EXPECT_EQ(text("planted"), "page");
}

TEST_F(OutputFileTest, FollowsLinksOfOurs) {
  fs::create_symlink("target", path("link"));
  fs::create_symlink(path("link"), path("absolute"));
  ASSERT_TRUE(put("absolute", "text"));
  EXPECT_EQ(text("target"), "text");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(put("loop", "text").error().system_errno, ELOOP);
}

TEST_F(OutputFileTest, DoesNotFollowALinkThatAnotherUserPlanted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a link away";
  write("victim", "precious");
  fs::create_symlink("victim", path("planted"));
  fs::create_symlink("new", path("dangling"));
  for (const char* link : {"planted", "dangling"}) {
    give_away(link);
    const auto refused = put(link, "text");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
  }
  EXPECT_EQ(text("victim"), "precious");
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(OutputFileTest, WritesToDevicesAndAppendsToOpenFiles) {
  EXPECT_TRUE(create_output("/dev/null"));
  write("log", "before ");
  const auto open = open_file(path("log"), O_RDWR);
  ASSERT_TRUE(open);
  ASSERT_TRUE(create_output(fmt::format("/dev/fd/{}", open->get())));
  EXPECT_EQ(text("log"), "before ");
}

TEST_F(OutputFileTest, RefusesFoldersAndStrangeNames) {
  for (const std::string& name : {folder_.path(), path(""), path("."), path(".."), std::string("/")})
    EXPECT_EQ(create_output(name).error().system_errno, EISDIR) << name;
  EXPECT_EQ(create_output("").error().system_errno, ENOENT);
  EXPECT_EQ(create_output("/nonexistent/file").error().system_errno, ENOENT);
}

TEST_F(OutputFileTest, RefusesAnotherUsersFifoWhereEverybodyMayWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a FIFO away";
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0666), 0);
  give_away("fifo");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  EXPECT_EQ(create_output(path("fifo")).error().kind, ErrorKind::Denied);
}

TEST_F(OutputFileTest, LeavesNothingOfADraftThatTakesNoPlace) {
  const auto place = OutputPlace::at(path("file"));
  ASSERT_TRUE(place);
  {
    ASSERT_TRUE(OutputDraft::create(*place, kPrivateMode));
  }
  EXPECT_EQ(names(), 0u);
  auto draft = OutputDraft::create(*place, kPrivateMode);
  ASSERT_TRUE(draft);
  write("file", "came meanwhile");
  EXPECT_FALSE(draft->take(false));
  EXPECT_EQ(text("file"), "came meanwhile");
  EXPECT_TRUE(draft->take(true));
  EXPECT_EQ(text("file"), "");
}

TEST_F(OutputFileTest, ADraftOfAKilledProcessIsPassedOver) {
  const auto place = OutputPlace::at(path("file"));
  ASSERT_TRUE(place);
  const std::string left = fmt::format(".file.{}.new", ::getpid());
  write(left, "left behind");
  write("file", "old");
  auto draft = OutputDraft::create(*place, kPrivateMode);
  ASSERT_TRUE(draft);
  ASSERT_TRUE(draft->take(true));
  EXPECT_EQ(text("file"), "");
  EXPECT_EQ(text(left), "left behind");
  const auto name = make_with_draft_name(
      "file", [&](const char* free) { return ::mkdirat(place->folder(), free, 0700) == 0 ? 0 : errno; });
  EXPECT_EQ(name.value_or(""), fmt::format(".file.{}-2.new", ::getpid()));
  EXPECT_EQ(make_with_draft_name("file", [](const char*) { return EEXIST; }).error().system_errno, EEXIST);
}

TEST_F(OutputFileTest, WholeFilesTakeTheirNameAtTheEnd) {
  ASSERT_TRUE(put_half("new"));
  EXPECT_EQ(names(), 0u);
  ASSERT_TRUE(put_whole("new", "text"));
  EXPECT_EQ(text("new"), "text");
  EXPECT_EQ(mode("new"), 0600u);
  ASSERT_TRUE(put_half("new"));
  EXPECT_EQ(text("new"), "text");
  EXPECT_EQ(names(), 1u);
}

TEST_F(OutputFileTest, AWholeFileKeepsModeAndGroupOfTheOneItReplaces) {
  write("mine", "longer than that");
  fs::permissions(path("mine"), fs::perms(0664));
  if (::geteuid() == 0) ASSERT_EQ(::chown(path("mine").c_str(), 0, TemporaryFolder::kStranger), 0);
  const ino_t before = inode("mine");
  ASSERT_TRUE(put_whole("mine", "text"));
  EXPECT_EQ(text("mine"), "text");
  EXPECT_EQ(mode("mine"), 0664u);
  EXPECT_NE(inode("mine"), before);
  struct stat status{};
  ASSERT_EQ(::stat(path("mine").c_str(), &status), 0);
  if (::geteuid() == 0) EXPECT_EQ(status.st_gid, TemporaryFolder::kStranger);
}

TEST_F(OutputFileTest, AWholeFileInAFolderThatIsClosedIsWrittenInPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  write("mine", "longer than that");
  give_away("mine");
  fs::permissions(folder_.path(), fs::perms(0755));
  ASSERT_EQ(::seteuid(TemporaryFolder::kStranger), 0);
  const auto written = put_whole("mine", "text");
  const auto refused = put_whole("new", "text");
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_TRUE(written);
  EXPECT_EQ(text("mine"), "text");
  EXPECT_EQ(refused.error().system_errno, EACCES);
}

TEST_F(OutputFileTest, RefusesProtectedTargetsBeforeWriting) {
  const OutputRequest request{.is_precious = [](Bytes bytes) { return bytes.front() == std::byte{'P'}; }};
  write("recording", "PERFILE2 and so on");
  EXPECT_EQ(put_half("recording", request).error().kind, ErrorKind::Denied);
  EXPECT_EQ(put_half("recording", {.existing = Existing::Refuse}).error().system_errno, EEXIST);
  fs::create_symlink("nowhere", path("link"));
  EXPECT_EQ(put_half("link", {.existing = Existing::Refuse}).error().system_errno, EEXIST);
  fs::create_directory(path("folder"));
  EXPECT_EQ(put_half("folder").error().system_errno, EISDIR);
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  ASSERT_EQ(::seteuid(TemporaryFolder::kStranger), 0);
  const auto theirs = put_half("recording");
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(theirs.error().system_errno, EPERM);
}

TEST_F(OutputFileTest, ARefusalHintsAtAnotherNameOnlyWhereNothingOverwritesTheFile) {
  const OutputRequest refusing{.existing = Existing::Refuse,
                               .is_precious = [](Bytes bytes) { return bytes.front() == std::byte{'P'}; }};
  write("text", "{}");
  write("program", "\177ELF\2\1\1");
  write("recording", "PERFILE2 and so on");
  fs::create_symlink("recording", path("link to it"));
  fs::create_symlink("text", path("link to text"));
  fs::create_directory(path("folder"));
  const auto hint_for = [&](const char* name) {
    const Error error = put_half(name, refusing).error();
    EXPECT_EQ(error.system_errno, EEXIST) << name;
    EXPECT_EQ(put(name, "page", refusing).error().hint, error.hint) << name;
    return error.hint;
  };
  EXPECT_EQ(hint_for("text"), "");
  EXPECT_EQ(hint_for("link to text"), "");
  EXPECT_EQ(hint_for("program"), "choose another name, or delete the file first");
  EXPECT_EQ(hint_for("recording"), "choose another name, or delete the recording first");
  EXPECT_EQ(hint_for("link to it"), "choose another name, or delete the recording first");
  EXPECT_EQ(put_half("folder", refusing).error().hint, "choose another name");
}

TEST_F(OutputFileTest, KeepsProtectedFilesThatAppearMeanwhile) {
  auto refusing = OutputFile::create(path("new"), {.existing = Existing::Refuse});
  ASSERT_TRUE(refusing);
  write("new", "came meanwhile");
  EXPECT_EQ(refusing->finish().error().system_errno, EEXIST);
  EXPECT_EQ(text("new"), "came meanwhile");
  auto precious = OutputFile::create(path("page"), {.is_precious = [](Bytes) { return true; }});
  ASSERT_TRUE(precious);
  write("page", "came meanwhile");
  EXPECT_EQ(precious->finish().error().kind, ErrorKind::Denied);
  EXPECT_EQ(text("page"), "came meanwhile");
}

TEST_F(OutputFileTest, WholeFilesFollowLinksAndFillDevices) {
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(put_whole("link", "one"));
  ASSERT_TRUE(put_whole("link", "two"));
  EXPECT_EQ(text("target"), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  write("log", "before ");
  const auto open = open_file(path("log"), O_RDWR);
  auto file = OutputFile::create(fmt::format("/dev/fd/{}", open->get()));
  ASSERT_TRUE(file && write_all(file->fd(), "after", 5) && file->finish());
  EXPECT_EQ(text("log"), "before after");
}

}  // namespace
}  // namespace peregrine
