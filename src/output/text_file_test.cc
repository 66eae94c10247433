#include "output/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <new>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(WholeFile, IsNotThereWhenPrintingItThrows) {
  const TemporaryFolder folder;
  Sink standard_output(STDOUT_FILENO);
  const std::string path = folder.write("page.html", "old");
  EXPECT_THROW(static_cast<void>(write_whole_file(path, standard_output,
                                                  [](Sink& out) {
                                                    out.append("half of a page");
                                                    throw std::bad_alloc();
                                                  })),
               std::bad_alloc);
  EXPECT_EQ(folder.text("page.html"), "old");
}

}  // namespace
}  // namespace peregrine
