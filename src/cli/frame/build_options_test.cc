#include "cli/frame/build_options.h"

#include <gtest/gtest.h>

#include <string>

#include "auxtrace/coresight/etm_decoder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(BuildOptions, AreFoundByNameOrMacroInAnyCase) {
  const BuildOption* const zstd = find_build_option("ZSTD");
  ASSERT_NE(zstd, nullptr);
  EXPECT_EQ(zstd->macro, "HAVE_ZSTD_SUPPORT");
  EXPECT_EQ(find_build_option("have_zstd_support"), zstd);
  EXPECT_EQ(find_build_option("zst"), nullptr);
}

TEST(BuildOptions, SuggestTheNearestFeature) {
  EXPECT_EQ(unknown_build_option("zstdd").hint, "did you mean 'zstd'?");
  EXPECT_EQ(unknown_build_option("qqqqqqqqqqqq").hint.substr(0, 21), "must be one of dwarf,");
}

TEST(BuildOptions, NeedTheirPlugIn) {
  const TemporaryFolder folder;
  const BuildOption* const python = find_build_option("libpython");
  ASSERT_NE(python, nullptr);
  EXPECT_FALSE(build_option_works(*python, folder.path()));
  folder.write(python->plugin, "");
  EXPECT_TRUE(build_option_works(*python, folder.path()));
  EXPECT_FALSE(build_option_works(*find_build_option("libbfd"), folder.path())) << "it is not built in";
}

TEST(BuildOptions, HaveOpenCsdIfTracesOfCoreSightAreDecoded) {
  const auto decoder = auxtrace::EtmDecoder::check();
  const bool is_built = decoder || decoder.error().message.find("this build cannot decode") == std::string::npos;
  EXPECT_EQ(build_option_works(*find_build_option("libopencsd"), ""), is_built);
}

TEST(BuildOptions, AreAlignedAtTheColon) {
  EXPECT_EQ(build_option_row(*find_build_option("zstd"), false),
            "                  zstd: [ OFF ]  # HAVE_ZSTD_SUPPORT\n");
}

}  // namespace
}  // namespace peregrine
