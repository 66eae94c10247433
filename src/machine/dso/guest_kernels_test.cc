// Guest kernels: which dso an address in a guest belongs to, according to copies of the guest's own lists.
#include "machine/dso/guest_kernels.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "support/elf_image.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

constexpr std::string_view kGuestKallsyms =
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 T do_work\n"
    "ffffffff82000000 T _etext\n"
    "ffffffffc0001000 t read_block\t[virtio_blk]\n"
    "ffffffffc0201000 t unlisted\t[odd]\n";
constexpr std::string_view kGuestModules =
    "virtio_blk 16384 2 - Live 0xffffffffc0000000\n"
    "hidden 4096 0 - Live 0x0000000000000000\n";

class GuestKernelTest : public ::testing::Test {
 protected:
  // "DSO SYMBOL" for that address in a process's guest, "" if unknown.
  std::string at(u64 address, u32 pid = 5) const {
    const DsoId dso = kernels_->find(pid, address);
    if (!dso) return "";
    return fmt::format("{} {}", dsos_->at(dso).name, dsos_->symbol_name(dso, dsos_->symbols(dso).find_index(address)));
  }
  void open(const GuestPlaces& guests) {
    SymbolPlaces places;
    places.guests = guests;
    dsos_ = std::make_unique<DsoTable>(places);
    kernels_ = std::make_unique<GuestKernels>(guests, *dsos_);
  }
  void add_map(u32 pid, std::string_view name, u64 start, u64 length) {
    abi::MmapRecord record;
    record.pid = pid;
    record.filename = name;
    record.start = start;
    record.length = length;
    kernels_->add_map(record, *dsos_);
  }

  TemporaryFolder folder_;
  std::unique_ptr<DsoTable> dsos_;
  std::unique_ptr<GuestKernels> kernels_;
};

TEST_F(GuestKernelTest, WithoutCopiesHasNoDso) {
  open({});
  EXPECT_EQ(at(0xffffffff81000100), "");
}

TEST_F(GuestKernelTest, OfOneListServesEveryGuest) {
  open({.kallsyms = folder_.write("kallsyms", kGuestKallsyms), .modules = folder_.write("modules", kGuestModules)});
  EXPECT_EQ(at(0xffffffff81000100), "[guest.kernel.kallsyms] do_work");
  EXPECT_EQ(at(0xffffffff81000100, 77), "[guest.kernel.kallsyms] do_work");
  EXPECT_EQ(at(0xffffffffc0001010), "[virtio_blk] read_block");
  EXPECT_EQ(at(0xffffffffc0003fff).substr(0, 12), "[virtio_blk]") << "the list of modules says how large it is";
  EXPECT_EQ(at(0xffffffffc0201010), "[odd] unlisted") << "a module by its symbols alone";
  EXPECT_EQ(at(0xffffffff80ffffff), "");
  EXPECT_EQ(at(0xffffffff82000000), "") << "_etext ends it";
  EXPECT_EQ(at(0x10), "") << "a module without an address is nowhere";
}

TEST_F(GuestKernelTest, WithoutAListOfModulesKnowsThemByTheirSymbols) {
  open({.kallsyms = folder_.write("kallsyms", kGuestKallsyms), .modules = folder_.path("absent")});
  EXPECT_EQ(at(0xffffffffc0001010), "[virtio_blk] read_block");
  EXPECT_EQ(at(0xffffffffc0000000), "") << "before its first symbol";
}

TEST_F(GuestKernelTest, WithoutAnEndReachesToTheTop) {
  open({.kallsyms = folder_.write("kallsyms", "ffffffff81000000 T _stext\n")});
  EXPECT_EQ(at(0xffffffff81000000), "[guest.kernel.kallsyms] _stext");
  EXPECT_NE(at(~u64{0} - 1), "");
}

TEST_F(GuestKernelTest, HiddenAddressesAreNoList) {
  open({.kallsyms = folder_.write("kallsyms", "0000000000000000 T _text\n0000000000000000 T do_work\n")});
  EXPECT_EQ(at(0), "");
  EXPECT_EQ(dsos_->size(), 0u);
}

TEST_F(GuestKernelTest, OfAMountBelongsToTheProcessThatRunsIt) {
  for (const char* name : {"5", "6", "0", "notes"}) {
    std::filesystem::create_directories(folder_.path(std::string(name) + "/proc"));
    folder_.write(std::string(name) + "/proc/kallsyms",
                  fmt::format("ffffffff81000000 T _text\nffffffff81000100 T work_of_{}\n", name));
  }
  folder_.write("6/proc/modules", kGuestModules);
  open({.mount = folder_.path()});
  EXPECT_EQ(at(0xffffffff81000100, 5), "[guest.kernel.kallsyms.5] work_of_5");
  EXPECT_EQ(at(0xffffffff81000100, 6), "[guest.kernel.kallsyms.6] work_of_6");
  EXPECT_EQ(at(0xffffffffc0001000, 6), "[virtio_blk] ") << "no list has its symbols";
  EXPECT_EQ(at(0xffffffff81000100, 7), "") << "neither the folder 0 nor one without a number counts";
}

TEST_F(GuestKernelTest, OfAnImageHasTheAddressesOfItsLinker) {
  ElfImage image;
  image.type = ET_EXEC;
  image.text_address = 0xffffffff81000000;
  image.symtab = {{.name = "_text", .value = image.text_address},
                  {.name = "do_work", .value = image.text_address + 0x100, .size = 0x10},
                  {.name = "_etext", .value = image.text_address + 0x800}};
  image.write_to(folder_.path("vmlinux"));
  open({.vmlinux = folder_.path("vmlinux")});
  EXPECT_EQ(at(0xffffffff81000100), "[guest.kernel.kallsyms] do_work");
  EXPECT_EQ(at(0xffffffff81000800), "");
  folder_.write("text", "not an ELF file");
  open({.vmlinux = folder_.path("text")});
  EXPECT_EQ(dsos_->size(), 0u);
}

TEST_F(GuestKernelTest, OfARecordedMapHasNoSymbols) {
  open({});
  add_map(5, "[guest.kernel.kallsyms.5]", 0xffffffff81000000, 0x1000);
  add_map(6, "/usr/bin/qemu", 0xffffffff81000000, 0x1000);
  EXPECT_EQ(at(0xffffffff81000fff, 5), "[guest.kernel.kallsyms.5] ");
  EXPECT_EQ(at(0xffffffff81001000, 5), "");
  EXPECT_EQ(at(0xffffffff81000000, 6), "");
  add_map(0, "[guest.kernel.kallsyms]", 0xffffffffff000000, ~u64{0});
  EXPECT_EQ(at(0xfffffffffffffffe, 9), "[guest.kernel.kallsyms] ") << "a length that wraps reaches to the top";
}

TEST_F(GuestKernelTest, CopiesComeBeforeRecordedMaps) {
  open({.kallsyms = folder_.write("kallsyms", kGuestKallsyms)});
  const std::size_t before = dsos_->size();
  add_map(0, "[guest.kernel.kallsyms]", 0, ~u64{0});
  EXPECT_EQ(dsos_->size(), before);
  EXPECT_EQ(at(0xffffffff81000100), "[guest.kernel.kallsyms] do_work");
}

}  // namespace
}  // namespace peregrine
