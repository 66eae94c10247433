// Archives as described by POSIX and GNU, byte by byte; bundle_test covers those that we write.
#include "pipeline/bundle/tar_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "pipeline/bundle/tar_format.h"
#include "pipeline/bundle/unpack_budget.h"
#include "support/memory_file.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct TarHeader {
  std::string name;
  std::string size = "00000000000";  // octal text, or bytes of base 256
  char type = '0';
  std::string magic = std::string("ustar\0", 6) + "00";
  std::string prefix = "";
  std::string sum = "";  // instead of the correct one
};

class TarBytes {
 public:
  TarBytes& header(const TarHeader& header) {
    std::string block(512, '\0');
    block.replace(0, header.name.size(), header.name);
    block.replace(124, header.size.size(), header.size);
    block[156] = header.type;
    block.replace(257, header.magic.size(), header.magic);
    block.replace(345, header.prefix.size(), header.prefix);
    block.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    const std::string text = header.sum.empty() ? fmt::format("{:06o}", sum) + std::string("\0 ", 2) : header.sum;
    block.replace(148, text.size(), text);
    return text_block(block);
  }
  TarBytes& contents(std::string_view text) {
    return text_block(std::string(text) + std::string((512 - text.size() % 512) % 512, '\0'));
  }
  // A file with its contents.
  TarBytes& file(TarHeader header, std::string_view text) {
    header.size = fmt::format("{:011o}", text.size());
    return this->header(header).contents(text);
  }
  TarBytes& end() { return text_block(std::string(1024, '\0')); }
  TarBytes& text_block(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  TarBytes& cut(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }

  Result<TarReader> open() const {
    Fd fd = support::memory_file(std::as_bytes(std::span(bytes_)));
    ::lseek(fd.get(), 0, SEEK_SET);
    return TarReader::from_fd(std::move(fd), "x.tar");
  }
  // "name:contents" of each file, or "name" of other members; then the error.
  std::vector<std::string> members() const {
    std::vector<std::string> members;
    auto tar = open();
    if (!tar) return {tar.error().message};
    TarMember member;
    for (;;) {
      const auto more = tar->next(member);
      if (!more) members.push_back(more.error().message);
      if (!more || !*more) return members;
      members.push_back(member.name);
      if (!member.regular) continue;
      members.back() += ':';
      for (auto piece = tar->read(); piece && !piece->empty(); piece = tar->read())
        members.back().append(reinterpret_cast<const char*>(piece->data()), piece->size());
    }
  }

 private:
  std::string bytes_;
};

TEST(TarArchive, HasFilesFoldersAndLinks) {
  TarBytes tar;
  tar.header({.name = "folder/", .type = '5'}).file({.name = "folder/file"}, "contents");
  tar.header({.name = "link", .type = '2'}).header({.name = "empty"}).end();
  EXPECT_THAT(tar.members(), ElementsAre("folder/", "folder/file:contents", "link", "empty:"));
}

TEST(TarArchive, NeedsNoBlocksOfZeroesAtItsEnd) {
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").members(), ElementsAre("a:1"));
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").end().file({.name = "b"}, "2").members(), ElementsAre("a:1"))
      << "what follows the end is nothing";
}

TEST(TarArchive, SkipsWhatIsNotRead) {
  TarBytes tar;
  tar.file({.name = "a"}, std::string(1000, 'x')).file({.name = "b"}, "2").end();
  auto reader = tar.open();
  ASSERT_TRUE(reader);
  TarMember member;
  ASSERT_TRUE(reader->next(member).value_or(false));
  EXPECT_EQ(member.size, 1000u);
  ASSERT_TRUE(reader->next(member).value_or(false));
  EXPECT_EQ(member.name, "b");
}

TEST(TarArchive, HasLongNamesInThreeWays) {
  const std::string folder(150, 'f'), file(100, 'n'), gnu(300, 'g');
  const std::string pax = "path=" + gnu + "\n";
  TarBytes tar;
  tar.file({.name = file, .prefix = folder}, "1");
  tar.file({.name = "././@LongLink", .type = 'L'}, gnu + '\0').file({.name = "short"}, "2");
  tar.file({.name = "pax", .type = 'x'}, "20 ctime=1234567890\n" + fmt::format("{} {}", pax.size() + 4, pax));
  tar.file({.name = "short"}, "3").file({.name = "last"}, "4").end();
  EXPECT_THAT(tar.members(), ElementsAre(folder + '/' + file + ":1", gnu + ":2", gnu + ":3", "last:4"));
}

// GNU's older format has different data in place of POSIX's prefix.
TEST(TarArchive, HasAPrefixOnlyInPosixHeaders) {
  EXPECT_THAT(TarBytes().file({.name = "a", .magic = "ustar  ", .prefix = "12345670123"}, "1").end().members(),
              ElementsAre("a:1"));
}

TEST(TarArchive, TakesSizesInBase256) {
  std::string size(12, '\0');
  size[0] = '\x80';
  size[11] = '\x03';
  EXPECT_THAT(TarBytes().header({.name = "a", .size = size}).contents("123").end().members(), ElementsAre("a:123"));
  size[0] = '\xff';  // negative
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").header({.name = "b", .size = size}).members(),
              ElementsAre("a:1", "x.tar: damaged header"));
  size = '\x80' + std::string(11, '\xff');
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").header({.name = "b", .size = size}).members(),
              ElementsAre("a:1", "x.tar: damaged header"));
}

