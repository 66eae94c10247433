// The files of a kernel that is no longer running: its modules' symbols, its list and its code.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "support/elf_image.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class KernelFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(top_); }
  void TearDown() override { fs::remove_all(top_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(top_ + "/" + name).parent_path());
    std::ofstream(top_ + "/" + name) << text;
  }
  // Nothing from this machine's own kernel.
  SymbolPlaces places() const {
    SymbolPlaces places;
    places.live_kallsyms = places.live_notes = places.live_modules = places.live_core = "/nonexistent";
    places.kernel_release = "6.1.0-gone";
    places.search.cache_folder = top_ + "/cache";
    return places;
  }
  static std::string name_at(const DsoTable& dsos, DsoId dso, u64 address) {
    const auto symbol = dsos.symbols(dso).find(address + dsos.bias(dso));
    return symbol ? std::string(symbol->name) : "";
  }

  std::string top_ = ::testing::TempDir() + "kernel_files." + std::to_string(::getpid());
  BuildId id_ = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
};

TEST_F(KernelFiles, AModuleOfAnotherBootIsReadFromItsFileAndPlacedWhereItLay) {
  constexpr u64 kStart = 0xffffffffc0100000;
  write("lib/modules/6.1.0-gone/modules.dep", "kernel/my-mod.ko:\n");
  fs::create_directories(top_ + "/lib/modules/6.1.0-gone/kernel");
  ElfImage module;
  module.type = ET_REL;
  module.symtab = {{.name = "my_function", .value = 0x40, .size = 16}};
  module.write_to(top_ + "/lib/modules/6.1.0-gone/kernel/my-mod.ko");
  SymbolPlaces where = places();
  where.search.symfs = top_;
  DsoTable dsos(where);
  Dso dso;
  dso.kind = DsoKind::Module;
  dso.name = dso.short_name = "[my_mod]";
  dso.start = kStart;
  const DsoId known = dsos.add(dso);
  EXPECT_EQ(name_at(dsos, known, kStart + 0x44), "my_function");
  EXPECT_EQ(name_at(dsos, known, kStart + 0x100), "");
  EXPECT_TRUE(dsos.open_code(known));
  dso.start = 0;  // no record says where it was loaded
  EXPECT_EQ(name_at(dsos, dsos.add(dso), kStart + 0x44), "");
}

TEST_F(KernelFiles, AListNamesAModuleOnlyWhereItLay) {
  constexpr u64 kStart = 0xffffffffc0100000;
  write("kallsyms", "ffffffff81000000 T _text\nffffffff81001000 T schedule\nffffffffc0300040 t run\t[my_mod]\n");
  SymbolPlaces where = places();
  where.kallsyms = top_ + "/kallsyms";
  DsoTable dsos(where);
  Dso dso;
  dso.kind = DsoKind::Module;
  dso.name = dso.short_name = "[my_mod]";
  dso.start = kStart;
  dso.size = 0x1000;
  EXPECT_EQ(name_at(dsos, dsos.add(dso), 0xffffffffc0300044), "");
  dso.start = 0xffffffffc0300000;
  EXPECT_EQ(name_at(dsos, dsos.add(dso), 0xffffffffc0300044), "run");
}

TEST_F(KernelFiles, AKeptCopyOfTheKernelNamesItsAddressesAndGivesItsCode) {
  const std::string copy = "cache/[kernel.kcore]/" + id_.hex() + "/2026010100000000/";
  write(copy + "kallsyms", "ffffffff81000000 T _text\nffffffff81001000 T schedule\nffffffff81002000 T _etext\n");
  ElfImage core;
  core.write_to(top_ + "/" + copy + "kcore");
  DsoTable dsos(places());
  const DsoId kernel = dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]");
  dsos.set_build_id(kernel, id_);
  dsos.set_kernel(kernel);
  EXPECT_EQ(name_at(dsos, kernel, 0xffffffff81001004), "schedule");
  const auto code = dsos.open_code(kernel);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(code->name().ends_with("/kcore"));
}

