#include "pipeline/bundle/bundle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <expected>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>

#include "base/fd.h"
#include "pipeline/bundle/tar_reader.h"
#include "pipeline/bundle/tar_writer.h"
#include "support/elf_image.h"
#include "symbol/compression/unpack.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class BundleTest : public ::testing::Test {
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
  Result<Bundle> open(const UnpackLimits& limits = {}) const {
    auto fd = open_file(archive_, O_RDONLY);
    if (!fd) return std::unexpected(std::move(fd.error()));
    return Bundle::open(std::move(*fd), archive_, top_ + "/tmp", limits);
  }
  bool left_nothing() const { return fs::is_empty(top_ + "/tmp"); }

  std::string top_ = ::testing::TempDir() + "bundle_test." + std::to_string(::getpid());
  std::string archive_ = top_ + "/archive";
  BuildId id_;
};

TEST_F(BundleTest, RoundTrips) {
  const std::string long_name(300, 'n');
  std::ofstream(top_ + "/large") << std::string(1'024'000, 'x');  // no padding after it
  for (const Packing packing : {Packing::None, Packing::Bzip2, Packing::Zstd}) {
    TarWriter out = writer(packing);
    ASSERT_TRUE(out.add_file("a/good", top_ + "/good"));
    ASSERT_TRUE(out.add_link(".build-id/5a/5a", "../../" + long_name));
    ASSERT_TRUE(out.add_file(long_name, top_ + "/large"));
    EXPECT_FALSE(fs::exists(archive_));  // not before it is complete
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

TEST_F(BundleTest, AnArchiveWithoutANameGoesIntoAnother) {
  auto inner = TarWriter::create_unnamed(archive_, Packing::Bzip2);
  ASSERT_TRUE(inner) << inner.error().message;
  ASSERT_TRUE(inner->add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/good"));
  const auto packed = inner->finish_unnamed();
  ASSERT_TRUE(packed) << packed.error().message;
  for (const auto& entry : fs::directory_iterator(top_))
    EXPECT_FALSE(entry.path().filename().string().contains("archive")) << entry.path();
  TarWriter out = writer(Packing::Bzip2);
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.add_file("perf.symbols.tar.bz2", packed->get(), "symbols"));
  ASSERT_TRUE(out.finish());
  const auto bundle = open();
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_TRUE(bundle->has(id_));
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

// In that case, folders cannot be listed.
TEST_F(BundleTest, GoesWithoutADescriptorLeft) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/good"));
  ASSERT_TRUE(out.finish());
  auto bundle = open();
  ASSERT_TRUE(bundle) << bundle.error().message;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  bundle = fail(ErrorKind::NotFound, "");
  const bool made = PrivateFolder::make(top_ + "/tmp").has_value();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(made);
  EXPECT_TRUE(left_nothing());
}

TEST_F(BundleTest, RemovesWhatADeadReaderLeft) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.finish());
  const auto made = PrivateFolder::make(top_ + "/tmp");
  ASSERT_TRUE(made);
  const std::string left = top_ + "/tmp/peregrine-unpacked-abcdef", held = made->path();
  const std::string others[] = {top_ + "/tmp/peregrine-unpacked-kept", top_ + "/tmp/peregrine.abcdef"};
  const std::string of_user = top_ + "/tmp/peregrine-unpacked-backup";  // happens to be named like ours
  for (const std::string& folder : {left, others[0], others[1], of_user}) {
    fs::create_directories(folder + "/usr");
    fs::permissions(folder, fs::perms::owner_all);
  }
  {
    const std::ofstream mark(left + "/.unpacked-by-peregrine");
  }
  const std::string empty = top_ + "/tmp/peregrine-unpacked-ghijkl";  // its owner was killed before it set the mark
  fs::create_directories(empty);
  fs::permissions(empty, fs::perms::owner_all);
  ASSERT_TRUE(open());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(empty));
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other));  // named differently from ours
  EXPECT_TRUE(fs::exists(of_user + "/usr"));
  EXPECT_TRUE(fs::exists(held));
}