TEST(TarArchive, RejectsDamagedHeaders) {
  EXPECT_THAT(TarBytes().header({.name = "a", .sum = "000001"}).members(), ElementsAre("x.tar: not a tar archive"));
  EXPECT_THAT(TarBytes().contents("text").members(), ElementsAre("x.tar: not a tar archive"));
  EXPECT_THAT(TarBytes().members(), ElementsAre("x.tar: not a tar archive"));
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").contents("text").members(),
              ElementsAre("a:1", "x.tar: damaged header"));
  EXPECT_THAT(TarBytes().file({.name = "a"}, "1").header({.name = "b", .size = "00000000008"}).members(),
              ElementsAre("a:1", "x.tar: damaged header"))
      << "8 is no octal digit";
}

TEST(TarArchive, SaysWhereItIsCutOff) {
  const std::string kCutOff = "x.tar: truncated archive";
  TarBytes tar;
  tar.file({.name = "a"}, std::string(600, 'x'));
  EXPECT_THAT(TarBytes(tar).header({.name = "b"}).cut(1536 + 100).members().back(), kCutOff) << "in a header";
  EXPECT_THAT(TarBytes(tar).cut(1536 - 1).members().back(), kCutOff) << "in the padding";
  auto reader = TarBytes(tar).cut(512 + 100).open();
  ASSERT_TRUE(reader);
  TarMember member;
  ASSERT_TRUE(reader->next(member).value_or(false));
  const auto beginning = reader->read();
  ASSERT_TRUE(beginning) << "what is there of the contents comes first";
  EXPECT_EQ(beginning->size(), 100u);
  EXPECT_EQ(reader->read().error().message, kCutOff) << "in the contents";
}

TEST(TarArchive, BoundsNamesThatItKeepsInMemory) {
  TarBytes tar;
  tar.file({.name = "a"}, "1").header({.name = "././@LongLink", .size = "00000400000", .type = 'L'});
  EXPECT_THAT(tar.members(), ElementsAre("a:1", "x.tar: member name is too long (131072 bytes)"));
  TarBytes path;
  path.file({.name = "././@LongLink", .type = 'L'}, std::string(4096, 'n')).file({.name = "short"}, "1");
  EXPECT_THAT(path.members(), ElementsAre("x.tar: member name is too long (4096 bytes)"));
}

TEST(TarArchive, IgnoresPaxRecordsThatAreNone) {
  for (const char* records : {"", "path=x", "5 pa", "99 path=x\n", "0 path=x\n", "x path=x\n", "3 \n", "8 path=x"})
    EXPECT_THAT(TarBytes().file({.name = "pax", .type = 'x'}, records).file({.name = "a"}, "1").end().members(),
                ElementsAre("a:1"))
        << records;
}

TEST(TarFormat, SumsTheChecksumItselfAsBlanks) {
  std::vector<std::byte> block(tar::kBlock, std::byte{1});
  EXPECT_EQ(tar::checksum(block), (tar::kBlock - 8) * 1 + 8 * 32);
  block[tar::kSumAt] = block[tar::kSumAt + 7] = std::byte{255};
  EXPECT_EQ(tar::checksum(block), (tar::kBlock - 8) * 1 + 8 * 32);
}

UnpackBudget small_budget(u64 packed, UnpackLimits limits = {.ratio = 4, .always = 100, .members = 2, .files = 1}) {
  return UnpackBudget("x.tar", packed, ::testing::TempDir(), limits);
}

TEST(UnpackBudget, AllowsAMultipleOfThePackedSize) {
  UnpackBudget budget = small_budget(1000);
  EXPECT_EQ(budget.bytes_left(), 4000u);
  EXPECT_TRUE(budget.add_bytes(3999));
  EXPECT_TRUE(budget.add_bytes(1));
  EXPECT_EQ(budget.bytes_used(), 4000u);
  EXPECT_EQ(budget.bytes_left(), 0u);
  const auto refused = budget.add_bytes(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(refused.error().message, "x.tar: unpacks to more than 0 MB, which is more than 4 times its size");
  EXPECT_EQ(refused.error().hint, "if you trust it, unpack it yourself and read its contents");
  EXPECT_EQ(budget.bytes_left(), 0u);
}

TEST(UnpackBudget, AllowsSomethingForTheSmallestFile) {
  EXPECT_EQ(small_budget(0).bytes_left(), 100u);
  EXPECT_EQ(small_budget(25).bytes_left(), 100u);
  EXPECT_EQ(small_budget(26).bytes_left(), 104u);
  EXPECT_EQ(small_budget(~u64{0}).bytes_left(), ~u64{0}) << "the product does not fit";
}

TEST(UnpackBudget, CountsMembersAndFiles) {
  UnpackBudget budget = small_budget(0);
  EXPECT_TRUE(budget.add_member() && budget.add_member() && budget.add_file());
  EXPECT_EQ(budget.add_member().error().message, "x.tar: has more than 2 members");
  EXPECT_EQ(budget.add_file().error().message, "x.tar: has more than 1 files");
}

TEST(UnpackBudget, KeepsToTheFreeSpace) {
  const UnpackBudget budget = small_budget(0, {.free_space = u64{3} << 20});
  const auto refused = budget.check_space(u64{5} << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::System);
  EXPECT_EQ(refused.error().hint, "set TMPDIR to a folder with more space");
  EXPECT_TRUE(budget.check_space(0));
}

}  // namespace
}  // namespace peregrine
