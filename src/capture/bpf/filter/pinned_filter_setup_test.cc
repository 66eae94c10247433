// Folders that are refused before BPF is used: missing, foreign and misplaced ones. tests/live covers pinning.
#include "capture/bpf/filter/pinned_filter_setup.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(PinnedSampleFilter, NeedsABpfFileSystem) {
  const TemporaryFolder folder;
  const auto pinned = pin_sample_filter(folder.path());
  const auto unpinned = unpin_sample_filter(folder.path());
  ASSERT_FALSE(pinned);
  ASSERT_FALSE(unpinned);
  for (const Error& error : {pinned.error(), unpinned.error()}) {
    EXPECT_EQ(error.kind, ErrorKind::Unsupported);
    EXPECT_EQ(error.message, fmt::format("bpffs is not mounted at {}", folder.path()));
    EXPECT_EQ(error.hint, fmt::format("mount -t bpf -o mode=0711 bpf {}", folder.path()));
  }
  EXPECT_EQ(folder.names(), 0u) << "nothing was made there";
}

TEST(PinnedSampleFilter, NamesAPlaceThatDoesNotExist) {
  const TemporaryFolder folder;
  const std::string place = folder.path("none");
  const auto pinned = pin_sample_filter(place);
  ASSERT_FALSE(pinned);
  EXPECT_EQ(pinned.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(pinned.error().message, place + ": No such file or directory");
}

// The user's next step is the same, whether bpffs or the filter in it is missing.
TEST(PinnedSampleFilter, SaysHowToSetOneUpIfNoneIsPinned) {
  const TemporaryFolder folder;
  for (const std::string& place : {folder.path(), folder.path("none")}) {
    const auto opened = PinnedSampleFilter::open({}, place);
    ASSERT_FALSE(opened) << place;
    EXPECT_EQ(opened.error().kind, ErrorKind::NotFound);
    EXPECT_EQ(opened.error().message, "no sample filter is set up for ordinary users");
    EXPECT_EQ(opened.error().hint, "run once as root: record --setup-filter=pin");
  }
}

// In bpffs with the kernel's default mode, anybody can create names: neither files nor links are followed.
TEST(PinnedSampleFilter, RefusesAnythingButAFolderOfRoot) {
  const TemporaryFolder file, link;
  file.write("peregrine_filter", "not a folder");
  std::filesystem::create_directory(link.path("elsewhere"));
  std::filesystem::create_directory_symlink(link.path("elsewhere"), link.path("peregrine_filter"));
  for (const TemporaryFolder* place : {&file, &link}) {
    const auto opened = PinnedSampleFilter::open({}, place->path());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::Denied);
    EXPECT_EQ(opened.error().message,
              fmt::format("'{}/peregrine_filter' is not a folder owned by root", place->path()));
    EXPECT_EQ(opened.error().hint, "as root, remove it");
  }
}

}  // namespace
}  // namespace peregrine
