// Debug information in other files: where .dwo files, .dwp packages and dwz supplements are searched for, and which are
// accepted.
#include "symbol/dwarf/supplement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfValue;
using support::DwarfWriter;
using At = DwarfAttribute;

constexpr u64 kSplitText = 0x11000;
const std::string kSharedId = "\x12\x34\x56\x78";

ElfFile in_memory(const ElfImage& image, std::string name = "prog") {
  return *ElfFile::from_bytes(image.bytes(), std::move(name));
}

// .gnu_debugaltlink with this path and build-id.
ElfImage with_alternative_link(ElfImage image, std::string_view path, std::string_view id = kSharedId) {
  image.extra.push_back({".gnu_debugaltlink", ByteBuffer().ended_text(path, 1).text(id).bytes()});
  return image;
}

// .debug_sup of DWARF 5; the supplement's own section has no path.
ElfImage with_debug_sup(ElfImage image, std::string_view path, std::string_view id = kSharedId) {
  ByteBuffer section;
  section.put16(5).put(path.empty() ? 1 : 0, 1).ended_text(path, 1).put(id.size(), 1).text(id);
  image.extra.push_back({".debug_sup", section.bytes()});
  return image;
}

ElfImage shared_image(std::string_view id = kSharedId) {
  ElfImage image;
  image.build_id = id;
  return image;
}

class SupplementFile : public ::testing::Test {
 protected:
  // The path of the supplement that was found, relative to the folder; otherwise the error.
  std::string found(const ElfImage& program, SourceSearch search = {}) const {
    search.debug_folder = folder_.path("debug");
    const auto file = open_supplement(in_memory(program), search);
    if (!file) return file.error().message;
    EXPECT_TRUE(file->name().starts_with(folder_.path())) << file->name();
    return file->name().substr(folder_.path().size());
  }
  void write(const std::string& name, const ElfImage& image) const {
    const std::string path = folder_.path(name);
    std::filesystem::create_directories(path.substr(0, path.rfind('/')));
    image.write_to(path);
  }

  TemporaryFolder folder_;
};

TEST_F(SupplementFile, IsFoundByItsAbsolutePathOrBelowSymfs) {
  write("shared.debug", shared_image());
  const ElfImage program = with_alternative_link(ElfImage(), folder_.path("shared.debug"));
  EXPECT_EQ(found(program), "/shared.debug");
  write("sysroot" + folder_.path("shared.debug"), shared_image());
  EXPECT_EQ(found(program, {.symfs = folder_.path("sysroot")}), "/sysroot" + folder_.path("shared.debug"));
}

TEST_F(SupplementFile, IsFoundBesideTheProgram) {
  write("bin/shared.debug", shared_image());
  const ElfImage program = with_alternative_link(ElfImage(), "shared.debug");
  EXPECT_EQ(found(program, {.dso_path = folder_.path("bin/prog")}), "/bin/shared.debug");
}

TEST_F(SupplementFile, OfADistributionIsInTheDebugFolder) {
  write("debug/.dwz/x86_64/package", shared_image());
  EXPECT_EQ(found(with_alternative_link(ElfImage(), "/nowhere/debug/.dwz/x86_64/package")),
            "/debug/.dwz/x86_64/package");
}

TEST_F(SupplementFile, IsFoundByItsBuildId) {
  write("debug/.build-id/12/345678.debug", shared_image());
  EXPECT_EQ(found(with_alternative_link(ElfImage(), "/nowhere/shared")), "/debug/.build-id/12/345678.debug");
}

TEST_F(SupplementFile, MustHaveTheBuildIdThatIsNamed) {
  write("shared.debug", shared_image("\x99\x99"));
  write("debug/.build-id/12/345678.debug", shared_image());
  const ElfImage program = with_alternative_link(ElfImage(), folder_.path("shared.debug"));
  EXPECT_EQ(found(program), "/debug/.build-id/12/345678.debug") << "the first place holds another build";
  EXPECT_EQ(found(with_alternative_link(ElfImage(), folder_.path("shared.debug"), "")), "/shared.debug")
      << "without an id, any is taken";
}

TEST_F(SupplementFile, OfDwarf5NamesItsIdItself) {
  write("shared.debug", with_debug_sup(ElfImage(), ""));
  const std::string path = folder_.path("shared.debug");
  EXPECT_EQ(found(with_debug_sup(ElfImage(), path)), "/shared.debug");
  EXPECT_EQ(found(with_debug_sup(ElfImage(), path, "\x99\x99")),
            fmt::format("prog: shared debug file {} not found", path));
}

