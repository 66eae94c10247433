#include "symbol/compression/stored_elf.h"

#include <bzlib.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <utility>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "support/elf_image.h"
#include "support/packed_bytes.h"
#include "symbol/compression/unpack.h"
#include "symbol/compression/zip_file.h"
#include "symbol/kernel/module_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_files.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

using support::bzip2;
using support::gzip;
using support::Packed;
using support::xz;
using support::zstd;

void write(const std::string& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

class StoredElf : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  static ElfImage image(std::string name) {
    ElfImage image;
    image.build_id = std::string(20, '\x5a');
    image.symtab = {{.name = std::move(name), .value = 0x11000, .size = 8}};
    return image;
  }
  static std::string name_at(const SymbolTable& table, u64 address) {
    const auto symbol = table.find(address);
    return symbol ? std::string(symbol->name) : "";
  }

  std::string root_ = ::testing::TempDir() + "/stored_elf." + std::to_string(::getpid());
};

TEST_F(StoredElf, DetectsPackingByMagic) {
  const auto plain = image("packed").bytes();
  for (const Packed& packed : {gzip(plain), xz(plain), zstd(plain), bzip2(plain)}) {
    EXPECT_NE(packing_of(packed), Packing::None);
    const auto back = unpack(packed, "x", 1u << 20);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, plain);
    write(root_ + "/x", packed);
    const auto file = open_stored_elf(root_ + "/x");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->has_symtab());
    auto streamed = UnpackedFile::open(root_ + "/x");
    ASSERT_TRUE(streamed);
    Packed all(plain.size() + 10);
    const auto size = streamed->read(all);
    ASSERT_TRUE(size);
    EXPECT_EQ(*size, plain.size());
  }
}

TEST_F(StoredElf, RejectsTruncatedOrTooLargeFiles) {
  const auto plain = image("packed").bytes();
  for (Packed packed : {gzip(plain), xz(plain), zstd(plain), bzip2(plain)}) {
    EXPECT_FALSE(unpack(packed, "x", plain.size() - 1));
    packed.resize(packed.size() - 5);
    EXPECT_FALSE(unpack(packed, "x", 1u << 20));
    write(root_ + "/x", packed);
    Packed all(plain.size() + 10);
    auto streamed = UnpackedFile::open(root_ + "/x");
    ASSERT_TRUE(streamed);
    EXPECT_FALSE(streamed->read(all));
    EXPECT_FALSE(open_stored_elf(root_ + "/x"));
  }
}

TEST_F(StoredElf, UnpacksToTheSizeThatWasPromised) {
  const auto plain = image("packed").bytes();
  for (const auto& [packing, packed] : {std::pair(Packing::Gzip, gzip(plain)), std::pair(Packing::Zstd, zstd(plain))}) {
    const auto back = unpack_to_size(packing, packed, "x", plain.size());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, plain);
    EXPECT_FALSE(unpack_to_size(packing, packed, "x", plain.size() - 1));
    EXPECT_FALSE(unpack_to_size(packing, packed, "x", plain.size() + 1));
    EXPECT_FALSE(unpack_to_size(packing, Bytes(packed).first(packed.size() - 5), "x", plain.size()));
    EXPECT_FALSE(
        unpack_to_size(packing == Packing::Gzip ? Packing::Zlib : Packing::Deflate, packed, "x", plain.size()));
  }
}

TEST_F(StoredElf, StreamsThatFollowEachOtherAreOne) {
  const std::string text = "first ", more = "second";
  for (const auto pack : {gzip, xz, zstd, bzip2}) {
    Packed packed = pack(std::as_bytes(std::span(text)));
    const Packed next = pack(std::as_bytes(std::span(more)));
    packed.insert(packed.end(), next.begin(), next.end());
    const auto back = unpack(packed, "x", 100);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(back->data()), back->size()), "first second");
  }
}

