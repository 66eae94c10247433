// Unusual lines and files of kallsyms, lists of modules, and tables that the cache must preserve.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "support/memory_file.h"
#include "support/temporary_folder.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

// "start name" of each symbol of a table.
std::string kernel_symbols(const SymbolTable& table) {
  std::string text;
  for (u32 i = 0; i < table.size(); ++i) {
    const Symbol symbol = table.at(SymbolIndex(i));
    text += fmt::format("{}{:x} {}", i == 0 ? "" : ", ", symbol.start, symbol.name);
  }
  return text;
}
std::string kernel_symbols_of(std::string_view text) { return kernel_symbols(parse_kallsyms(text).kernel); }

TEST(KallsymsLines, AreAddressTypeAndName) {
  EXPECT_EQ(kernel_symbols_of("1000 t a\n"), "1000 a") << "addresses of 32-bit kernels are shorter";
  EXPECT_EQ(kernel_symbols_of("FFFF t a\nffff0 T b\n"), "ffff a, ffff0 b");
  EXPECT_EQ(kernel_symbols_of("1000 t a"), "1000 a") << "the last line need not end";
  EXPECT_EQ(kernel_symbols_of("2000 t b\n1000 t a\n"), "1000 a, 2000 b") << "in any order";
  EXPECT_EQ(kernel_symbols_of("1000 t name with blanks\n"), "1000 name with blanks");
  EXPECT_EQ(kernel_symbols_of("1000 t array[3]\n"), "1000 array[3]") << "a bracket alone names no module";
}

TEST(KallsymsLines, SkipsInvalidLines) {
  for (const std::string_view line : {"", "\n\n\n", "1000", "1000 ", "1000 t", "1000 t ", "1000t a", "1000 tt a",
                                      "x000 t a", " 1000 t a", "10000000000000000 t a", "1000\tt\ta", "1000 t \t[m]"}) {
    const std::string text = std::string(line) + "\n2000 t b\n";
    EXPECT_EQ(kernel_symbols_of(text), "2000 b") << line;
  }
}

TEST(KallsymsLines, OfOtherTypesAndMappingSymbolsAreSkipped) {
  for (const char type : {'t', 'T', 'w', 'W', 'd', 'D', 'b', 'B'})
    EXPECT_EQ(kernel_symbols_of(fmt::format("1000 {} a\n", type)), "1000 a") << type;
  for (const char type : {'r', 'R', 'A', 'a', 'V', 'n', '?'})
    EXPECT_EQ(kernel_symbols_of(fmt::format("1000 {} a\n", type)), "") << type;
  EXPECT_EQ(kernel_symbols_of("1000 t $x\n1004 t $d.1\n1008 t a\n"), "1008 a");
}

TEST(KallsymsLines, TellFunctionsFromDataAndTheirBinding) {
  const Kallsyms kallsyms = parse_kallsyms("1000 t a\n2000 T b\n3000 W c\n4000 d d\n5000 B e\n");
  const std::pair<SymbolBinding, SymbolType> expected[] = {{SymbolBinding::Local, SymbolType::Function},
                                                           {SymbolBinding::Global, SymbolType::Function},
                                                           {SymbolBinding::Weak, SymbolType::Function},
                                                           {SymbolBinding::Local, SymbolType::Object},
                                                           {SymbolBinding::Global, SymbolType::Object}};
  ASSERT_EQ(kallsyms.kernel.size(), 5u);
  for (u32 i = 0; i < 5; ++i) {
    EXPECT_EQ(kallsyms.kernel.at(SymbolIndex(i)).binding, expected[i].first) << i;
    EXPECT_EQ(kallsyms.kernel.at(SymbolIndex(i)).type, expected[i].second) << i;
  }
}