TEST_F(SupplementFile, IsOnlyLookedForWhenTheProgramNamesOne) {
  const std::string none = "prog: does not refer to a supplementary file";
  EXPECT_EQ(found(ElfImage()), none);
  EXPECT_EQ(found(with_alternative_link(ElfImage(), "")), none);
  EXPECT_EQ(found(with_debug_sup(ElfImage(), "")), none) << "it is a supplement itself";
  ElfImage cut;
  cut.extra = {{".gnu_debugaltlink", ByteBuffer().text("no NUL").bytes()}};
  EXPECT_EQ(found(cut), none);
  EXPECT_EQ(open_supplement(in_memory(ElfImage()), {}).error().kind, ErrorKind::NotFound);
}

TEST_F(SupplementFile, NamesSharedEntriesAndText) {
  DwarfWriter shared;
  shared.begin_unit();
  shared.entry(DwarfTag::PartialUnit, {}, true);
  const u64 type = shared.entry(DwarfTag::BaseType, {{At::Name, DwarfForm::TextOffset, 4}});
  shared.end_children();
  shared.end_unit();
  using namespace std::string_view_literals;
  ElfImage supplement = shared.image({{".debug_str", ByteBuffer().text("var\0int\0"sv).bytes()}});
  supplement.build_id = kSharedId;
  write("shared.debug", supplement);
  DwarfWriter program;
  program.begin_unit();
  program.entry(DwarfTag::CompileUnit, {}, true);
  program.entry(DwarfTag::Variable,
                {{At::Name, DwarfForm::GnuTextAlternative, 0}, {At::Type, DwarfForm::GnuReferenceAlternative, type}});
  program.end_children();
  program.end_unit();
  const auto variable_of = [&](std::string_view link) {
    const auto information =
        DebugInformation::open(in_memory(with_alternative_link(program.image(), link)), {.debug_folder = "/nowhere"});
    const DebugEntry variable = (*information)->unit(0)->root().children()[0];
    const DebugEntry of = variable.type();
    return fmt::format("{} {}", of ? of.name() : "?", variable.name());
  };
  EXPECT_EQ(variable_of(folder_.path("shared.debug")), "int var");
  EXPECT_EQ(variable_of("/nowhere/shared.debug"), "? ");
}

// The skeleton of a split unit, with the addresses 0x11000 and 0x11100.
ElfImage skeleton_of(u16 version, u64 id, const std::string& compilation_folder) {
  DwarfWriter dwarf({.version = version});
  dwarf.begin_unit(DwarfUnitType::Skeleton, id);
  std::vector<DwarfValue> values = {{At::CompilationFolder, DwarfForm::Text, 0, compilation_folder}};
  if (version >= 5) {
    values.push_back({At::DwoName, DwarfForm::Text, 0, "a.dwo"});
    values.push_back({At::AddressBase, DwarfForm::SectionOffset, 8});
  } else {
    values.push_back({At::GnuDwoName, DwarfForm::Text, 0, "a.dwo"});
    values.push_back({At::GnuDwoId, DwarfForm::Data8, id});
    values.push_back({At::GnuAddressBase, DwarfForm::SectionOffset, 0});
    values.push_back({At::GnuRangesBase, DwarfForm::SectionOffset, 16});
  }
  dwarf.entry(DwarfTag::CompileUnit, values);
  dwarf.end_unit();
  ByteBuffer addresses, ranges;
  if (version >= 5) addresses.put32(20).put16(5).put(8, 1).put(0, 1);
  addresses.put64(kSplitText).put64(kSplitText + 0x100);
  ranges.zeros(16).put64(0x11100).put64(0x11108).zeros(16);
  return dwarf.image({{".debug_addr", addresses.bytes()}, {".debug_ranges", ranges.bytes()}});
}

