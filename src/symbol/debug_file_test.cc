#include "symbol/debug_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/elf_image.h"

namespace peregrine {
namespace {

const std::string kId(20, '\x5a');

class DebugFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin/.debug", "debug/.build-id/5a", "debug/bin", "cache/.build-id/5a"})
      std::filesystem::create_directories(root_ + "/" + folder);
    search_.root = root_;
    search_.debug_folder = "/debug";
    search_.cache_folder = root_ + "/cache";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  static ElfImage stripped() {
    ElfImage image;
    image.build_id = kId;
    image.dynsym = {{.name = "exported", .value = 0x11000, .size = 8}};
    return image;
  }
  static ElfImage full(std::string name) {
    ElfImage image;
    image.build_id = kId;
    image.symtab = {{.name = std::move(name), .value = 0x11000, .size = 8}};
    return image;
  }
  DsoSymbols load() const { return load_dso_symbols("/bin/prog", id_, search_); }
  static std::string name_of(const DsoSymbols& symbols) {
    const auto symbol = symbols.table.find(0x1000);
    return symbol ? std::string(symbol->name) : "";
  }
  static MissReason miss_of(const DsoSymbols& symbols, SourceKind kind) {
    const auto found = std::ranges::find(symbols.tried, kind, &SymbolSource::kind);
    return found == symbols.tried.end() ? MissReason::NotNeeded : found->miss;
  }

  std::string root_ = testing::TempDir() + "/debug_files." + std::to_string(::getpid());
  BuildId id_ = BuildId::from_bytes(std::as_bytes(std::span(kId)));
  DebugSearch search_;
};

TEST_F(DebugFiles, TheDsoItselfNamesWhatItCan) {
  stripped().write_to(root_ + "/bin/prog");
  const DsoSymbols symbols = load();
  EXPECT_EQ(name_of(symbols), "exported");
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::None);
  EXPECT_EQ(miss_of(symbols, SourceKind::BuildIdDebug), MissReason::Absent);
}

TEST_F(DebugFiles, ABuildIdDebugFileComesFirst) {
  stripped().write_to(root_ + "/bin/prog");
  full("inner_name").write_to(root_ + "/debug/.build-id/5a/" + id_.hex().substr(2) + ".debug");
  EXPECT_EQ(name_of(load()), "inner_name");
}

TEST_F(DebugFiles, CodeAndDebugInformationMayLieInTwoFiles) {
  const std::string debug = root_ + "/debug/.build-id/5a/" + id_.hex().substr(2) + ".debug";
  stripped().write_to(root_ + "/bin/prog");
  auto found = find_dso_file("/bin/prog", id_, search_, DsoPart::DebugInfo);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(found.error().message, "/bin/prog: " + root_ + "/bin/prog: no debug information in it");
  ElfImage symbols = full("inner_name");
  symbols.text_name = ".debug_info";
  symbols.text_flags = 0;
  symbols.write_to(debug);
  found = find_dso_file("/bin/prog", id_, search_, DsoPart::DebugInfo);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name(), debug);
  found = find_dso_file("/bin/prog", id_, search_, DsoPart::Code);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name(), root_ + "/bin/prog");
}

TEST_F(DebugFiles, AnotherBuildIsNeverTaken) {
  ElfImage other = full("wrong");
  other.build_id = std::string(20, '\x11');
  other.write_to(root_ + "/bin/prog");
  ElfImage none = full("wrong");
  none.build_id.clear();
  none.write_to(root_ + "/debug/bin/prog.debug");
  const DsoSymbols symbols = load();
  EXPECT_FALSE(symbols.found());
  EXPECT_FALSE(find_dso_file("/bin/prog", id_, search_, DsoPart::Code));
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::BuildIdMismatch);
  EXPECT_EQ(miss_of(symbols, SourceKind::FedoraDebug), MissReason::BuildIdMismatch);
}

TEST_F(DebugFiles, DebugLinksAreFollowedBesideTheDso) {
  ElfImage dso = stripped();
  dso.debug_link = "prog.dbg";
  dso.write_to(root_ + "/bin/prog");
  full("linked").write_to(root_ + "/bin/.debug/prog.dbg");
  const DsoSymbols symbols = load();
  EXPECT_EQ(name_of(symbols), "linked");
  ASSERT_GE(symbols.tried.size(), 2u);
  EXPECT_EQ(symbols.tried[0].miss, MissReason::Absent);
  EXPECT_EQ(symbols.tried[1].miss, MissReason::None);
}

TEST_F(DebugFiles, WithoutBuildIdsTheLinksChecksumDecides) {
  ElfImage debug = full("linked");
  debug.build_id.clear();
  debug.write_to(root_ + "/bin/prog.dbg");
  const u32 crc = *ElfFile::open(root_ + "/bin/prog.dbg")->crc();
  ElfImage dso = stripped();
  dso.build_id.clear();
  dso.debug_link = "prog.dbg";
  dso.debug_link_crc = crc + 1;
  dso.write_to(root_ + "/bin/prog");
  id_ = {};
  DsoSymbols symbols = load();
  EXPECT_EQ(name_of(symbols), "exported");
  EXPECT_EQ(miss_of(symbols, SourceKind::DebugLink), MissReason::CrcMismatch);
  dso.debug_link_crc = crc;
  dso.write_to(root_ + "/bin/prog");
  symbols = load();
  EXPECT_EQ(name_of(symbols), "linked");
}

TEST_F(DebugFiles, ALinkCannotLeaveItsFolder) {
  ElfImage dso = stripped();
  dso.debug_link = "../debug/bin/prog";
  dso.write_to(root_ + "/bin/prog");
  for (const SymbolCandidate& candidate : symbol_candidates("/bin/prog", id_, search_))
    EXPECT_NE(candidate.kind, SourceKind::DebugLink);
}

TEST_F(DebugFiles, TheCacheServesAProgramThatIsGone) {
  const std::string entry = build_id_cache_path(search_.cache_folder, id_, "");
  std::filesystem::create_directories(entry);
  full("cached").write_to(entry + "/elf");
  EXPECT_EQ(name_of(load()), "cached");
  std::filesystem::remove_all(entry);
  full("old_layout").write_to(entry);
  EXPECT_EQ(name_of(load()), "old_layout");
}

TEST_F(DebugFiles, OldRecordingsUseTheFilesOwnId) {
  stripped().write_to(root_ + "/bin/prog");
  full("inner_name").write_to(root_ + "/debug/.build-id/5a/" + id_.hex().substr(2) + ".debug");
  id_ = {};
  EXPECT_EQ(name_of(load()), "inner_name");
}

TEST_F(DebugFiles, DevicesAreNotOpened) {
  const DsoSymbols symbols = load_dso_symbols("/dev/zero", {}, {});
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::NotRegular);
}

TEST_F(DebugFiles, VmlinuxIsTakenByBuildIdOnly) {
  std::filesystem::create_directories(root_ + "/boot");
  full("start_kernel").write_to(root_ + "/boot/vmlinux-6.1");
  DebugSearch search;
  search.symfs = root_;
  EXPECT_TRUE(find_vmlinux("6.1", id_, search).file);
  const KernelImage other = find_vmlinux("6.1", *BuildId::parse("00ff"), search);
  EXPECT_FALSE(other.file);
  EXPECT_TRUE(std::ranges::any_of(
      other.tried, [](const SymbolSource& source) { return source.miss == MissReason::BuildIdMismatch; }));
}

}  // namespace
}  // namespace peregrine