// No handler can help against SIGKILL, so the same must work for SIGTERM, SIGHUP and SIGPIPE.
TEST_F(BundleTest, ThePrivateFolderGoesWhenItsOwnerIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto made = PrivateFolder::make(top_ + "/tmp");
    if (!made || !fs::create_directories(made->path() + "/a/b")) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (unsigned attempt = 0; attempt < 500 && !left_nothing(); ++attempt) ::usleep(10'000);
  EXPECT_TRUE(left_nothing());
}

TEST_F(BundleTest, RefusesAnArchiveThatUnpacksToTooMuch) {
  std::ofstream(top_ + "/zeroes") << std::string(3 << 20, '\0');
  TarWriter out = writer(Packing::Zstd);
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/zeroes"));
  ASSERT_TRUE(out.finish());
  ASSERT_LT(fs::file_size(archive_) * 64, 3u << 20);
  {
    const auto small = open();  // small archives are allowed to
    ASSERT_TRUE(small);
    EXPECT_GE(small->bytes(), 3u << 20);
  }
  const auto refused = open({.always = 1 << 20});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 64 times its size"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(left_nothing());
  EXPECT_TRUE(open({.ratio = 1 << 20, .always = 1 << 20}));
}

// Unwanted members are unpacked too, in order to find the next one.
TEST_F(BundleTest, CountsTheMembersThatItSkips) {
  std::ofstream(top_ + "/zeroes") << std::string(3 << 20, '\0');
  for (const char* name : {"unwanted", "perf.symbols.tar.zst"}) {
    TarWriter out = writer(Packing::Bzip2);
    ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
    ASSERT_TRUE(out.add_file(name, top_ + "/zeroes"));
    ASSERT_TRUE(out.finish());
    EXPECT_FALSE(open({.always = 1 << 20})) << name;
    EXPECT_TRUE(left_nothing());
  }
}

TEST_F(BundleTest, AnArchiveInsideSharesTheBudget) {
  std::ofstream(top_ + "/zeroes") << std::string(3 << 20, '\0');
  {
    TarWriter inner = writer(Packing::Zstd);
    ASSERT_TRUE(inner.add_file("usr/bin/x/" + id_.hex() + "/elf", top_ + "/zeroes"));
    ASSERT_TRUE(inner.finish());
    fs::rename(archive_, top_ + "/inner");
  }
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.add_file("perf.symbols.tar.zst", top_ + "/inner"));
  ASSERT_TRUE(out.finish());
  EXPECT_TRUE(open());
  EXPECT_FALSE(open({.always = 1 << 20}));
  EXPECT_TRUE(left_nothing());
}

TEST_F(BundleTest, LeavesAReserveOfTheFileSystem) {
  std::ofstream(top_ + "/zeroes") << std::string(3 << 20, '\0');
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/zeroes"));
  ASSERT_TRUE(out.finish());
  const auto refused = open({.free_space = 2 << 20});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("TMPDIR"), std::string::npos);
  EXPECT_TRUE(left_nothing());
  EXPECT_TRUE(open({.free_space = 4 << 20}));
}

TEST_F(BundleTest, LimitsTheNumberOfMembersAndTheLengthOfNames) {
  {
    TarWriter out = writer();
    for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(out.add_link(fmt::format("link{}", i), "x"));
    ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
    ASSERT_TRUE(out.finish());
  }
  EXPECT_TRUE(open());
  EXPECT_FALSE(open({.members = 20}));
  EXPECT_FALSE(open({.files = 0}));
  {
    TarWriter out = writer();
    ASSERT_TRUE(out.add_file(std::string(5000, 'n'), top_ + "/recording"));
    ASSERT_TRUE(out.finish());
  }
  const auto long_name = open();
  ASSERT_FALSE(long_name);
  EXPECT_EQ(long_name.error().message, archive_ + ": member name is too long (5000 bytes)");
  {
    TarWriter out = writer();
    ASSERT_TRUE(out.add_file("perf.data/data", top_ + "/recording"));
    for (const std::string& name : {std::string("perf.data/a/b/c"), "perf.data/" + std::string(300, 'n')})
      ASSERT_TRUE(out.add_file(name, top_ + "/recording"));
    ASSERT_TRUE(out.finish());
  }
  const auto deep = open();
  ASSERT_TRUE(deep);
  EXPECT_FALSE(fs::exists(deep->recording() + "/a"));
  EXPECT_TRUE(fs::exists(deep->recording() + "/data"));
}

