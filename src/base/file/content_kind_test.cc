#include "base/file/content_kind.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>

namespace peregrine {
namespace {

ContentKind kind_of(std::string_view text) { return content_kind(std::as_bytes(std::span(text))); }

TEST(ContentKind, FollowsFromTheFirstBytes) {
  EXPECT_EQ(kind_of("\177ELF\2\1\1"), ContentKind::Program);
  EXPECT_EQ(kind_of("#!/usr/bin/python3"), ContentKind::Script);
  EXPECT_EQ(kind_of(std::string(257, '\0') + "ustar  "), ContentKind::Tar);
}

TEST(ContentKind, KnowsTracesOfOtherTools) {
  EXPECT_EQ(kind_of("\x17\x08\x44tracing6"), ContentKind::TraceDat);
  EXPECT_EQ(kind_of("\x17\x08\x44tracin"), ContentKind::Other);
  EXPECT_EQ(kind_of("\x07tae"), ContentKind::Blktrace);
  EXPECT_EQ(kind_of("eat\x07"), ContentKind::Blktrace);
}

TEST(ContentKind, KnowsPackedFilesByAFewBytes) {
  const std::pair<std::string, ContentKind> packed[] = {{"PK\3\4", ContentKind::Zip},
                                                        {"7z\xbc\xaf\x27\x1c", ContentKind::SevenZip},
                                                        {"\x1f\x8b\x08", ContentKind::Gzip},
                                                        {"BZh", ContentKind::Bzip2},
                                                        {std::string("\3757zXZ\0", 6), ContentKind::Xz},
                                                        {"\x28\xb5\x2f\xfd", ContentKind::Zstd}};
  for (const auto& [bytes, kind] : packed) {
    EXPECT_LE(bytes.size(), kPackedBytes);
    EXPECT_EQ(kind_of(bytes), kind) << content_name(kind);
    EXPECT_EQ(kind_of(bytes.substr(0, bytes.size() - 1)), ContentKind::Other) << content_name(kind);
  }
}

TEST(ContentKind, OfTextAndShortFilesIsOther) {
  for (const char* text : {"", "#", "# started on", "\177EL", "<html>", "ustar", "perf PK", "7zip", "\x1f\x8b"})
    EXPECT_EQ(kind_of(text), ContentKind::Other) << text;
}

TEST(ContentKind, HasAName) {
  EXPECT_EQ(content_name(ContentKind::Script), "a script");
  EXPECT_EQ(content_name(ContentKind::Other), "a file");
}

}  // namespace
}  // namespace peregrine
