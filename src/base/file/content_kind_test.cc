#include "base/file/content_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

ContentKind kind_of(std::string_view text) { return content_kind(std::as_bytes(std::span(text))); }

TEST(ContentKind, IsToldByTheFirstBytes) {
  EXPECT_EQ(kind_of("\177ELF\2\1\1"), ContentKind::Program);
  EXPECT_EQ(kind_of("#!/usr/bin/python3"), ContentKind::Script);
  EXPECT_EQ(kind_of("\x1f\x8b"), ContentKind::Gzip);
  EXPECT_EQ(kind_of("\x28\xb5\x2f\xfd"), ContentKind::Zstd);
  EXPECT_EQ(kind_of(std::string(257, '\0') + "ustar  "), ContentKind::Tar);
}

TEST(ContentKind, OfTextAndShortFilesIsOther) {
  for (const char* text : {"", "#", "# started on", "\177EL", "<html>", "ustar", "perf PK"})
    EXPECT_EQ(kind_of(text), ContentKind::Other) << text;
}

TEST(ContentKind, HasAName) {
  EXPECT_EQ(content_name(ContentKind::Script), "a script");
  EXPECT_EQ(content_name(ContentKind::Other), "a file");
}

}  // namespace
}  // namespace peregrine
