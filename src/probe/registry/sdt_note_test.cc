#include "probe/registry/sdt_note.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>

#include "base/bytes.h"
#include "probe/registry/probe_cache.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

struct NoteText {
  u64 location = 0, base = 0, semaphore = 0;
  std::string_view provider, name, arguments;
  std::string_view owner = "stapsdt";
  u32 type = 3;
};

// An ELF file with these notes; its .text is at address 0x11000 and offset 0x1000.
class MarkedProgram {
 public:
  explicit MarkedProgram(const std::vector<NoteText>& notes, bool is_64 = true, std::string_view tail = "") {
    ElfImage image;
    image.is_64 = is_64;
    image.machine = is_64 ? EM_X86_64 : EM_386;
    ByteWriter section(ByteOrder::Little);
    for (const NoteText& note : notes) {
      ByteWriter body(ByteOrder::Little);
      for (const u64 word : {note.location, note.base, note.semaphore})
        is_64 ? body.put64(word) : body.put32(static_cast<u32>(word));
      for (const std::string_view text : {note.provider, note.name, note.arguments}) body.append(text).put8(0);
      section.put32(static_cast<u32>(note.owner.size() + 1)).put32(static_cast<u32>(body.size())).put32(note.type);
      section.append(note.owner).put8(0).align(4).append(body.bytes()).align(4);
    }
    section.append(tail);
    image.extra = {{".note.stapsdt", section.take(), 0},
                   {".stapsdt.base", std::vector<std::byte>(1), 0}};  // its address is 0
    image.write_to(folder_.path("program"));
  }
  ElfFile file() const { return ElfFile::open(folder_.path("program")).value(); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST(SdtNotes, AreReadInTheOrderOfTheFile) {
  const MarkedProgram program(
      {{.location = 0x11020, .semaphore = 0x11040, .provider = "libc", .name = "setjmp", .arguments = "8@%rdi -4@%esi"},
       {.location = 0x11030, .provider = "app", .name = "end", .arguments = ""}});
  const auto notes = read_sdt_notes(program.file());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].provider, "libc");
  EXPECT_EQ(notes[0].name, "setjmp");
  EXPECT_EQ(notes[0].arguments, "8@%rdi -4@%esi");
  EXPECT_EQ(notes[0].location, 0x11020u);
  EXPECT_EQ(notes[0].semaphore, 0x11040u);
  EXPECT_EQ(notes[1].name, "end");
  EXPECT_EQ(notes[1].semaphore, 0u);
}

TEST(SdtNotes, HaveShorterAddressesIn32BitPrograms) {
  const MarkedProgram program({{.location = 0x11020, .semaphore = 0x11040, .provider = "p", .name = "n"}}, false);
  const auto notes = read_sdt_notes(program.file());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].location, 0x11020u);
  EXPECT_EQ(notes[0].semaphore, 0x11040u);
}

// The base gives the address of .stapsdt.base when the note was written; here it has moved to 0.
TEST(SdtNotes, MoveWithTheirBase) {
  const MarkedProgram program(
      {{.location = 0x21020, .base = 0x10000, .semaphore = 0x21040, .provider = "p", .name = "moved"},
       {.location = 0x21020, .base = 0x10000, .semaphore = 0, .provider = "p", .name = "plain"}});
  const auto notes = read_sdt_notes(program.file());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].location, 0x11020u);
  EXPECT_EQ(notes[0].semaphore, 0x11040u);
  EXPECT_EQ(notes[1].semaphore, 0u) << "there is none to move";
}

TEST(SdtNotes, SkipsOtherNotesAndEndsWhereTheyAreCutOff) {
  const MarkedProgram program({{.location = 1, .provider = "p", .name = "foreign", .owner = "GNU"},
                               {.location = 1, .provider = "p", .name = "later", .type = 4},
                               {.location = 1, .provider = "", .name = "nobody's"},
                               {.location = 1, .provider = "p", .name = ""},
                               {.location = 0x11020, .provider = "p", .name = "good"}},
                              true, std::string_view("\x08\0\0\0\xff\0\0\0\x03\0\0\0stapsdt\0rest", 24));
  const auto notes = read_sdt_notes(program.file());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].name, "good");
}

TEST(SdtProbe, IsTheMarkersPlaceWithItsArguments) {
  const MarkedProgram program({});
  const SdtNote note{.provider = "my-lib",
                     .name = "step:one",
                     .arguments = "-4@%edi 8@-16(%rbp,%rcx,8) 8@$7",
                     .location = 0x11020,
                     .semaphore = 0x11040};
  const auto probe = sdt_probe(note, program.file(), "/bin/x");
  ASSERT_TRUE(probe);
  // The kernel cannot read memory through an index register; the other arguments keep their numbers.
  EXPECT_EQ(probe->format(), "p:sdt_my_lib/step_one /bin/x:0x1020(0x1040) arg1=%di:s32 arg3=\\7:u64");
  EXPECT_FALSE(
      sdt_probe({.provider = "p", .name = "n", .arguments = "", .location = 0x900000}, program.file(), "/bin/x"))
      << "outside of the program";
}