TEST(KallsymsLines, OfModulesMayBeMixed) {
  const Kallsyms kallsyms =
      parse_kallsyms("3000 t x1\t[x]\n1000 t y1\t[y]\n3100 t x2\t[x]\n500 t kernel\n1100 t y2\t[y]\n");
  ASSERT_EQ(kallsyms.modules.size(), 2u);
  EXPECT_EQ(kallsyms.modules[0].name, "[x]");
  EXPECT_EQ(kernel_symbols(kallsyms.modules[0].table), "3000 x1, 3100 x2");
  EXPECT_EQ(kernel_symbols(kallsyms.modules[1].table), "1000 y1, 1100 y2");
  EXPECT_EQ(kallsyms.modules[1].start, 0x1000u);
  EXPECT_EQ(kallsyms.modules[1].end, 0x3000u) << "the last symbol has no size: to the end of the following page";
  EXPECT_EQ(kernel_symbols(kallsyms.kernel), "500 kernel");
}

TEST(KallsymsReference, IsTheFirstTextSymbolThatThereIs) {
  EXPECT_EQ(parse_kallsyms("2000 T _stext\n1000 T _text\n").reference_name(), "_text");
  EXPECT_EQ(parse_kallsyms("2000 T _stext\n1000 T _text\n").reference(), 0x1000u);
  EXPECT_EQ(parse_kallsyms("2000 T _stext\n").reference_name(), "_stext");
  EXPECT_EQ(parse_kallsyms("2000 T _stext\n").reference(), 0x2000u);
  EXPECT_EQ(parse_kallsyms("2000 T other\n").reference_name(), "");
  EXPECT_EQ(parse_kallsyms("2000 T _text\t[module]\n").reference_name(), "") << "a module's is another symbol";
}

TEST(KallsymsReference, IsReadFromTheBeginningOfTheFile) {
  const TemporaryFolder folder;
  const auto read = [&](std::string_view text) {
    const auto reference = read_kernel_reference(folder.write("kallsyms", text));
    if (!reference) return reference.error().message;
    return fmt::format("{} {:x}{}", reference->name(), reference->address(), reference->hidden ? " hidden" : "");
  };
  // Longer than one read, so that a line is split.
  std::string many;
  for (int i = 0; i < 2000; ++i) many += fmt::format("{:016x} t function_{}\n", 0x10000 + i, i);
  EXPECT_EQ(read("1000 T _stext\n1000 T _text\n" + many), "_text 1000");
  EXPECT_EQ(read(many + "1000 T _stext\n" + many), "_stext 1000");
  EXPECT_EQ(read(many + "1000 T _text"), "_text 1000");
  EXPECT_EQ(read(many), " 0");
  EXPECT_EQ(read("0 T _stext\n0 T _text\n"), " 0 hidden");
  EXPECT_EQ(read(""), " 0") << "nothing is hidden in an empty file";
  EXPECT_EQ(read_kernel_reference(folder.path("absent")).error().kind, ErrorKind::NotFound);
}

TEST(KallsymsFiles, AreParsedWholeByPathOrDescriptor) {
  const TemporaryFolder folder;
  constexpr std::string_view kText = "1000 T _text\n2000 t f\n";
  EXPECT_EQ(kernel_symbols(load_kallsyms(folder.write("kallsyms", kText))->kernel), "1000 _text, 2000 f");
  EXPECT_EQ(load_kallsyms(folder.path("absent")).error().kind, ErrorKind::NotFound);
  const Fd fd = support::memory_file(std::as_bytes(std::span(kText)));  // its position is past the end of the text
  EXPECT_EQ(kernel_symbols(load_kallsyms(fd.get(), "kallsyms")->kernel), "1000 _text, 2000 f");
}

TEST(ModuleLines, AreNameSizeAndAddress) {
  const auto ranges = [](std::string_view text) {
    std::string out;
    for (const ModuleRange& module : parse_modules(text))
      out += fmt::format("{} {} {:x};", module.name, module.size, module.start);
    return out;
  };
  EXPECT_EQ(ranges("snd-hda 4096 1 snd,hda-core, Live 0xFFFFFFFFC0A00000"), "snd_hda 4096 ffffffffc0a00000;");
  EXPECT_EQ(ranges("  a   1  2  -  Live   0x10  \nb 2 2 - Live 0x20\n"), "a 1 10;b 2 20;");
  EXPECT_EQ(ranges("a 1 2 - Live\nb 1 2 - Live 10\n\nc\n"), "") << "no address";
  EXPECT_EQ(ranges(""), "");
}