// The files of record --kcore were opened and checked before; whatever has their path by now is ignored.
TEST_F(KernelFiles, ReadsTheRecordedCopyByItsDescriptors) {
  write("kcore_dir/kallsyms", "ffffffff81000000 T _text\nffffffff81001000 T schedule\nffffffff81002000 T _etext\n");
  ElfImage core;
  core.write_to(top_ + "/kcore_dir/kcore");
  const auto kallsyms = open_file(top_ + "/kcore_dir/kallsyms", O_RDONLY);
  const auto kcore = open_file(top_ + "/kcore_dir/kcore", O_RDONLY);
  ASSERT_TRUE(kallsyms && kcore);
  fs::remove_all(top_ + "/kcore_dir");
  SymbolPlaces where = places();
  where.recorded_kernel = {kallsyms->get(), kcore->get(), top_ + "/kcore_dir/"};
  for (int reader = 0; reader < 2; ++reader) {
    DsoTable dsos(where);
    const DsoId kernel = dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]");
    dsos.set_kernel(kernel);
    EXPECT_EQ(name_at(dsos, kernel, 0xffffffff81001004), "schedule");
    const auto code = dsos.open_code(kernel);
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ(code->name(), top_ + "/kcore_dir/kcore");
  }
}

TEST_F(KernelFiles, AsksServerLast) {
  ElfImage image;
  image.build_id = std::string("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33", 20);
  image.write_to(top_ + "/fetched");
  std::vector<ServerFile> asked;
  SymbolPlaces where = places();
  where.search.fetch = [&](const BuildId&, ServerFile wish) -> Result<std::string> {
    asked.push_back(wish);
    return top_ + "/fetched";
  };
  DsoTable dsos(where);
  const DsoId kernel = dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]");
  dsos.set_build_id(kernel, id_);
  EXPECT_TRUE(dsos.open_debug(kernel));
  EXPECT_TRUE(dsos.open_code(kernel));
  EXPECT_EQ(asked, (std::vector{ServerFile::DebugInfo, ServerFile::Executable}));
  dsos.set_build_id(kernel, *BuildId::parse("00ff"));
  EXPECT_FALSE(dsos.open_debug(kernel)) << "of another build";
}

TEST_F(KernelFiles, ReportsMissingFiles) {
  DsoTable dsos(places());
  const DsoId kernel = dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]");
  dsos.set_build_id(kernel, id_);
  dsos.set_kernel(kernel);
  EXPECT_EQ(name_at(dsos, kernel, 0xffffffff81001004), "");
  EXPECT_FALSE(dsos.tried(kernel).empty());
  const auto code = dsos.open_code(kernel);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, ErrorKind::NotFound);
}

TEST_F(KernelFiles, AListThatTheMachineFailsToReadIsReportedOnce) {
  SymbolPlaces where = places();
  where.live_kallsyms = "/proc/self/mem";  // reading its first page is an I/O error
  DsoTable dsos(where);
  dsos.set_kernel(dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]"));
  const DsoId module = dsos.find_or_add(DsoKind::Module, "[xfs]");
  EXPECT_TRUE(dsos.symbols(dsos.kernel()).empty());
  EXPECT_TRUE(dsos.symbols(module).empty());
  EXPECT_EQ(dsos.tried(dsos.kernel()).back().miss, MissReason::Unreadable);
  EXPECT_EQ(dsos.unreadable_files(), (std::vector<ReadFailure>{{"/proc/self/mem", EIO}}));
}

TEST_F(KernelFiles, AnAbsentListIsNotReported) {
  DsoTable dsos(places());
  dsos.set_kernel(dsos.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]"));
  EXPECT_TRUE(dsos.symbols(dsos.kernel()).empty());
  EXPECT_EQ(dsos.tried(dsos.kernel()).back().miss, MissReason::Absent);
  EXPECT_TRUE(dsos.unreadable_files().empty());
}

}  // namespace
}  // namespace peregrine
