#include "machine/dso/own_vdso.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

TEST(OwnVdso, IsNamedByWhereItIsMapped) {
  EXPECT_EQ(vdso_name_of_map(0xf7f6c000), kVdso32Name);
  EXPECT_EQ(vdso_name_of_map(u64{1} << 32), kVdso32Name);
  EXPECT_EQ(vdso_name_of_map(0x7ffff7fc9000), kVdsoName);
  EXPECT_TRUE(is_vdso_name("[vdso]") && is_vdso_name("[vdso32]"));
  EXPECT_FALSE(is_vdso_name("[vvar]"));
}

TEST(OwnVdso, Of32BitProgramsIsAnImageOf32Bits) {
  auto image = vdso_of_32_bit_programs();
  if (!image) GTEST_SKIP() << image.error().message;
  const auto file = ElfFile::from_bytes(std::move(*image), std::string(kVdso32Name));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_FALSE(file->is_64());
  EXPECT_FALSE(file->build_id().empty());
  const auto symbols = load_elf_symbols(*file);
  ASSERT_TRUE(symbols);
  EXPECT_FALSE(symbols->find_name("__kernel_sigreturn").empty());
}

}  // namespace
}  // namespace peregrine
