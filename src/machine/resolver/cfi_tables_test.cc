// The compiled table of a real file is kept for the next run; only a complete table of the same file is used again.
#include "machine/resolver/cfi_tables.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/build_id.h"
#include "machine/dso/kept_files.h"
#include "machine/machine.h"

namespace peregrine {
namespace {

class CfiTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    for (const char* path : {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"}) {
      const auto file = ElfFile::open(path);
      if (!file || !file->build_id()) continue;
      path_ = std::filesystem::canonical(path);
      id_ = file->build_id();
    }
    if (path_.empty()) GTEST_SKIP() << "no file with a build-id is known here";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The number of rows in the file's table; `long_enough`: zero keeps all tables.
  std::size_t rows(std::chrono::nanoseconds long_enough, u64 quota = u64{64} << 20) {
    SymbolPlaces places;
    places.kept = KeptFiles(folder_, quota);
    Machine machine(places);
    const DsoId dso = machine.dsos().find_or_add(DsoKind::File, path_);
    CfiTables tables(machine.dsos(), long_enough);
    tables.grow();
    return tables.of(dso).table.row_count();
  }
  std::vector<KeptFiles::File> kept() const { return KeptFiles(folder_, 1).files(); }

  const std::string folder_ = ::testing::TempDir() + "cfi_tables." + std::to_string(::getpid());
  std::string path_;
  BuildId id_;
};

constexpr std::chrono::nanoseconds kAll{0};

TEST_F(CfiTablesTest, AreKeptByBuildId) {
  const std::size_t compiled = rows(kAll);
  ASSERT_GT(compiled, 100u);
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_EQ(kept().front().kind, KeptKind::Frames);
  EXPECT_EQ(kept().front().id, id_);
  EXPECT_EQ(rows(std::chrono::hours(1)), compiled) << "read back";
}

TEST_F(CfiTablesTest, DamageIsMended) {
  const std::size_t compiled = rows(kAll);
  const std::string path = kept().front().path;
  const u64 size = kept().front().size;
  std::filesystem::resize_file(path, size / 2);
  EXPECT_EQ(rows(kAll), compiled);
  EXPECT_EQ(kept().front().size, size) << "written anew";
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(size / 2))
      << "?!";
  EXPECT_EQ(rows(kAll), compiled);
}

TEST_F(CfiTablesTest, QuickOnesAndThoseBeyondTheQuotaAreNotKept) {
  EXPECT_GT(rows(std::chrono::hours(1)), 100u);
  EXPECT_TRUE(kept().empty());
  EXPECT_GT(rows(kAll, 100), 100u);
  EXPECT_TRUE(kept().empty());
  EXPECT_GT(rows(kAll, 0), 100u);
  EXPECT_TRUE(kept().empty());
}

}  // namespace
}  // namespace peregrine
