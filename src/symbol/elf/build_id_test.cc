#include "symbol/elf/build_id.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"
#include "symbol/kernel/module_file.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

// A note with this name, type and value.
void put_note(ByteBuffer& out, std::string_view name, u32 type, std::string_view value, std::size_t unit = 4) {
  out.put32(name.size()).put32(value.size()).put32(type).text(name).align(unit).text(value).align(unit);
}
constexpr std::string_view kGnu("GNU\0", 4);

TEST(BuildIdNotes, AreFoundBehindOtherNotes) {
  ByteBuffer notes;
  put_note(notes, std::string_view("Linux\0", 6), 0x100, "abc");
  put_note(notes, kGnu, NT_GNU_ABI_TAG, "0123456789abcdef");
  put_note(notes, kGnu, NT_GNU_BUILD_ID, "\x12\x34\xab");
  EXPECT_EQ(find_build_id_note(notes.bytes(), ByteOrder::Little).hex(), "1234ab");
}

TEST(BuildIdNotes, AreReadInTheByteOrderOfTheirFile) {
  ByteBuffer notes(Endian::Big);
  put_note(notes, kGnu, NT_GNU_BUILD_ID, "\x12\x34");
  EXPECT_EQ(find_build_id_note(notes.bytes(), ByteOrder::Big).hex(), "1234");
  EXPECT_FALSE(find_build_id_note(notes.bytes(), ByteOrder::Little));
}

TEST(BuildIdNotes, OfAnotherNameOrTypeAreNone) {
  ByteBuffer notes;
  put_note(notes, std::string_view("GNX\0", 4), NT_GNU_BUILD_ID, "\x12\x34");
  put_note(notes, kGnu, NT_GNU_BUILD_ID + 1, "\x12\x34");
  EXPECT_FALSE(find_build_id_note(notes.bytes(), ByteOrder::Little));
}

TEST(BuildIdNotes, MayBePaddedToEightBytes) {
  ByteBuffer notes;
  put_note(notes, kGnu, NT_GNU_ABI_TAG, "abc", 8);
  put_note(notes, kGnu, NT_GNU_BUILD_ID, "\x12\x34", 8);
  EXPECT_EQ(find_build_id_note(notes.bytes(), ByteOrder::Little, 8).hex(), "1234");
  EXPECT_FALSE(find_build_id_note(notes.bytes(), ByteOrder::Little, 4));
}

TEST(BuildIdNotes, EndWhereTheirBytesEnd) {
  ByteBuffer notes;
  notes.put32(4).put32(0xffffffff).put32(NT_GNU_BUILD_ID).text(kGnu).text("\x12\x34");
  EXPECT_FALSE(find_build_id_note(notes.bytes(), ByteOrder::Little));
  EXPECT_FALSE(find_build_id_note({}, ByteOrder::Little));
}

TEST(BuildIdOfAFile, IsThatOfItsNote) {
  const TemporaryFolder folder;
  ElfImage image;
  image.build_id = "\x12\x34\x56";
  image.write_to(folder.path("with"));
  image.build_id.clear();
  image.write_to(folder.path("without"));
  EXPECT_EQ(read_build_id(folder.path("with"))->hex(), "123456");
  EXPECT_EQ(read_build_id(folder.path("without")).error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(read_build_id(folder.path("missing")));
}

constexpr std::string_view kDependencies =
    "kernel/fs/xfs/xfs.ko.xz: kernel/lib/crc.ko.xz\n"
    "kernel/sound/snd-hda.ko:\n"
    "updates/dkms/xfs-tools.ko: kernel/fs/xfs/xfs.ko.xz\n";

TEST(ModulesDep, NamesTheFileOfAModule) {
  EXPECT_EQ(find_in_modules_dep(kDependencies, "[xfs]"), "kernel/fs/xfs/xfs.ko.xz");
  EXPECT_EQ(find_in_modules_dep(kDependencies, "[xfs_tools]"), "updates/dkms/xfs-tools.ko");
  EXPECT_EQ(find_in_modules_dep(kDependencies, "[snd_hda]"), "kernel/sound/snd-hda.ko") << "names have no dashes";
}

TEST(ModulesDep, ThatDependOnAModuleAreNotIt) {
  EXPECT_EQ(find_in_modules_dep(kDependencies, "[crc]"), "");
  EXPECT_EQ(find_in_modules_dep("", "[xfs]"), "");
  EXPECT_EQ(find_in_modules_dep("garbage\n:\n", "[xfs]"), "");
}

}  // namespace
}  // namespace peregrine
