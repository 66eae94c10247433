#include "output/ctf/ctf_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string_view>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

void put_file(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

// The files of a small trace, under their draft names.
void write_trace(const CtfFolder& folder, std::string_view text) {
  put_file(folder.prefix() + "metadata", "/* CTF 1.8 */" + std::string(text));
  put_file(folder.prefix() + "perf_stream_0", text);
}

TEST(CtfFolder, HasTheFilesWhenAllAreComplete) {
  const TemporaryFolder place;
  {
    auto folder = CtfFolder::prepare(place.path("a/b"), false);
    ASSERT_TRUE(folder);
    write_trace(*folder, "new");
    EXPECT_FALSE(place.has("a/b/metadata"));
    EXPECT_TRUE(folder->take());
  }
  EXPECT_EQ(place.text("a/b/metadata"), "/* CTF 1.8 */new");
  EXPECT_EQ(place.text("a/b/perf_stream_0"), "new");
  EXPECT_EQ(place.mode("a/b"), 0700u);
}

TEST(CtfFolder, LeavesNothingOfATraceThatWasNotTaken) {
  const TemporaryFolder place;
  {
    auto folder = CtfFolder::prepare(place.path("a/b"), false);
    ASSERT_TRUE(folder);
    write_trace(*folder, "half");
  }
  EXPECT_EQ(place.names(), 0u);
}

TEST(CtfFolder, ReplacesATraceOnlyWhenForcedAndKeepsOtherFiles) {
  const TemporaryFolder place;
  place.write("metadata", "/* CTF 1.8 */old");
  place.write("notes", "mine");
  EXPECT_FALSE(CtfFolder::prepare(place.path(), false));
  auto folder = CtfFolder::prepare(place.path(), true);
  ASSERT_TRUE(folder);
  write_trace(*folder, "new");
  EXPECT_TRUE(folder->take());
  EXPECT_EQ(place.text("metadata"), "/* CTF 1.8 */new");
  EXPECT_EQ(place.text("notes"), "mine");
}

TEST(CtfFolder, RefusesToReplaceAFileThatIsNotOfATrace) {
  const TemporaryFolder place;
  place.write("metadata", "a diary");
  const auto folder = CtfFolder::prepare(place.path(), true);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::Denied);
  EXPECT_EQ(place.text("metadata"), "a diary");
}

}  // namespace
}  // namespace peregrine
