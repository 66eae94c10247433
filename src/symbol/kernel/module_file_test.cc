// Where a kernel module's file is searched for, and which one is used.
#include "symbol/kernel/module_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>

#include "base/bytes.h"
#include "support/elf_image.h"
#include "support/packed_bytes.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class ModuleFiles : public ::testing::Test {
 protected:
  static constexpr std::string_view kRelease = "6.1.0-amd64";

  static ElfImage module_image(const std::string& id = "\x12\x34\x56\x78") {
    ElfImage image;
    image.type = ET_REL;
    image.build_id = id;
    image.symtab = {{.name = "f", .value = 0x10, .size = 8}};
    return image;
  }
  void write(const std::string& name, const ElfImage& image) const { write_bytes(name, image.bytes()); }
  void write_bytes(const std::string& name, Bytes bytes) const {
    const std::string path = folder_.path(name);
    std::filesystem::create_directories(path.substr(0, path.rfind('/')));
    folder_.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void write_dependencies(std::string_view text) const {
    std::filesystem::create_directories(folder_.path(tree()));
    folder_.write(tree() + "/modules.dep", text);
  }
  static std::string tree() { return "lib/modules/" + std::string(kRelease); }

  DebugSearch search() const {
    DebugSearch search;
    search.symfs = folder_.path();
    search.cache_folder = folder_.path("cache");
    return search;
  }
  // The path of the chosen file, relative to the folder; otherwise why each candidate was rejected.
  std::string taken(const DebugSearch& search, const std::string& path = "[xfs]", const BuildId& id = kId,
                    std::optional<DsoPart> part = {}, std::string_view release = kRelease) const {
    const ModuleFile found = find_module("[xfs]", path, std::string(release), id, search, part);
    if (found.file) {
      EXPECT_EQ(found.tried.back().gave, SymbolSet::All);
      return below(found.file->name());
    }
    std::string misses;
    for (const SymbolSource& source : found.tried)
      misses += fmt::format("{}: {}\n", below(source.path), describe(source.miss));
    return misses;
  }
  std::string below(const std::string& path) const {
    EXPECT_TRUE(path.starts_with(folder_.path())) << path;
    return path.substr(folder_.path().size() + 1);
  }
  static std::string miss(const std::string& place, MissReason reason) {
    return fmt::format("{}: {}\n", place, describe(reason));
  }

  static inline const BuildId kId = *BuildId::parse("12345678");
  TemporaryFolder folder_;
};

TEST_F(ModuleFiles, AreTakenFromTheRecordedPath) {
  write("opt/drivers/xfs.ko", module_image());
  EXPECT_EQ(taken(search(), "/opt/drivers/xfs.ko"), "opt/drivers/xfs.ko");
}

TEST_F(ModuleFiles, AreTakenFromTheCacheFirst) {
  write("opt/xfs.ko", module_image());
  write("cache/.build-id/12/345678/elf", module_image());
  EXPECT_EQ(taken(search(), "/opt/xfs.ko"), "cache/.build-id/12/345678/elf");
  EXPECT_EQ(taken(search(), "/opt/xfs.ko", BuildId()), "opt/xfs.ko") << "without an id there is no place in the cache";
}

TEST_F(ModuleFiles, AreFoundByTheDependenciesOfTheRelease) {
  write(tree() + "/kernel/fs/xfs/xfs.ko", module_image());
  write_dependencies("kernel/lib/crc.ko:\nkernel/fs/xfs/xfs.ko: kernel/lib/crc.ko\n");
  EXPECT_EQ(taken(search()), tree() + "/kernel/fs/xfs/xfs.ko");
  EXPECT_EQ(taken(search(), "/nowhere/xfs.ko"), tree() + "/kernel/fs/xfs/xfs.ko") << "the recorded one is gone";
}

TEST_F(ModuleFiles, MayBeAbsoluteInTheDependenciesAndCompressed) {
  write_bytes("usr/lib/extra/xfs.ko.xz", support::xz(module_image().bytes()));
  write_dependencies("/usr/lib/extra/xfs.ko.xz:\n");
  EXPECT_EQ(taken(search()), "usr/lib/extra/xfs.ko.xz");
}

TEST_F(ModuleFiles, MustBeOfTheRecordedBuild) {
  write("opt/xfs.ko", module_image("\x99\x99"));
  write_dependencies("");
  EXPECT_EQ(taken(search(), "/opt/xfs.ko"), miss("cache/.build-id/12/345678/elf", MissReason::Absent) +
                                                miss("usr/lib/debug/.build-id/12/345678.debug", MissReason::Absent) +
                                                miss("opt/xfs.ko", MissReason::BuildIdMismatch) +
                                                miss(tree() + "/modules.dep", MissReason::NotElf));
  DebugSearch any = search();
  any.ignore_build_id = true;
  EXPECT_EQ(taken(any, "/opt/xfs.ko"), "opt/xfs.ko");
}

TEST_F(ModuleFiles, MustHaveSymbols) {
  ElfImage stripped = module_image();
  stripped.symtab.clear();
  write("opt/xfs.ko", stripped);
  EXPECT_EQ(taken(search(), "/opt/xfs.ko", BuildId(), {}, ""), miss("opt/xfs.ko", MissReason::NoSymbols));
}

TEST_F(ModuleFiles, AreNotLookedForInReleasesThatLeaveTheirFolder) {
  write("etc/kernel/xfs.ko", module_image());
  folder_.write("etc/modules.dep", "kernel/xfs.ko:\n");
  std::filesystem::create_directories(folder_.path("lib/modules"));
  EXPECT_EQ(taken(search(), "[xfs]", BuildId(), {}, "../../etc"), "");
  EXPECT_EQ(taken(search(), "[xfs]", BuildId(), {}, ""), "");
}

TEST_F(ModuleFiles, HaveTheirDebugInformationInAFolderOfTheSameTree) {
  ElfImage debug = module_image();
  debug.extra = {{".debug_info", std::vector<std::byte>(16)}};
  write_bytes(tree() + "/kernel/xfs.ko.zst", support::zstd(module_image().bytes()));
  write_dependencies("kernel/xfs.ko.zst:\n");
  const std::string place = "usr/lib/debug/" + tree() + "/kernel/xfs.ko";
  write(place + ".debug", debug);
  EXPECT_EQ(taken(search(), "[xfs]", kId, DsoPart::DebugInfo), place + ".debug");
  write(place, debug);
  EXPECT_EQ(taken(search(), "[xfs]", kId, DsoPart::DebugInfo), place) << "debug files are not compressed";
  EXPECT_EQ(taken(search(), "[xfs]", kId), tree() + "/kernel/xfs.ko.zst") << "the symbols are in the module";
}

TEST_F(ModuleFiles, LeadToTheirDebugInformationByTheirOwnBuildId) {
  ElfImage debug = module_image();
  debug.extra = {{".debug_info", std::vector<std::byte>(16)}};
  write("opt/xfs.ko", module_image());
  write("usr/lib/debug/.build-id/12/345678.debug", debug);
  EXPECT_EQ(taken(search(), "/opt/xfs.ko", BuildId(), DsoPart::DebugInfo, ""),
            "usr/lib/debug/.build-id/12/345678.debug")
      << "an old recording has no id";
}

TEST_F(ModuleFiles, ArePlacedAsTheKernelDoes) {
  write("opt/xfs.ko", module_image());
  const ModuleFile found = find_module("[xfs]", "/opt/xfs.ko", "", kId, search());
  ASSERT_TRUE(found.file);
  EXPECT_EQ(found.file->find_section(".text")->address, 0u);
}

}  // namespace
}  // namespace peregrine
