#include "session/sandbox/denied_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "support/kept_messages.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

const ReaderConfinement kOutside{.confined = false, .unconfined = "perf --no-sandbox report ..."};

// The warnings after two recordings requested the symbols of this file.
std::string said_of(const std::string& path) {
  DsoTable first{SymbolPlaces{}}, second{SymbolPlaces{}};
  for (DsoTable* const dsos : {&first, &second})
    static_cast<void>(dsos->symbols(dsos->find_or_add(DsoKind::File, path)));
  testing::KeptMessages messages;
  EXPECT_FALSE(warn_about_denied_files(messages, std::array<const DsoTable*, 2>{&first, &second}, kOutside));
  return messages.take();
}

TEST(DeniedFiles, NamesAFileOfTwoRecordingsOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("loop", folder.path("loop").c_str()), 0);
  const std::string path = folder.path("loop");
  EXPECT_EQ(said_of(path),
            "warning: cannot read '" + path + "': Too many levels of symbolic links; function names are missing\n");
}

TEST(DeniedFiles, SaysNothingAboutAbsentFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(said_of(folder.path("none")), "");
}

TEST(DeniedFiles, BlamesTheSandboxOnlyInside) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "text");
  EXPECT_FALSE(is_hidden_by_sandbox(kOutside, path));
  EXPECT_FALSE(is_hidden_by_sandbox({.confined = true, .unconfined = ""}, path)) << "it can be opened";
}

}  // namespace
}  // namespace peregrine