TEST_F(BundleTest, NothingButAnArchiveIsReplaced) {
  const std::string recording = top_ + "/recording";
  EXPECT_EQ(TarWriter::create(recording, Packing::Zstd).error().kind, ErrorKind::Denied);
  EXPECT_EQ(read_file(recording), "PERFILE2 and so on");
  for (const Packing packing : {Packing::Bzip2, Packing::Zstd, Packing::None}) {
    for (int times = 0; times < 2; ++times) {
      TarWriter out = writer(packing);
      ASSERT_TRUE(out.add_file("perf.data", recording));
      ASSERT_TRUE(out.finish());
    }
    const auto before = fs::last_write_time(archive_);
    {
      TarWriter unfinished = writer(packing);
    }
    EXPECT_EQ(fs::last_write_time(archive_), before);
    fs::remove(archive_);
  }
  EXPECT_TRUE(TarWriter::create("/dev/null", Packing::Zstd)->finish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(BundleTest, AFileOfAnotherBuildIsDroppedAndNamed) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("usr/bin/good/" + id_.hex() + "/elf", top_ + "/other"));
  ASSERT_TRUE(out.finish());
  auto bundle = open();
  ASSERT_TRUE(bundle);
  EXPECT_FALSE(bundle->has(id_));
  ASSERT_EQ(bundle->problems().size(), 1u);
  EXPECT_EQ(bundle->problems()[0], id_.hex() + " /usr/bin/good (elf): has a different build-id");
}

TEST_F(BundleTest, CountsTheFilesThatItRefuses) {
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/recording"));
  ASSERT_TRUE(out.add_link(".build-id/5a/5a", "../../anything"));
  ASSERT_TRUE(out.add_file("../escaped", top_ + "/good"));
  ASSERT_TRUE(out.add_file("usr/bin/other/" + id_.hex() + "/elf", top_ + "/other"));
  ASSERT_TRUE(out.finish());
  const auto bundle = open();
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->refusals().members, 3u);
  EXPECT_EQ(bundle->refusals().refused, 2u);
  EXPECT_EQ(bundle->refusals().first, "'../escaped' is neither perf.data nor a build-id file");
}

TEST_F(BundleTest, AFullDiskIsReportedWithTheNameOfTheArchive) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  for (const Packing packing : {Packing::None, Packing::Bzip2, Packing::Zstd}) {
    auto out = TarWriter::create("/dev/full", packing);
    ASSERT_TRUE(out) << out.error().message;
    Result<> done = out->add_file("perf.data", top_ + "/good");
    if (done) done = out->finish();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "cannot write '/dev/full': No space left on device");
    EXPECT_FALSE(done.error().hint.empty());
  }
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
  for (const auto& entry : fs::recursive_directory_iterator(top_ + "/tmp"))
    files += entry.is_regular_file() && entry.path().filename() != ".unpacked-by-peregrine" ? 1 : 0;
  EXPECT_EQ(files, 1u);
  EXPECT_FALSE(fs::exists(top_ + "/escaped"));
  // The cache does not accept them either, since there they would be folders.
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
  EXPECT_NE(bundle->problems()[0].find("truncated"), std::string::npos);
}

TEST_F(BundleTest, KeepsTheBeginningOfARecordingThatIsCutOff) {
  std::string recording(20'000, 'x');
  recording.replace(0, 8, "PERFILE2");
  std::ofstream(top_ + "/long") << recording;
  TarWriter out = writer();
  ASSERT_TRUE(out.add_file("perf.data", top_ + "/long"));
  ASSERT_TRUE(out.finish());
  fs::resize_file(archive_, 512 + 5000);
  auto bundle = open();
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(bundle->is_cut());
  EXPECT_TRUE(bundle->recording_is_cut());
  EXPECT_EQ(fs::file_size(bundle->recording()), 5000u);
}

TEST_F(BundleTest, RejectsOtherFiles) {
  std::ofstream(archive_) << "PERFILE2" << std::string(1000, '\0');
  EXPECT_FALSE(is_tar(open_file(archive_, O_RDONLY)->get(), archive_));
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
