// Which symbols of an ELF file count, and which name wins if several share an address: linux-perf 6.1's results for
// files with the same symbols.
#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/types.h"
#include "support/elf_image.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

constexpr u64 kTextAddress = 0x11000;  // address of .text in ElfImage

SymbolTable load(const ElfImage& image) {
  auto file = ElfFile::from_bytes(image.bytes(), "image");
  EXPECT_TRUE(file);
  auto table = load_elf_symbols(*file);
  EXPECT_TRUE(table);
  return std::move(*table);
}

std::string name_at(const SymbolTable& table, u64 offset_in_text) {
  const auto symbol = table.find(ElfImage::kTextOffset + offset_in_text);
  return symbol ? std::string(symbol->name) : "";
}

struct SharedStart {
  const char* what;
  ImageSymbol first;
  ImageSymbol second;
  int winner;
};

ImageSymbol local(std::string name, u64 size = 8) {
  return {.name = std::move(name), .value = kTextAddress, .size = size, .binding = STB_LOCAL};
}
ImageSymbol global(std::string name) { return {.name = std::move(name), .value = kTextAddress, .size = 8}; }
ImageSymbol weak(std::string name) {
  return {.name = std::move(name), .value = kTextAddress, .size = 8, .binding = STB_WEAK};
}

TEST(ElfSymbols, ChoosesAmongSymbolsOfOneStart) {
  const SharedStart cases[] = {
      {"the longer name", local("aa"), local("bbbb"), 2},
      {"the longer name", local("bbbb"), local("aa"), 1},
      {"the first of equal ones", local("bb"), local("aa"), 1},
      {"one with a size", local("aaaa", 0), local("bb"), 2},
      {"the second without a size gets one: it reaches to the next symbol", local("aa"), local("bbbb", 0), 2},
      {"size itself does not count", local("aa", 16), local("bb", 8), 1},
      {"size itself does not count", local("aa", 8), local("bb", 16), 1},
      {"fewer underscores", local("_aa"), local("b"), 2},
      {"fewer underscores", local("b"), local("_aaaaaa"), 1},
      {"fewer underscores", local("__b"), local("_b"), 2},
      {"global over weak", global("aa"), weak("bb"), 1},
      {"global over weak", weak("aa"), global("bb"), 2},
      {"local over weak", local("aa"), weak("bb"), 1},
      {"global over local", local("aa"), global("bb"), 2},
      {"binding before underscores", global("_aa"), local("bb"), 1},
      {"binding before underscores", local("__aa"), weak("bb"), 1},
      {"no system call alias", local("SyS_read"), local("sys_read"), 2},
      {"no system call alias", local("sys_read"), local("SyS_read"), 1},
      {"no system call alias", local("compat_SyS_x"), local("compat_sys_x"), 2},
      {"demangled length", global("_ZN3foo3barEv"), global("_ZN3foo4quuxEv"), 2},
      {"demangled length", global("_ZN3foo1bEiiiiiii"), global("_ZN3foo4quuyEv"), 2},
      {"demangled underscores", global("_ZN1a4quuzEv"), global("zz"), 1},
      {"one name in two manglings", global("_ZN3fooC1Ev"), global("_ZN3fooC2Ev"), 1},
  };
  for (const SharedStart& entry : cases) {
    ElfImage image;
    image.symtab = {entry.first, entry.second};
    EXPECT_EQ(name_at(load(image), 0), (entry.winner == 1 ? entry.first : entry.second).name)
        << entry.what << ": " << entry.first.name << " or " << entry.second.name;
  }
}

TEST(ElfSymbols, KeepsFunctionsObjectsAndVisibleLabels) {
  const auto keeps = [](ImageSymbol symbol, std::string section = ".text") {
    ElfImage image;
    image.text_name = std::move(section);
    symbol.name = symbol.name.empty() ? "name" : symbol.name;
    symbol.value = kTextAddress;
    symbol.size = 8;
    image.symtab = {symbol};
    return !load(image).empty();
  };
  EXPECT_TRUE(keeps({.type = STT_FUNC}));
  EXPECT_TRUE(keeps({.type = STT_GNU_IFUNC}));
  EXPECT_TRUE(keeps({.type = STT_OBJECT}));
  EXPECT_TRUE(keeps({.type = STT_NOTYPE}));
  EXPECT_TRUE(keeps({.type = STT_NOTYPE}, ".rodata"));
  EXPECT_FALSE(keeps({.type = STT_NOTYPE}, ".init"));
  EXPECT_TRUE(keeps({.type = STT_FUNC}, ".init"));
  EXPECT_FALSE(keeps({.type = STT_NOTYPE, .visibility = STV_HIDDEN}));
  EXPECT_TRUE(keeps({.type = STT_FUNC, .visibility = STV_HIDDEN}));
  EXPECT_FALSE(keeps({.type = STT_FUNC, .section = SHN_UNDEF}));
  EXPECT_FALSE(keeps({.type = STT_FUNC, .section = SHN_ABS}));
  EXPECT_FALSE(keeps({.type = STT_FUNC, .section = 99}));
  EXPECT_FALSE(keeps({.type = STT_TLS}));
  EXPECT_FALSE(keeps({.type = STT_SECTION}));
  EXPECT_FALSE(keeps({.type = STT_FILE}));

  ElfImage image;
  image.text_flags = 0;  // not loaded into memory
  image.symtab = {{.name = "warning", .value = kTextAddress, .size = 8}};
  EXPECT_TRUE(load(image).empty());
}