TEST(SdtArgument, HasNoTypeWithoutASize) {
  EXPECT_EQ(sdt_argument("%rax", 2, EM_X86_64), (TraceArgument{"arg2", "%ax", ""}));
  EXPECT_EQ(sdt_argument("2@%ax", 1, EM_X86_64), (TraceArgument{"arg1", "%ax", "u16"}));
  EXPECT_EQ(sdt_argument("-1@%sil", 1, EM_X86_64), (TraceArgument{"arg1", "%si", "s8"}));
  EXPECT_FALSE(sdt_argument("3@%rax", 1, EM_X86_64));
  EXPECT_FALSE(sdt_argument("x@%rax", 1, EM_X86_64));
  // Floating-point numbers, which the kernel can only read where their bits are in memory or an integer register.
  EXPECT_EQ(sdt_argument("8f@%rdx", 2, EM_X86_64), (TraceArgument{"arg2_double", "%dx", "u64"}));
  EXPECT_EQ(sdt_argument("4f@-20(%rbp)", 1, EM_X86_64), (TraceArgument{"arg1_float", "-20(%bp)", "u32"}));
  EXPECT_FALSE(sdt_argument("8f@%xmm0", 1, EM_X86_64));
  EXPECT_FALSE(sdt_argument("2f@%rax", 1, EM_X86_64));
  EXPECT_FALSE(sdt_argument("8@", 1, EM_X86_64));
}

TEST(SdtArgument, ReadsConstantsRegistersAndMemoryOfEachArchitecture) {
  const auto value = [](std::string_view operand, u16 machine) {
    const auto argument = sdt_argument(operand, 1, machine);
    return argument ? argument->value : "none";
  };
  EXPECT_EQ(value("4@$0x10", EM_X86_64), "\\16");
  EXPECT_EQ(value("-4@$-3", EM_X86_64), "\\-3");
  EXPECT_EQ(value("8@0x20(%r12)", EM_X86_64), "+32(%r12)");
  EXPECT_EQ(value("4@%r10d", EM_X86_64), "%r10");
  EXPECT_EQ(value("8@%st(0)", EM_X86_64), "none");
  EXPECT_EQ(value("8@x30", EM_AARCH64), "%lr");
  EXPECT_EQ(value("8@sp", EM_AARCH64), "%sp");
  EXPECT_EQ(value("8@[x29, #-8]", EM_AARCH64), "-8(%x29)");
  EXPECT_EQ(value("8@[x0]", EM_AARCH64), "+0(%x0)");
  EXPECT_EQ(value("8@d0", EM_AARCH64), "none");
  EXPECT_EQ(value("8@5", EM_AARCH64), "\\5");
}

TEST(ProbeCacheFile, KeepsTheUsersProbesWhenMarkersAreStored) {
  const MarkedProgram program({{.location = 0x11020, .provider = "p", .name = "twice", .arguments = "4@%eax"},
                               {.location = 0x11030, .provider = "p", .name = "twice", .arguments = "4@%ebx"},
                               {.location = 0x11040, .provider = "p", .name = "once", .arguments = ""}});
  const std::string old =
      "%sdt_p:gone=gone\np:sdt_p/gone /bin/x:0x1\n#probe_x:work=work n\np:probe_x/work /bin/x:0x2\n";
  const std::string probes = program.folder().write("probes", old);
  ASSERT_TRUE(cache_markers(probes, program.file(), "/bin/x"));
  EXPECT_EQ(program.folder().text("probes"),
            "%sdt_p:twice=twice\np:sdt_p/twice /bin/x:0x1020 arg1=%ax:u32\np:sdt_p/twice /bin/x:0x1030 arg1=%bx:u32\n"
            "%sdt_p:once=once\np:sdt_p/once /bin/x:0x1040\n"
            "#probe_x:work=work n\np:probe_x/work /bin/x:0x2\n");
}

TEST(ProbeCacheFile, IsNotWrittenForAProgramWithoutMarkers) {
  const MarkedProgram program({});
  ASSERT_TRUE(cache_markers(program.folder().path("probes"), program.file(), "/bin/x"));
  EXPECT_FALSE(program.folder().has("probes"));
}

TEST(ProbeCacheFile, IsFoundByTheLinksOfBuildIds) {
  const TemporaryFolder cache;
  const auto add = [&](const std::string& place, const std::string& first, const std::string& rest,
                       std::string_view text) {
    const std::string folder = place + '/' + first + rest;
    std::filesystem::create_directories(cache.path(folder));
    std::filesystem::create_directories(cache.path(".build-id/" + first));
    std::filesystem::create_symlink("../../" + folder, cache.path(".build-id/" + first + '/' + rest));
    if (!text.empty()) cache.write(folder + "/probes", text);
  };
  add("[kernel.kallsyms]", "11", "22", "#probe:vfs_read=vfs_read\np:probe/vfs_read vfs_read+0\n");
  add("usr/bin/prog", "ab", "cdef", "%sdt_p:one=one\np:sdt_p/one /usr/bin/prog:0x10\n");
  add("usr/bin/bare", "cc", "dd", "");
  const auto programs = read_probe_cache(cache.path());
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].path, "/usr/bin/prog");
  EXPECT_EQ(programs[0].build_id, "abcdef");
  ASSERT_EQ(programs[0].entries.size(), 1u);
  EXPECT_EQ(programs[0].entries[0].probes[0].offset, 0x10u);
  EXPECT_EQ(programs[1].path, "[kernel.kallsyms]");
  EXPECT_EQ(programs[1].entries[0].definition, "vfs_read");
  EXPECT_TRUE(read_probe_cache(cache.path("none")).empty());
}

}  // namespace
}  // namespace peregrine
