#include "pipeline/recording/output/kernel_copy.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "base/fd.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kText = 0xffffffff81000000, kModules = 0xffffffffa0000000;

std::string bytes_of(const auto& value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }

class KernelCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "proc");
    write("proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81001800 T _etext\n");
    write("proc/modules", "one 4096 0 - Live 0xffffffffa0001000\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  // A core with memory at `kText` (filled with 'k') and at kModules ('m').
  void write_core() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phnum = 3;
    header.e_phentsize = sizeof(Elf64_Phdr);
    std::string core = bytes_of(header);
    for (const auto& [type, address, offset] :
         {std::tuple{PT_NOTE, u64{0}, 0x1000}, {PT_LOAD, kText - 0x1000, 0x1000}, {PT_LOAD, kModules, 0x6000}}) {
      Elf64_Phdr program{};
      program.p_type = static_cast<Elf64_Word>(type);
      program.p_vaddr = address;
      program.p_offset = static_cast<Elf64_Off>(offset);
      program.p_filesz = program.p_memsz = 0x5000;
      core += bytes_of(program);
    }
    core.resize(0x1000);
    write("proc/kcore", core + std::string(0x1000, 'x') + std::string(0x4000, 'k') + std::string(0x5000, 'm'));
  }
  std::string copied(const std::string& name) const {
    std::ifstream in(folder_ / "copy" / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Result<std::vector<Fd>> copy() const {
    return copy_kernel(Root(folder_.string()), open_file(folder_, O_RDONLY | O_DIRECTORY)->get(), "copy");
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "/kernel_copy";
};

TEST_F(KernelCopyTest, KeepsTheCodeOfKernelAndModules) {
  write_core();
  const auto done = copy();
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->size(), 4u) << "three files and their folder, to be synced";
  for (const Fd& file : *done) EXPECT_EQ(::fsync(file.get()), 0);
  const std::string core = copied("kcore");
  ASSERT_EQ(core.size(), 0x1000u + 0x2000 + 0x1000);
  const auto* program = reinterpret_cast<const Elf64_Phdr*>(core.data() + sizeof(Elf64_Ehdr));
  EXPECT_EQ(program[0].p_vaddr, kText);
  EXPECT_EQ(program[0].p_filesz, 0x2000u);
  EXPECT_EQ(program[0].p_offset, 0x1000u);
  EXPECT_EQ(program[1].p_vaddr, kModules + 0x1000);
  EXPECT_EQ(core.substr(0x1000), std::string(0x2000, 'k') + std::string(0x1000, 'm'));
  EXPECT_TRUE(copied("kallsyms").ends_with("_etext\n"));
  EXPECT_TRUE(copied("modules").starts_with("one 4096"));
}

TEST_F(KernelCopyTest, SaysWhatIsNotThere) {
  EXPECT_FALSE(copy());  // no kcore
  std::filesystem::remove_all(folder_ / "copy");
  write("proc/kcore", "not an ELF file, but longer than its header would be: " + std::string(64, '.'));
  EXPECT_EQ(copy().error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace peregrine
