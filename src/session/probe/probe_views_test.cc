#include "session/probe/probe_views.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/elf_image.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

// A program with symbols, but without debug information.
class ProbeViewsTest : public ::testing::Test {
 protected:
  ProbeViewsTest() {
    ElfImage image;
    image.symtab = {{.name = "work", .value = image.text_address, .size = 0x40},
                    {.name = "_start", .value = image.text_address + 0x40, .size = 0x40},
                    {.name = "_ZN4shop5orderEv", .value = image.text_address + 0x80, .size = 0x40},
                    {.name = "price", .value = image.text_address + 0xc0, .size = 8, .type = STT_OBJECT}};
    image.write_to(folder_.path("prog"));
    request_.program = folder_.path("prog");
  }
  std::string functions(const std::string& filter) {
    Sink out;
    const auto done = show_probe_functions(request_, filter, home_, out);
    return done ? out.take() : done.error().message;
  }

  TemporaryFolder folder_;
  ProbeRequest request_;
  ProbeHome home_{.search_path = "/bin", .build_ids = folder_.path("cache"), .program_name = "falcon"};
  Sink out_;
};

TEST_F(ProbeViewsTest, ListsFunctionsThatPassTheFilter) {
  EXPECT_EQ(functions(""), "shop::order\nwork\n") << "by default without names that begin with an underscore";
  EXPECT_EQ(functions("w* | _*"), "_start\nwork\n");
  request_.filter = "w*";
  EXPECT_EQ(functions(""), "work\n");
  EXPECT_EQ(functions("_s*"), "_start\n") << "the argument wins over --filter";
}

TEST_F(ProbeViewsTest, ListsMangledNamesOnRequest) {
  request_.demangle = false;
  EXPECT_EQ(functions("*order*"), "_ZN4shop5orderEv\n");
}

TEST_F(ProbeViewsTest, ListsNamesInPrintableCharacters) {
  ElfImage image;
  image.symtab = {{.name = "a\x1b[2J\nb\x9b", .value = image.text_address, .size = 0x40}};
  image.write_to(folder_.path("prog"));
  EXPECT_EQ(functions(""), "a\\x1b[2J\\x0ab\\x9b\n");
}

TEST_F(ProbeViewsTest, RejectsInvalidPlacesBeforeFilesAreRead) {
  request_.program = "/nonexistent/prog";
  const auto lines = show_probe_lines(request_, "work:x", home_, out_);
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().kind, ErrorKind::Usage);
  const auto variables = show_probe_variables(request_, "work n", home_, out_);
  ASSERT_FALSE(variables);
  EXPECT_EQ(variables.error().kind, ErrorKind::Usage);
}

TEST_F(ProbeViewsTest, SaysThatLinesAndVariablesNeedDebugInformation) {
  const auto lines = show_probe_lines(request_, "work", home_, out_);
  ASSERT_FALSE(lines);
  EXPECT_THAT(lines.error().message, HasSubstr("prog"));
  EXPECT_FALSE(show_probe_variables(request_, "work", home_, out_));
  EXPECT_EQ(out_.take(), "");
}

}  // namespace
}  // namespace peregrine