// The split unit: NAME.c, named by index, with function NAME at address 1 of the skeleton.
DwarfWriter split_of(u16 version, u64 id, const std::string& name) {
  const bool standard = version >= 5;
  DwarfWriter dwarf({.version = version});
  dwarf.begin_unit(DwarfUnitType::SplitCompile, id);
  std::vector<DwarfValue> root = {{At::Name, standard ? DwarfForm::TextIndex : DwarfForm::GnuTextIndex, 0}};
  if (!standard) root.push_back({At::GnuDwoId, DwarfForm::Data8, id});
  dwarf.entry(DwarfTag::CompileUnit, root, true);
  dwarf.entry(DwarfTag::Subprogram, {{At::Name, DwarfForm::Text, 0, name},
                                     {At::LowPc, standard ? DwarfForm::AddressIndex : DwarfForm::GnuAddressIndex, 1},
                                     {At::HighPc, DwarfForm::Data4, 8}});
  if (!standard) {
    dwarf.entry(DwarfTag::Subprogram, {{At::Ranges, DwarfForm::SectionOffset, 0}});
    dwarf.entry(DwarfTag::Variable, {{At::Location, DwarfForm::SectionOffset, 0}});
  }
  dwarf.end_children();
  dwarf.end_unit();
  return dwarf;
}

// String offsets, after their DWARF 5 header.
ByteBuffer text_offsets(u16 version, u64 offset) {
  ByteBuffer out;
  if (version >= 5) out.put32(8).put16(5).put16(0);
  return out.put32(offset);
}

std::vector<ImageSection> split_sections(u16 version) {
  using namespace std::string_view_literals;
  ByteBuffer locations;  // GNU's: kind, index, length, size
  locations.put(3, 1).put(1, 1).put32(4).put16(2).text("at").zeros(1);
  return {{".debug_str.dwo", ByteBuffer().text("a.c\0b.c\0"sv).bytes()},
          {".debug_str_offsets.dwo", text_offsets(version, 0).bytes()},
          {".debug_loc.dwo", locations.bytes()}};
}

class SplitFile : public ::testing::TestWithParam<u16> {
 protected:
  static constexpr u64 kId = 0x1122334455667788;
  std::unique_ptr<DebugInformation> open(const SourceSearch& search = {}) const {
    return *DebugInformation::open(in_memory(skeleton_of(GetParam(), kId, folder_.path("build"))), search);
  }
  void write_split(const std::string& name, u64 id = kId) const {
    const std::string path = folder_.path(name);
    std::filesystem::create_directories(path.substr(0, path.rfind('/')));
    split_of(GetParam(), id, "f").image(split_sections(GetParam()), ".dwo").write_to(path);
  }

  TemporaryFolder folder_;
};

TEST_P(SplitFile, HasTheEntriesAndTheProgramTheAddresses) {
  write_split("build/a.dwo");
  const auto information = open();
  const EntryUnit* unit = information->unit(0);
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->root().name(), "a.c");
  const DebugEntry function = unit->root().children().front();
  EXPECT_EQ(function.name(), "f");
  ASSERT_EQ(function.ranges().size(), 1u);
  EXPECT_EQ(function.ranges()[0].begin, kSplitText + 0x100);
  EXPECT_EQ(information->missing_split_units(), 0u);
}

TEST_P(SplitFile, IsFoundByTheFolderOfItsCompilationBelowSymfsOrBesideTheProgram) {
  EXPECT_EQ(open()->unit(0), nullptr) << "nowhere";
  write_split("bin/a.dwo");
  EXPECT_NE(open({.dso_path = folder_.path("bin/prog")})->unit(0), nullptr);
  EXPECT_EQ(open()->unit(0), nullptr);
  write_split("sysroot" + folder_.path("build/a.dwo"));
  EXPECT_NE(open({.symfs = folder_.path("sysroot")})->unit(0), nullptr);
}

