#include "pipeline/bundle/bundle.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "pipeline/bundle/bundle_files.h"
#include "pipeline/bundle/tar_reader.h"
#include "pipeline/bundle/tar_writer.h"
#include "support/elf_image.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class BundleTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(top_ + "/tmp");
    ElfImage image;
    image.build_id = std::string(20, '\x5a');
    image.symtab = {{.name = "function", .value = 0x11000, .size = 8}};
    image.write_to(top_ + "/good");
    id_ = BuildId::from_bytes(std::as_bytes(std::span(image.build_id)));
    image.build_id = std::string(20, '\x11');
    image.write_to(top_ + "/other");
    std::ofstream(top_ + "/recording") << "PERFILE2 and so on";
  }
  void TearDown() override { fs::remove_all(top_); }

  TarWriter writer(Packing packing = Packing::None) const {
    auto made = TarWriter::create(archive_, packing);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  Result<Bundle> open() const { return Bundle::open(archive_, top_ + "/tmp"); }
  bool left_nothing() const { return fs::is_empty(top_ + "/tmp"); }

  std::string top_ = testing::TempDir() + "bundle_test." + std::to_string(::getpid());
  std::string archive_ = top_ + "/archive";
  BuildId id_;
};

TEST_F(BundleTest, WhatTheWriterWroteTheReaderReads) {
  const std::string long_name(300, 'n');
  std::ofstream(top_ + "/large") << std::string(1'024'000, 'x');  // no padding behind it
  for (const Packing packing : {Packing::None, Packing::Bzip2, Packing::Zstd}) {
    TarWriter out = writer(packing);
    ASSERT_TRUE(out.add_file("a/good", top_ + "/good"));
    ASSERT_TRUE(out.add_link(".build-id/5a/5a", "../../" + long_name));
    ASSERT_TRUE(out.add_file(long_name, top_ + "/large"));
    EXPECT_FALSE(fs::exists(archive_));  // not before it is whole
    ASSERT_TRUE(out.finish());
    auto in = TarReader::open(archive_);
    ASSERT_TRUE(in) << in.error().message;
    TarMember member;
    ASSERT_TRUE(in->next(member).value_or(false));
    EXPECT_EQ(member.name, "a/good");
    ASSERT_TRUE(in->next(member).value_or(false));
    EXPECT_FALSE(member.regular);
    ASSERT_TRUE(in->next(member).value_or(false));
    EXPECT_EQ(member.name, long_name);
    EXPECT_EQ(member.size, 1'024'000u);
    u64 size = 0;
    for (auto piece = in->read(); piece && !piece->empty(); piece = in->read()) size += piece->size();
    EXPECT_EQ(size, member.size);
    const auto more = in->next(member);
    ASSERT_TRUE(more);
    EXPECT_FALSE(*more);
    fs::remove(archive_);
  }
}

TEST_F(BundleTest, FilesAreKeptByIdAndGoWithTheObject) {
  TarWriter out = writer(Packing::Zstd);
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/good"));
  ASSERT_TRUE(out.finish());
  {
    auto bundle = open();
    ASSERT_TRUE(bundle) << bundle.error().message;
    EXPECT_TRUE(bundle->has(id_));
    ASSERT_EQ(bundle->files().size(), 1u);
    EXPECT_EQ(bundle->files()[0].name, "/usr/bin/good");
    EXPECT_EQ(read_file(bundle->recording()), "PERFILE2 and so on");
    EXPECT_TRUE(bundle->problems().empty());
    const BuildIdCache cache(top_ + "/cache");
    EXPECT_EQ(add_to_cache(*bundle, cache).value_or(0), 1u);
    EXPECT_EQ(cache.find(id_), "elf");
  }
  EXPECT_TRUE(left_nothing());
}

TEST_F(BundleTest, WhatAKilledReaderLeftGoesWithTheNext) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.finish());
  const auto made = PrivateFolder::make(top_ + "/tmp");
  ASSERT_TRUE(made);
  const std::string left = top_ + "/tmp/peregrine.abcdef", other = top_ + "/tmp/peregrine.kept", held = made->path();
  for (const std::string& folder : {left, other}) fs::create_directories(folder + "/usr");
  for (const std::string& folder : {left, other, held}) {
    fs::permissions(folder, fs::perms::owner_all);
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  ASSERT_TRUE(open());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));  // not named as ours are
  EXPECT_TRUE(fs::exists(held));
}

TEST_F(BundleTest, AFileOfAnotherBuildIsDroppedAndNamed) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/other"));
  ASSERT_TRUE(out.finish());
  auto bundle = open();
  ASSERT_TRUE(bundle);
  EXPECT_FALSE(bundle->has(id_));
  ASSERT_EQ(bundle->problems().size(), 1u);
  EXPECT_EQ(bundle->problems()[0], id_.hex() + " /usr/bin/good (elf): has another build-id");
}

TEST_F(BundleTest, NamesNeverBecomePaths) {
  TarWriter out = writer();
  for (const char* name : {"../escaped", "/etc/escaped", "perf.data/../../escaped", "perf.data/a/../../../escaped",
                           "../../5a5a/elf", "perf.datax"}) {
    ASSERT_TRUE(out.add_file(name, top_ + "/good"));
  }
  ASSERT_TRUE(out.add_file("../../../" + id_.hex() + "/elf", top_ + "/good"));
  ASSERT_TRUE(out.finish());
  auto bundle = open();
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(bundle->recording().empty());
  EXPECT_TRUE(bundle->has(id_));
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(top_ + "/tmp")) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1u);
  EXPECT_FALSE(fs::exists(top_ + "/escaped"));
  // Nor do they in the cache, where they would be folders.
  EXPECT_FALSE(add_to_cache(*bundle, BuildIdCache(top_ + "/cache")));
}

TEST_F(BundleTest, AnArchiveThatIsCutOffKeepsWhatCameBefore) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/good"));
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/good"));
  ASSERT_TRUE(out.finish());
  fs::resize_file(archive_, fs::file_size(archive_) - 3000);
  auto bundle = open();
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(bundle->has(id_));
  ASSERT_EQ(bundle->problems().size(), 1u);
  EXPECT_NE(bundle->problems()[0].find("cut off"), std::string::npos);
}

TEST_F(BundleTest, WhatIsNoArchiveIsRefused) {
  std::ofstream(archive_) << "PERFILE2" << std::string(1000, '\0');
  EXPECT_FALSE(is_tar(archive_));
  EXPECT_FALSE(open());
  EXPECT_TRUE(left_nothing());
}

TEST_F(BundleTest, TheArchiveBesideARecordingIsFound) {
  EXPECT_EQ(archive_beside(top_ + "/recording"), "");
  std::ofstream(top_ + "/recording.tar.bz2") << "x";
  EXPECT_EQ(archive_beside(top_ + "/recording"), top_ + "/recording.tar.bz2");
}

}  // namespace
}  // namespace peregrine
