#include "symbol/lookup/debug_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "support/elf_image.h"
#include "symbol/lookup/symbol_files.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

const std::string kId(20, '\x5a');

struct Found {
  SymbolTable table;
  std::vector<SymbolSource> tried;
};
Found found_at(const std::string& path, const BuildId& id, const DebugSearch& search) {
  SymbolFiles files = SymbolFiles::find(path, id, search);
  return {files.load(), files.tried()};
}

class DebugFiles : public ::testing::Test {
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
  Found load() const { return found_at("/bin/prog", id_, search_); }
  static std::string name_of(const Found& symbols) {
    const auto symbol = symbols.table.find(0x1000);
    return symbol ? std::string(symbol->name) : "";
  }
  static MissReason miss_of(const Found& symbols, SourceKind kind) {
    const auto found = std::ranges::find(symbols.tried, kind, &SymbolSource::kind);
    return found == symbols.tried.end() ? MissReason::NotNeeded : found->miss;
  }

  std::string root_ = ::testing::TempDir() + "/debug_files." + std::to_string(::getpid());
  BuildId id_ = BuildId::from_bytes(std::as_bytes(std::span(kId)));
  DebugSearch search_;
};

TEST_F(DebugFiles, FallsBackToSymbolsOfTheDso) {
  stripped().write_to(root_ + "/bin/prog");
  const Found symbols = load();
  EXPECT_EQ(name_of(symbols), "exported");
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::None);
  EXPECT_EQ(miss_of(symbols, SourceKind::BuildIdDebug), MissReason::Absent);
}

TEST_F(DebugFiles, AFileThatTheMachineFailsToReadIsNotAbsent) {
  stripped().write_to(root_ + "/bin/prog");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Found symbols = load();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(name_of(symbols), "");
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::Unreadable);
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
  EXPECT_EQ(found.error().message, "/bin/prog: " + root_ + "/bin/prog: contains no debug information");
  // Without a root, the path in the message is the file's path.
  DebugSearch here = search_;
  here.root.clear();
  EXPECT_EQ(find_dso_file(root_ + "/bin/prog", id_, here, DsoPart::DebugInfo).error().message,
            root_ + "/bin/prog: contains no debug information");
  stripped().write_to(root_ + "/bin/.debug/prog");
  EXPECT_EQ(find_dso_file("/bin/prog", id_, search_, DsoPart::DebugInfo).error().message,
            "/bin/prog: " + root_ + "/bin/prog, " + root_ + "/bin/.debug/prog: contains no debug information");
  std::filesystem::remove(root_ + "/bin/.debug/prog");
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
  const Found symbols = load();
  EXPECT_TRUE(symbols.table.empty());
  EXPECT_FALSE(find_dso_file("/bin/prog", id_, search_, DsoPart::Code));
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::BuildIdMismatch);
  EXPECT_EQ(miss_of(symbols, SourceKind::FedoraDebug), MissReason::BuildIdMismatch);
}

TEST_F(DebugFiles, DebugLinksAreFollowedBesideTheDso) {
  ElfImage dso = stripped();
  dso.debug_link = "prog.dbg";
  dso.write_to(root_ + "/bin/prog");
  full("linked").write_to(root_ + "/bin/.debug/prog.dbg");
  const Found symbols = load();
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
  Found symbols = load();
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

TEST_F(DebugFiles, AFlatFolderHasAllFilesItself) {
  search_.root.clear();
  search_.symfs = root_ + "/all";
  search_.flat = true;
  std::filesystem::create_directories(search_.symfs);
  full("of_that_name").write_to(search_.symfs + "/prog");
  EXPECT_EQ(name_of(load()), "of_that_name");
  EXPECT_EQ(search_.below("/usr/lib/libx.so"), "/libx.so");
  EXPECT_EQ(search_.below("[vdso]"), "[vdso]");
  search_.flat = false;
  EXPECT_EQ(search_.below("/usr/lib/libx.so"), "/usr/lib/libx.so");
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
  const Found symbols = found_at("/dev/zero", {}, {});
  EXPECT_EQ(miss_of(symbols, SourceKind::Dso), MissReason::NotRegular);
}

TEST_F(DebugFiles, ABundleComesBeforeTheCache) {
  for (const char* folder : {"cache", "bundle"}) {
    const std::string entry = build_id_cache_path(root_ + "/" + folder, id_, "");
    std::filesystem::create_directories(entry);
    full(folder).write_to(entry + "/elf");
  }
  search_.bundle_folder = root_ + "/bundle";
  EXPECT_EQ(name_of(load()), "bundle");
}

TEST_F(DebugFiles, ALivingProcessIsAskedWhenTheFileIsAnotherOne) {
  ElfImage other = full("wrong");
  other.build_id = std::string(20, '\x11');
  other.write_to(root_ + "/bin/prog");
  full("living").write_to(root_ + "/bin/of_process");
  int asked = 0;
  search_.live = [&] {
    ++asked;
    return std::vector{root_ + "/bin/gone", root_ + "/bin/of_process"};
  };
  const Found symbols = load();
  EXPECT_EQ(name_of(symbols), "living");
  EXPECT_EQ(symbols.tried.back().kind, SourceKind::LiveProcess);
  EXPECT_EQ(asked, 1);
}

TEST_F(DebugFiles, ServersAreAskedLastAndOnlyForWhatIsMissing) {
  std::vector<ServerFile> asked;
  search_.fetch = [&](const BuildId& id, ServerFile wish) -> Result<std::string> {
    EXPECT_EQ(id, id_);
    asked.push_back(wish);
    if (wish == ServerFile::DebugInfo) return fail(ErrorKind::NotFound, "404");
    return root_ + "/fetched";
  };
  full("fetched").write_to(root_ + "/fetched");
  const Found symbols = load();
  EXPECT_EQ(name_of(symbols), "fetched");
  EXPECT_EQ(asked, (std::vector{ServerFile::DebugInfo, ServerFile::Executable}));
  EXPECT_EQ(miss_of(symbols, SourceKind::DebugServer), MissReason::NotOnServer);
  asked.clear();
  full("here").write_to(root_ + "/bin/prog");
  EXPECT_EQ(name_of(load()), "here");
  EXPECT_TRUE(asked.empty());
}

TEST_F(DebugFiles, RejectsServerFileOfAnotherBuild) {
  ElfImage other = full("wrong");
  other.build_id = std::string(20, '\x11');
  other.write_to(root_ + "/fetched");
  search_.fetch = [&](const BuildId&, ServerFile) -> Result<std::string> { return root_ + "/fetched"; };
  EXPECT_TRUE(load().table.empty());
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