// A zip archive of one stored member.
Packed zip_of(const std::string& name, Bytes member) {
  ByteWriter out(ByteOrder::Little);
  const auto sizes = [&] {
    out.put32(0);
    out.put32(static_cast<u32>(member.size()));
    out.put32(static_cast<u32>(member.size()));
    out.put16(static_cast<u16>(name.size()));
    out.put16(0);
  };
  out.put32(0x04034b50);
  for (int i = 0; i < 5; ++i) out.put16(0);
  sizes();
  out.append(std::as_bytes(std::span(name)));
  out.append(member);
  const auto directory = static_cast<u32>(out.size());
  out.put32(0x02014b50);
  for (int i = 0; i < 6; ++i) out.put16(0);
  sizes();
  for (int i = 0; i < 3; ++i) out.put16(0);
  out.put32(0);
  out.put32(0);
  out.append(std::as_bytes(std::span(name)));
  const auto end = static_cast<u32>(out.size());
  out.put32(0x06054b50);
  out.put32(0);
  out.put16(1);
  out.put16(1);
  out.put32(end - directory);
  out.put32(directory);
  out.put16(0);
  return out.take();
}

TEST_F(StoredElf, MembersOfZipArchivesAreNamedByTheirPath) {
  const auto plain = image("in_the_app").bytes();
  write(root_ + "/base.apk", zip_of("lib/x86_64/libgame.so", plain));
  auto files = SymbolFiles::find(root_ + "/base.apk!/lib/x86_64/libgame.so", {}, {});
  EXPECT_EQ(name_at(files.load(), 0x1000), "in_the_app");
  ASSERT_FALSE(files.tried().empty());
  const auto absent = open_stored_elf(root_ + "/base.apk!/lib/other.so");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::NotFound);
  Packed cut = zip_of("a", plain);
  cut.resize(cut.size() - 30);
  write(root_ + "/cut.apk", cut);
  EXPECT_FALSE(ZipFile::open(root_ + "/cut.apk"));
}

TEST_F(StoredElf, MiniDebugInfoNamesWhatAStrippedFileDoesNotExport) {
  ElfImage inner = image("inner_name");
  inner.build_id.clear();
  ElfImage outer;
  outer.build_id = std::string(20, '\x5a');
  outer.dynsym = {{.name = "exported", .value = 0x11100, .size = 8}};
  const Packed packed = xz(inner.bytes());
  outer.extra = {{.name = ".gnu_debugdata", .contents = packed}};
  outer.write_to(root_ + "/prog");
  auto files = SymbolFiles::find(root_ + "/prog", {}, {});
  const SymbolTable table = files.load();
  EXPECT_EQ(name_at(table, 0x1000), "inner_name");
  EXPECT_EQ(name_at(table, 0x1100), "exported");
  EXPECT_EQ(files.tried().back().kind, SourceKind::MiniDebug);
}

TEST_F(StoredElf, AModuleIsFoundByModulesDepAndPlacedAsTheKernelDoes) {
  EXPECT_EQ(find_in_modules_dep("kernel/a.ko: \nkernel/net/my-mod.ko.xz: kernel/a.ko\n", "[my_mod]"),
            "kernel/net/my-mod.ko.xz");
  EXPECT_EQ(find_in_modules_dep("kernel/a.ko\n", "[a]"), "");  // no line of that file ends before its colon
  const std::string folder = root_ + "/lib/modules/6.1.0";
  std::filesystem::create_directories(folder + "/kernel");
  std::ofstream(folder + "/modules.dep") << "kernel/my-mod.ko.zst:\n";
  ElfImage module = image("my_function");
  module.type = ET_REL;
  module.symtab[0].value = 0x40;
  write(folder + "/kernel/my-mod.ko.zst", zstd(module.bytes()));
  DebugSearch search;
  search.symfs = root_;
  const BuildId id = BuildId::from_bytes(std::as_bytes(std::span(module.build_id)));
  const ModuleFile found = find_module("[my_mod]", "[my_mod]", "6.1.0", id, search);
  ASSERT_TRUE(found.file);
  const auto table = load_elf_symbols(*found.file, *found.file, ElfAddresses::Module);
  ASSERT_TRUE(table);
  EXPECT_EQ(name_at(*table, 0x40), "my_function");
  const ModuleFile other = find_module("[my_mod]", "[my_mod]", "6.1.0", *BuildId::parse("00ff"), search);
  EXPECT_FALSE(other.file);
  EXPECT_EQ(other.tried.back().miss, MissReason::BuildIdMismatch);
}

}  // namespace
}  // namespace peregrine
