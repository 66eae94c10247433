#include "pipeline/recording/place/recording_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <expected>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "pipeline/recording/place/unpacked_recording.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecording = "PERFILE2 first";
constexpr const char* kOlder = "2ELIFREP older";

class RecordingPlaceTest : public ::testing::Test {
 protected:
  using Shape = RecordingPlace::Shape;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  // Every name with its contents; "/" for a folder, "-> target" for a link.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      std::string& text = all[entry.path().lexically_relative(folder_).string()];
      std::ostringstream file;
      if (entry.is_symlink()) {
        text = "-> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_directory()) {
        text = "/";
      } else {
        file << std::ifstream(entry.path()).rdbuf();
        text = file.str();
      }
    }
    return all;
  }
  Result<RecordingPlace> begin(Shape shape = Shape::File) const {
    auto place = RecordingPlace::claim(path("perf.data"), shape);
    if (!place) return place;
    const std::string text = "PERFILE2 new";
    if (shape == Shape::Folder) {
      const Fd data(::openat(place->folder(), "data", O_WRONLY | O_CREAT | O_EXCL, 0600));
      PEREGRINE_TRY(write_all(data.get(), text.data(), text.size()));
      return place;
    }
    const auto file = place->file();
    if (!file) return std::unexpected(file.error());
    PEREGRINE_TRY(write_all(file->get(), text.data(), text.size()));
    return place;
  }
  Result<> record(Shape shape = Shape::File) const {
    auto place = begin(shape);
    return place ? place->take() : std::unexpected(place.error());
  }
  // Recording is refused, and nothing changes.
  void expect_refused(const std::string& why, Shape shape = Shape::File) const {
    const auto before = contents();
    const auto refused = record(shape);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(why), std::string::npos) << refused.error().message;
    EXPECT_EQ(contents(), before);
  }
  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
};

TEST_F(RecordingPlaceTest, NothingChangesBeforeTheRecordingHasBegun) {
  write("perf.data", kRecording);
  write("perf.data.old", kOlder);
  const auto before = contents();
  for (const Shape shape : {Shape::File, Shape::Folder}) {
    {
      ASSERT_TRUE(begin(shape));
    }
    EXPECT_EQ(contents(), before);
  }
}