TEST_P(SplitFile, OfAnotherCompilationIsMissing) {
  write_split("build/a.dwo", kId + 1);
  const auto information = open();
  EXPECT_EQ(information->unit(0), nullptr);
  EXPECT_EQ(information->missing_split_units(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Versions, SplitFile, ::testing::Values(u16{4}, u16{5}));

TEST(SplitUnits, OfGnuHaveRangesInTheProgramAndLocationsInTheirFile) {
  const TemporaryFolder folder;
  split_of(4, 7, "f").image(split_sections(4), ".dwo").write_to(folder.path("a.dwo"));
  const auto information = *DebugInformation::open(in_memory(skeleton_of(4, 7, folder.path())));
  const std::vector<DebugEntry> entries = information->unit(0)->root().children();
  ASSERT_EQ(entries.size(), 3u);
  ASSERT_EQ(entries[1].ranges().size(), 1u) << "from the base that the skeleton names";
  EXPECT_EQ(entries[1].ranges()[0].begin, 0x11100u);
  ASSERT_TRUE(entries[2].expression(At::Location, 0x11103));
  EXPECT_EQ(entries[2].expression(At::Location, 0x11103)->size(), 2u);
  EXPECT_FALSE(entries[2].expression(At::Location, 0x11104));
}

// A package of two units with ids that hash to the same slot of a four-slot table.
constexpr u64 kFirstPackaged = 0x200000001, kSecondPackaged = 1;

std::vector<std::byte> package_index(u16 version, const std::vector<std::array<u32, 6>>& rows) {
  ByteBuffer index;
  version >= 5 ? index.put16(version).put16(0) : index.put32(2);
  index.put32(3).put32(rows.size()).put32(4);
  index.put64(0).put64(kFirstPackaged).put64(kSecondPackaged).put64(0);  // 1 is taken, so the second goes to 2
  index.put32(0).put32(1).put32(2).put32(0);
  for (const u32 section : {1, 3, 6}) index.put32(section);  // entries, abbreviations, offsets of text
  for (const auto& row : rows) index.put32(row[0]).put32(row[1]).put32(row[2]);
  for (const auto& row : rows) index.put32(row[3]).put32(row[4]).put32(row[5]);
  return index.bytes();
}

ElfImage package_of_two(u16 version) {
  const DwarfWriter first = split_of(version, kFirstPackaged, "first");
  const DwarfWriter second = split_of(version, kSecondPackaged, "second");
  const auto joined = [](std::vector<std::byte> a, const std::vector<std::byte>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto size = [](const std::vector<std::byte>& bytes) { return static_cast<u32>(bytes.size()); };
  const auto text = text_offsets(version, 0).bytes(), more_text = text_offsets(version, 4).bytes();
  const u32 info = size(first.entries()), table = size(first.abbreviations()), offsets = size(text);
  ElfImage image;
  image.extra = split_sections(version);
  image.extra[1].contents = joined(text, more_text);
  image.extra.push_back({".debug_info.dwo", joined(first.entries(), second.entries())});
  image.extra.push_back({".debug_abbrev.dwo", joined(first.abbreviations(), second.abbreviations())});
  image.extra.push_back({".debug_cu_index", package_index(version, {{0, 0, 0, info, table, offsets},
                                                                    {info, table, offsets, size(second.entries()),
                                                                     size(second.abbreviations()), offsets}})});
  return image;
}

TEST(SplitPackage, HoldsTheUnitsOfAProgramBesideIt) {
  for (const u16 version : {u16{4}, u16{5}}) {
    const TemporaryFolder folder;
    package_of_two(version).write_to(folder.path("prog.dwp"));
    const auto outline_of = [&](u64 id) {
      const auto information =
          *DebugInformation::open(in_memory(skeleton_of(version, id, "/nowhere")), {.dso_path = folder.path("prog")});
      const EntryUnit* unit = information->unit(0);
      return unit == nullptr ? "" : fmt::format("{} {}", unit->root().name(), unit->root().children()[0].name());
    };
    EXPECT_EQ(outline_of(kFirstPackaged), "a.c first");
    EXPECT_EQ(outline_of(kSecondPackaged), "b.c second");
    EXPECT_EQ(outline_of(5), "") << "in the same slot of the hash table, but absent";
  }
}

TEST(SplitPackage, WithADamagedIndexHoldsNothing) {
  const TemporaryFolder folder;
  const ElfImage good = package_of_two(5);
  const auto finds = [&](std::size_t at, u8 value) {
    ElfImage image = good;
    image.extra.back().contents.at(at) = std::byte{value};
    image.write_to(folder.path("prog.dwp"));
    const auto information = *DebugInformation::open(in_memory(skeleton_of(5, kSecondPackaged, "/nowhere")),
                                                     {.dso_path = folder.path("prog")});
    return information->unit(0) != nullptr;
  };
  EXPECT_TRUE(finds(0, 5));
  EXPECT_FALSE(finds(4, 99)) << "columns";
  EXPECT_FALSE(finds(8, 1)) << "units: the row is beyond them";
  EXPECT_FALSE(finds(12, 0)) << "no slots";
  EXPECT_FALSE(finds(12, 3)) << "the number of slots is a power of two";
  EXPECT_FALSE(finds(15, 0x40)) << "more slots than the section holds";
  EXPECT_FALSE(finds(64, 9)) << "no column of entries";
}

}  // namespace
}  // namespace peregrine
