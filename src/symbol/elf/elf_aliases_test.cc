#include "symbol/elf/elf_aliases.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/bytes.h"
#include "support/elf_image.h"
#include "symbol/elf/thread_symbols.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ElfFile file_of_symbols(std::vector<ImageSymbol> symtab, std::vector<ImageSymbol> dynsym = {}, bool is_64 = true,
                        ByteOrder order = ByteOrder::Little) {
  ElfImage image;
  image.is_64 = is_64;
  image.order = order;
  image.symtab = std::move(symtab);
  image.dynsym = std::move(dynsym);
  return *ElfFile::from_bytes(image.bytes(), "libx.so");
}

TEST(ElfAliases, AreAllNamesOfAnAddress) {
  for (const bool is_64 : {true, false}) {
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      const ElfFile file =
          file_of_symbols({{.name = "read", .value = 0x11000}, {.name = "__read", .value = 0x11000}}, {}, is_64, order);
      EXPECT_THAT(find_function_addresses(file, "read"), ElementsAre(0x11000u));
      EXPECT_THAT(find_function_addresses(file, "__read"), ElementsAre(0x11000u));
      EXPECT_THAT(find_function_addresses(file, "rea"), IsEmpty());
      EXPECT_THAT(find_function_addresses(file, "ead"), IsEmpty());
      EXPECT_THAT(find_function_addresses(file, ""), IsEmpty());
    }
  }
}

TEST(ElfAliases, IgnoreVersionsAndCountEachAddressOnce) {
  const ElfFile file = file_of_symbols({{.name = "memcpy@@GLIBC_2.14", .value = 0x11040},
                                        {.name = "memcpy@GLIBC_2.2.5", .value = 0x11080},
                                        {.name = "memcpy_s", .value = 0x110c0}},
                                       {{.name = "memcpy", .value = 0x11040}});
  EXPECT_THAT(find_function_addresses(file, "memcpy"), ElementsAre(0x11040u, 0x11080u));
}

TEST(ElfAliases, OfFunctionsAreDefinedCode) {
  struct {
    const char* what;
    u8 type;
    u16 section;
    bool function, symbol;
  } const cases[] = {
      {"a function", STT_FUNC, 1, true, true},
      {"one chosen at run time", STT_GNU_IFUNC, 1, true, true},
      {"a variable", STT_OBJECT, 1, false, true},
      {"a label", STT_NOTYPE, 1, false, true},
      {"a thread-local variable", STT_TLS, 1, false, false},
      {"a section", STT_SECTION, 1, false, false},
      {"an import", STT_FUNC, SHN_UNDEF, false, false},
      {"a constant", STT_NOTYPE, SHN_ABS, false, false},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    const ElfFile file = file_of_symbols({{.name = "x", .value = 0x11000, .type = one.type, .section = one.section}});
    EXPECT_EQ(find_function_addresses(file, "x").size(), one.function ? 1u : 0u);
    EXPECT_EQ(find_symbol_addresses(file, "x").size(), one.symbol ? 1u : 0u);
    EXPECT_TRUE(mentions_symbol(file, "x")) << "whatever it is";
    EXPECT_FALSE(mentions_symbol(file, "y"));
  }
}

TEST(ElfAliases, OfFilesWithoutSymbolsAreNone) {
  const ElfFile file = file_of_symbols({});
  EXPECT_THAT(find_symbol_addresses(file, "x"), IsEmpty());
  EXPECT_FALSE(mentions_symbol(file, "x"));
}

TEST(ThreadSymbols, AreTheOffsetsOfThreadLocalVariables) {
  const ElfFile file = file_of_symbols({{.name = "errno", .value = 0x10, .type = STT_TLS},
                                        {.name = "buffer", .value = 0x20, .binding = STB_LOCAL, .type = STT_TLS},
                                        {.name = "buffer", .value = 0x40, .binding = STB_LOCAL, .type = STT_TLS},
                                        {.name = "twice", .value = 8, .type = STT_TLS},
                                        {.name = "twice", .value = 8, .binding = STB_WEAK, .type = STT_TLS},
                                        {.name = "imported", .type = STT_TLS, .section = SHN_UNDEF},
                                        {.name = "global", .value = 0x11000, .type = STT_OBJECT}});
  const auto symbols = load_thread_symbols(file);
  ASSERT_TRUE(symbols) << symbols.error().message;
  EXPECT_EQ(symbols->size(), 3u);
  EXPECT_EQ(symbols->at("errno").offset, 0x10u);
  EXPECT_TRUE(symbols->at("errno").is_one);
  EXPECT_FALSE(symbols->at("buffer").is_one) << "two files have a static variable of that name";
  EXPECT_TRUE(symbols->at("twice").is_one) << "two names of one place";
}

TEST(ThreadSymbols, AreNotCopiedWithoutEnd) {
  std::vector<ImageSymbol> symbols;
  for (u64 i = 0; i < 40; ++i) symbols.push_back({.name = std::string(100'000 + i, 'x'), .value = i, .type = STT_TLS});
  const auto few = load_thread_symbols(file_of_symbols(symbols));
  ASSERT_TRUE(few);
  EXPECT_EQ(few->size(), 40u) << "a table of long names is honest if its text is as long";
}

TEST(ThreadSymbols, NeedASymbolTable) {
  const auto symbols = load_thread_symbols(file_of_symbols({}, {{.name = "errno", .value = 0x10, .type = STT_TLS}}));
  ASSERT_TRUE(symbols);
  EXPECT_TRUE(symbols->empty());
}

}  // namespace
}  // namespace peregrine
