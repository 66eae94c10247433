#include "symbol/jit/jit_image.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "support/jitdump_builder.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

using support::JitDumpBuilder;

JitDump example(ByteOrder order = kHostOrder) {
  JitDumpBuilder builder(7, order);
  builder.lines(0x1000, {{0x1000, 4, "a.js"}, {0x1003, 6, "b.js"}});
  builder.unwinding("FRAMES--", "HEAD").load(1, 0x1000, 0, "one", "abcde").load(2, 0x2000, 1, "other", "abcde");
  return std::move(*JitDump::from_bytes(builder.bytes(), "jit-7.dump"));
}

std::string section_text(const ElfFile& file, std::string_view name) {
  const ElfSection* section = file.find_section(name);
  return section == nullptr ? "" : file.text(*section).value_or("?");
}

TEST(JitImage, OfOneFunctionIsAValidElfFile) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    const JitDump dump = example(order);
    const JitImage image = jit_function_image(dump, dump.loads()[0]);
    const auto file = ElfFile::from_bytes(image.bytes, "jitted-7-0.so");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->order(), order);
    EXPECT_EQ(file->machine(), 62);
    EXPECT_EQ(file->build_id(), image.id);
    EXPECT_EQ(load_elf_symbols(*file)->find(kJitTextAt + 4)->name, "one");
    EXPECT_EQ(section_text(*file, ".text"), "abcde");
    EXPECT_EQ(section_text(*file, ".eh_frame"), "FRAMES--");
    EXPECT_EQ(section_text(*file, ".eh_frame_hdr"), "HEAD");
    EXPECT_EQ(file->find_section(".eh_frame")->offset, kJitTextAt + 8) << "as compilers count on";
    EXPECT_EQ(file->find_section(".eh_frame")->address, kJitTextAt + 8);
    EXPECT_NE(file->find_section(".debug_line"), nullptr);
    ASSERT_EQ(file->segments().size(), 1u);
    EXPECT_EQ(file->segments()[0].file_size, 5u);
  }
}

TEST(JitImage, EqualCodeOfTwoFunctionsHasTwoBuildIds) {
  const JitDump dump = example();
  EXPECT_NE(jit_function_image(dump, dump.loads()[0]).id, jit_function_image(dump, dump.loads()[1]).id);
  EXPECT_EQ(jit_function_image(dump, dump.loads()[1]).id, jit_function_image(dump, dump.loads()[1]).id);
}

TEST(JitImage, OfTheDumpHasTheCodeWhereTheDumpHasIt) {
  const JitDump dump = example();
  const auto file = ElfFile::from_bytes(*jit_dump_image(dump), "jit-7.dump");
  ASSERT_TRUE(file);
  const JitLoad& load = dump.loads()[1];
  const auto code = file->read(load.code_at, load.size);
  EXPECT_EQ(*code, dump.code(load));
  EXPECT_EQ(file->file_offset(load.code_at), load.code_at);
  EXPECT_NE(file->find_section(".debug_info"), nullptr);
}

TEST(JitImage, OfAnEmptyDumpIsStillOne) {
  const JitDump dump = std::move(*JitDump::from_bytes(JitDumpBuilder(7).bytes(), "jit-7.dump"));
  EXPECT_TRUE(ElfFile::from_bytes(*jit_dump_image(dump), "jit-7.dump"));
}

}  // namespace
}  // namespace peregrine