TEST(ElfSymbols, SkipsArmMappingSymbolsAndTheThumbBit) {
  ElfImage image;
  image.is_64 = false;
  image.machine = EM_ARM;
  image.symtab = {{.name = "$a", .value = kTextAddress, .binding = STB_LOCAL, .type = STT_NOTYPE},
                  {.name = "$t.1", .value = kTextAddress + 8, .binding = STB_LOCAL, .type = STT_NOTYPE},
                  {.name = "thumb", .value = kTextAddress + 9, .size = 8}};
  const SymbolTable table = load(image);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.at(SymbolIndex(0)).start, ElfImage::kTextOffset + 8);
}

TEST(ElfSymbols, SymbolsWithoutSizeReachToTheNext) {
  ElfImage image;
  image.symtab = {{.name = "label", .value = kTextAddress + 0x10},
                  {.name = "next", .value = kTextAddress + 0x30, .size = 8},
                  {.name = "last", .value = kTextAddress + 0x100}};
  const SymbolTable table = load(image);
  EXPECT_EQ(name_at(table, 0x2f), "label");
  EXPECT_EQ(name_at(table, 0x38), "");
  EXPECT_EQ(name_at(table, 0x100), "last");
  EXPECT_EQ(table.at(SymbolIndex(2)).end, 0x3000u);  // to the end of the following page
}

TEST(ElfSymbols, AddsDynsymAndPlt) {
  ElfImage image;
  image.symtab = {{.name = "main", .value = kTextAddress, .size = 0x20}};
  image.dynsym = {{.name = "printf", .section = SHN_UNDEF},
                  {.name = "_Z3foov", .section = SHN_UNDEF},
                  {.name = "exported", .value = kTextAddress + 0x20, .size = 0x20}};
  image.plt = {2, 1};
  const SymbolTable table = load(image);
  EXPECT_EQ(name_at(table, 0), "main");
  EXPECT_EQ(name_at(table, 0x20), "exported");
  EXPECT_EQ(name_at(table, 0x800), "");  // the usual entry size
  EXPECT_EQ(demangle(name_at(table, 0x810)), "foo@plt");
  EXPECT_EQ(name_at(table, 0x82f), "printf@plt");
  EXPECT_EQ(name_at(table, 0x830), "");
}

// 20,000 relocations that share a one-megabyte name would take 20 GB.
TEST(ElfSymbols, CopiesNoMorePltNamesThanALinkerWrites) {
  ElfImage image;
  image.symtab = {{.name = "main", .value = kTextAddress, .size = 0x20}};
  image.dynsym = {{.name = std::string(100'000, 'x'), .section = SHN_UNDEF}};
  image.plt.assign(1000, 1);
  const SymbolTable table = load(image);
  EXPECT_GT(table.size(), 10u);
  EXPECT_LT(table.size(), 20u) << "of 1,000: 100 MB of names";
}

TEST(ElfSymbols, ADebugFileIsPlacedByTheMappedOne) {
  ElfImage runtime;
  runtime.dynsym = {{.name = "exported", .value = kTextAddress, .size = 8}};
  ElfImage debug;
  debug.text_address = 0;  // its program headers are meaningless: --only-keep-debug leaves sections without contents
  debug.symtab = {{.name = "inner", .value = kTextAddress + 0x40, .size = 8}};
  auto runtime_file = ElfFile::from_bytes(runtime.bytes(), "runtime");
  auto debug_file = ElfFile::from_bytes(debug.bytes(), "debug");
  ASSERT_TRUE(runtime_file && debug_file);
  auto table = load_elf_symbols(*debug_file, *runtime_file);
  ASSERT_TRUE(table);
  EXPECT_EQ(name_at(*table, 0x40), "inner");
}

}  // namespace
}  // namespace peregrine