TEST(ModuleLines, AreHashedByNameSizeAndAddress) {
  const u64 hash = hash_modules("a 1 2 - Live 0x10\nb 2 2 - Live 0x20\n");
  EXPECT_EQ(hash, hash_modules("a 1 9 b, Loading 0x10 (OE)\nnot a module\nb 2 0 - Live 0x20"));
  EXPECT_NE(hash, hash_modules("a 2 2 - Live 0x10\nb 2 2 - Live 0x20\n"));
  EXPECT_NE(hash, hash_modules("c 1 2 - Live 0x10\nb 2 2 - Live 0x20\n"));
  EXPECT_NE(hash, hash_modules("a 1 2 - Live 0x10\n"));
}

TEST(KallsymsCacheTables, KeepEveryShape) {
  const std::string_view texts[] = {
      "",
      "1000 t only\n",
      "1000 t a\n1010 t b\n1020 t c\n",                         // each ends where the next one begins
      "1000 t a\n200000000 t far\nffffffff81000000 T _text\n",  // further apart than 32 bits allow
      "1000 T _text\n2000 t x\t[m]\n3000 t y\t[n]\n",
  };
  const KallsymsKey key{.kernel = *BuildId::parse("0123"), .text = 1, .modules = 2};
  for (const std::string_view text : texts) {
    SCOPED_TRACE(text);
    const Kallsyms before = parse_kallsyms(text);
    const auto after = KallsymsCache::decode(KallsymsCache::encode(key, before), key);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(kernel_symbols(after->kernel), kernel_symbols(before.kernel));
    ASSERT_EQ(after->modules.size(), before.modules.size());
    for (std::size_t i = 0; i < before.modules.size(); ++i) {
      EXPECT_EQ(after->modules[i].name, before.modules[i].name);
      EXPECT_EQ(kernel_symbols(after->modules[i].table), kernel_symbols(before.modules[i].table));
      EXPECT_EQ(after->modules[i].end, before.modules[i].end);
    }
    for (u32 i = 0; i < before.kernel.size(); ++i) {
      EXPECT_EQ(after->kernel.end(SymbolIndex(i)), before.kernel.end(SymbolIndex(i)));
      EXPECT_EQ(after->kernel.at(SymbolIndex(i)).type, before.kernel.at(SymbolIndex(i)).type);
    }
  }
}

TEST(KallsymsCacheTables, AreOfOneKey) {
  const KallsymsKey key{.kernel = *BuildId::parse("0123"), .text = 1, .modules = 2};
  const std::string file = KallsymsCache::encode(key, parse_kallsyms("1000 t a\n"));
  for (const KallsymsKey& other :
       {KallsymsKey{.kernel = *BuildId::parse("0124"), .text = 1, .modules = 2},
        KallsymsKey{.kernel = key.kernel, .text = 2, .modules = 2}, KallsymsKey{.kernel = key.kernel, .text = 1}}) {
    const auto decoded = KallsymsCache::decode(file, other);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().kind, ErrorKind::NotFound);
    EXPECT_EQ(decoded.error().message, "kallsyms cache: does not match this kernel and its modules");
  }
}

TEST(KallsymsCacheTables, AreReadFromRegularFilesOnly) {
  const TemporaryFolder folder;
  const auto loaded = KallsymsCache::load(folder.path(), {});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, folder.path() + ": no kallsyms cache");
  EXPECT_EQ(KallsymsCache::load(folder.path("absent"), {}).error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(KallsymsCache::save(folder.path("no/folder/cache"), {}, {}));
}

}  // namespace
}  // namespace peregrine
