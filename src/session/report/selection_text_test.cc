#include "session/report/selection_text.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(SelectionText, IsEmptyIfAllSamplesAreSelected) {
  EXPECT_EQ(selection_text({}), "");
  EXPECT_EQ(selection_text({.parent = "main"}), "") << "--parent alone makes a column";
}

TEST(SelectionText, NamesEachOption) {
  EXPECT_EQ(selection_text({.comms = "make", .dsos = "libc.so.6", .symbols = "main", .pids = "7", .tids = "8"}),
            "--comms make --dsos libc.so.6 --symbols main --pid 7 --tid 8");
  EXPECT_EQ(selection_text({.cpus = "0-1", .times = "10%-20%", .parallelisms = "1", .socket = 0}),
            "--cpu 0-1 --time 10%-20% --parallelism 1 --socket-filter 0");
  EXPECT_EQ(selection_text({.parent = "^sys_", .exclude_other = true, .hide_unresolved = true, .hide_idle = true}),
            "--parent ^sys_ --exclude-other --hide-unresolved --no-idle");
}

}  // namespace
}  // namespace peregrine