TEST_F(RecordingPlaceTest, TheRecordingBeforeBecomesTheOldOne) {
  write("perf.data", kRecording);
  write("perf.data.old", kOlder);
  ASSERT_TRUE(record());
  EXPECT_EQ(contents(),
            (std::map<std::string, std::string>{{"perf.data", "PERFILE2 new"}, {"perf.data.old", kRecording}}));
  struct stat status{};
  ASSERT_EQ(::stat(path("perf.data").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(RecordingPlaceTest, KnowsWhetherItsPathStillLeadsToIt) {
  for (const Shape shape : {Shape::File, Shape::Folder}) {
    const std::string place_path = path(shape == Shape::File ? "file" : "folder");
    auto place = RecordingPlace::claim(place_path, shape);
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_FALSE(place->is_in_place()) << "not yet";
    ASSERT_TRUE(place->take());
    EXPECT_TRUE(place->is_in_place());
    fs::rename(place_path, place_path + ".moved");
    EXPECT_FALSE(place->is_in_place());
    std::ofstream(place_path) << "another";
    EXPECT_FALSE(place->is_in_place());
  }
}

TEST_F(RecordingPlaceTest, FoldersAndFilesReplaceEachOther) {
  write("perf.data/data", kRecording);
  write("perf.data/data.0", "records");
  write("perf.data/kcore_dir/kallsyms", "symbols");
  write("perf.data.old", kOlder);
  ASSERT_TRUE(record());
  EXPECT_EQ(contents()["perf.data"], "PERFILE2 new");
  EXPECT_EQ(contents()["perf.data.old/kcore_dir/kallsyms"], "symbols");
  ASSERT_TRUE(record(Shape::Folder));
  EXPECT_EQ(contents()["perf.data/data"], "PERFILE2 new");
  EXPECT_EQ(contents()["perf.data.old"], "PERFILE2 new");
  ASSERT_TRUE(record(Shape::Folder));
  EXPECT_EQ(contents().size(), 4u);
}

TEST_F(RecordingPlaceTest, RefusesASourceTree) {
  write("perf.data/main.c", "int main");
  write("perf.data.old/main.c", "older");
  expect_refused("contains 'main.c'");
  expect_refused("contains 'main.c'", Shape::Folder);
}

TEST_F(RecordingPlaceTest, RefusesAFolderThatOnlyLooksLikeARecording) {
  write("perf.data/data", "a table of numbers");
  expect_refused("'data' is not a recording");
  write("perf.data/data", kRecording);
  write("perf.data/data.txt", "notes");
  expect_refused("contains 'data.txt'");
  fs::remove(path("perf.data/data.txt"));
  write("perf.data/kcore_dir/notes", "notes");
  expect_refused("contains 'kcore_dir/notes'");
  fs::remove_all(path("perf.data/kcore_dir"));
  fs::create_symlink("/etc", path("perf.data/kcore_dir"));
  expect_refused("contains 'kcore_dir'");
}

TEST_F(RecordingPlaceTest, RefusesOtherFilesAndEmptyFolders) {
  write("perf.data", "text");
  expect_refused("is not a recording");
  fs::remove(path("perf.data"));
  fs::create_directory(path("perf.data"));
  expect_refused("is a folder");
}

TEST_F(RecordingPlaceTest, RefusesToRemoveAnOldOneThatIsNoRecording) {
  write("perf.data", kRecording);
  write("perf.data.old", "text");
  expect_refused("Can't remove old data: ");
  fs::remove(path("perf.data.old"));
  write("perf.data.old/sub/file", "text");
  expect_refused("Can't remove old data: ");
  fs::remove_all(path("perf.data.old"));
  write("tree/file", "text");
  fs::create_symlink("tree", path("perf.data.old"));
  expect_refused("Can't remove old data: ");
}

TEST_F(RecordingPlaceTest, MovesALinkToARecordingAndFollowsNoLinkToATree) {
  write("elsewhere", kRecording);
  fs::create_symlink("elsewhere", path("perf.data"));
  ASSERT_TRUE(record());
  EXPECT_EQ(contents()["elsewhere"], kRecording);
  EXPECT_EQ(contents()["perf.data.old"], "-> elsewhere");
  EXPECT_EQ(contents()["perf.data"], "PERFILE2 new");
  fs::remove(path("perf.data"));
  write("tree/main.c", "int main");
  fs::create_symlink("tree", path("perf.data"));
  expect_refused("contains 'main.c'");
}

TEST_F(RecordingPlaceTest, WritesThroughALinkThatLeadsNowhere) {
  fs::create_symlink("large/disk", path("perf.data"));
  fs::create_directory(path("large"));
  ASSERT_TRUE(record());
  EXPECT_EQ(contents()["perf.data"], "-> large/disk");
  EXPECT_EQ(contents()["large/disk"], "PERFILE2 new");
}

TEST_F(RecordingPlaceTest, WritesIntoAnEmptyFileOfOurs) {
  write("perf.data", "");
  fs::permissions(path("perf.data"), fs::perms(0640));
  write("perf.data.old", "text");
  {
    ASSERT_TRUE(begin());
  }
  EXPECT_EQ(contents()["perf.data"], "");
  ASSERT_TRUE(record());
  EXPECT_EQ(contents()["perf.data"], "PERFILE2 new");
  EXPECT_EQ(contents()["perf.data.old"], "text");
  EXPECT_EQ(fs::status(path("perf.data")).permissions(), fs::perms(0640));
}

TEST_F(RecordingPlaceTest, ReplacesAnotherUsersEmptyFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  write("perf.data", "");
  fs::permissions(path("perf.data"), fs::perms(0666));
  fs::create_hard_link(path("perf.data"), path("watched"));
  ASSERT_EQ(::chown(path("perf.data").c_str(), 12345, 12345), 0);
  ASSERT_TRUE(record());
  EXPECT_EQ(contents()["watched"], "");
  EXPECT_EQ(contents()["perf.data"], "PERFILE2 new");
}

TEST_F(RecordingPlaceTest, DoesNotFollowALinkThatAnotherUserPlanted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a link away";
  fs::create_symlink("victim", path("perf.data"));
  ASSERT_EQ(::lchown(path("perf.data").c_str(), 12345, 12345), 0);
  expect_refused("is a symbolic link owned by user 12345");
}

TEST_F(RecordingPlaceTest, AFileThatComesMeanwhileIsNotReplaced) {
  auto place = begin();
  ASSERT_TRUE(place);
  write("perf.data", "text");
  EXPECT_FALSE(place->take());
  EXPECT_EQ(contents()["perf.data"], "text");
}

TEST_F(RecordingPlaceTest, ARecordingThatWasExchangedMeanwhileStays) {
  write("perf.data", kRecording);
  write("perf.data.old/data", kOlder);
  auto place = begin();
  ASSERT_TRUE(place);
  fs::rename(path("perf.data.old"), path("kept"));
  write("perf.data.old/main.c", "int main");
  EXPECT_FALSE(place->take());
  EXPECT_EQ(contents()["perf.data"], kRecording);
  EXPECT_EQ(contents()["perf.data.old/main.c"], "int main");
}

TEST_F(RecordingPlaceTest, AnOldOneThatComesMeanwhileStays) {
  write("perf.data", kRecording);
  auto place = begin();
  ASSERT_TRUE(place);
  write("perf.data.old", "text");
  EXPECT_FALSE(place->take());
  EXPECT_EQ(contents()["perf.data"], kRecording);
  EXPECT_EQ(contents()["perf.data.old"], "text");
}

// Both check the place before either of them takes it.
TEST_F(RecordingPlaceTest, TheSecondOfTwoRecordersNamesTheOtherOne) {
  for (const Shape shape : {Shape::File, Shape::Folder}) {
    for (const bool recorded : {false, true}) {
      fs::remove_all(path("perf.data"));
      fs::remove_all(path("perf.data.old"));
      if (recorded) write("perf.data", kRecording);
      {
        auto first = begin(shape), second = begin(shape);
        ASSERT_TRUE(first && second);
        ASSERT_TRUE(first->take());
        const auto refused = second->take();
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().message,
                  fmt::format("cannot write to '{}': another recorder is writing it", path("perf.data")));
        EXPECT_NE(refused.error().hint.find("-o"), std::string::npos);
      }
      EXPECT_EQ(contents()[shape == Shape::File ? "perf.data" : "perf.data/data"], "PERFILE2 new");
      EXPECT_EQ(contents().contains("perf.data.old"), recorded);
      EXPECT_EQ(temporary_.names(), recorded ? 2u : 1u) << "a draft is left";
    }
  }
}

TEST_F(RecordingPlaceTest, ClaimsFilesWrittenInPlaceOnce) {
  write("perf.data", "");
  for (const Shape shape : {Shape::File, Shape::Folder}) {
    {
      const auto first = RecordingPlace::claim(path("perf.data"), shape);
      ASSERT_TRUE(first) << first.error().message;
      const auto second = RecordingPlace::claim(path("perf.data"), shape);
      ASSERT_FALSE(second);
      EXPECT_NE(second.error().message.find("another recorder is writing it"), std::string::npos);
    }
    EXPECT_TRUE(RecordingPlace::claim(path("perf.data"), shape));
    fs::remove_all(path("perf.data"));
    fs::create_directory(path("perf.data"));
  }
}

TEST_F(RecordingPlaceTest, NeverMovesDevicesOrOpenFiles) {
  auto device = RecordingPlace::claim("/dev/null", Shape::File);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_FALSE(device->has_name());
  EXPECT_TRUE(device->take());
  write("log", "text");
  const auto open = open_file(path("log"), 2);
  ASSERT_TRUE(open);
  EXPECT_FALSE(RecordingPlace::claim(fmt::format("/dev/fd/{}", open->get()), Shape::File));
  EXPECT_EQ(contents()["log"], "text");
}

TEST_F(RecordingPlaceTest, RemovesOnlyRecordingsByPath) {
  write("a/data", kRecording);
  write("a/data.12", "");
  write("b/data", kRecording);
  write("b/notes", "text");
  EXPECT_TRUE(remove_recording(path("a")));
  EXPECT_FALSE(remove_recording(path("b")));
  EXPECT_EQ(contents().size(), 3u);
}

TEST_F(RecordingPlaceTest, ADraftOfAKilledRecorderIsPassedOver) {
  const std::string left = fmt::format(".perf.data.{}.new", ::getpid());
  fs::create_directory(path(left));
  write(left + "/data", "PERFILE2 of a killed one");
  ASSERT_TRUE(record(Shape::Folder));
  EXPECT_EQ(contents()["perf.data/data"], "PERFILE2 new");
  EXPECT_EQ(contents()[left + "/data"], "PERFILE2 of a killed one");
  fs::remove_all(path("perf.data"));
  ASSERT_TRUE(record(Shape::File));
  EXPECT_EQ(contents()["perf.data"], "PERFILE2 new");
}

TEST_F(RecordingPlaceTest, TheFilesOfAFolderStayInItWhenItsDraftIsMoved) {
  auto place = begin(Shape::Folder);
  ASSERT_TRUE(place);
  for (const auto& entry : fs::directory_iterator(folder_)) fs::rename(entry.path(), path("elsewhere"));
  const Fd more(::openat(place->folder(), "data.0", O_WRONLY | O_CREAT | O_EXCL, 0600));
  ASSERT_TRUE(more);
  EXPECT_TRUE(fs::exists(path("elsewhere/data.0")));
}

TEST_F(RecordingPlaceTest, RefusesAFifoAndNamesStandardOutput) {
  ASSERT_EQ(::mkfifo(path("perf.data").c_str(), 0600), 0);
  const auto refused = RecordingPlace::claim(path("perf.data"), Shape::File);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("it is a pipe"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().hint.find("-o -"), std::string::npos);
}

TEST_F(RecordingPlaceTest, AnUnpackedRecordingReplacesFilesAndFoldersWhenItIsWhole) {
  write("from/file", "PERFILE2 unpacked");
  write("from/folder/data", "PERFILE2 unpacked");
  write("from/folder/data.0", "records");
  const std::string target = path("perf.data");
  for (const bool to_folder : {false, true}) {
    for (const bool from_folder : {false, true}) {
      fs::remove_all(target);
      write(from_folder ? "perf.data/data" : "perf.data", kRecording);
      const std::string source = path(to_folder ? "from/folder" : "from/file");
      EXPECT_EQ(put_recording(source, target, false).error().kind, ErrorKind::Usage);
      EXPECT_FALSE(put_recording(path("from/none"), target, true));
      EXPECT_EQ(contents()[from_folder ? "perf.data/data" : "perf.data"], kRecording) << "gone by a failure";
      const auto put = put_recording(source, target, true);
      ASSERT_TRUE(put) << put.error().message;
      EXPECT_EQ(contents()[to_folder ? "perf.data/data" : "perf.data"], "PERFILE2 unpacked");
      EXPECT_EQ(temporary_.names(), 2u) << "something is left";
    }
  }
  fs::remove_all(target);
  write("perf.data", "my notes");
  EXPECT_EQ(put_recording(path("from/file"), target, true).error().kind, ErrorKind::Denied);
  EXPECT_EQ(contents()["perf.data"], "my notes");
}

}  // namespace
}  // namespace peregrine
