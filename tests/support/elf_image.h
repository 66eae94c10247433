// ElfImage: builds small ELF files of either class and byte order in memory, for the tests of symbol and machine.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

struct ImageSymbol {
  std::string name;
  u64 value = 0;
  u64 size = 0;
  u8 binding = STB_GLOBAL;
  u8 type = STT_FUNC;
  u16 section = 1;  // .text
  u8 visibility = STV_DEFAULT;
};

// A section defined by the test.
struct ImageSection {
  std::string name;
  std::vector<std::byte> contents;
  u64 flags = 0;
  u32 type = SHT_PROGBITS;
  std::string link = {}, info = {};  // names of the sections they refer to
};

// One PT_LOAD that covers .text, which is at file offset 0x1000 and at `text_address`.
class ElfImage {
 public:
  bool is_64 = true;
  ByteOrder order = ByteOrder::Little;
  u16 machine = EM_X86_64;
  u16 type = ET_DYN;
  u64 text_address = 0x11000;
  std::string text_name = ".text";
  u64 text_flags = SHF_ALLOC | SHF_EXECINSTR;
  std::vector<ImageSymbol> symtab;
  std::vector<ImageSymbol> dynsym;
  std::vector<u32> plt;  // dynsym indices (from 1) of .rela.plt entries; .plt is at the end of .text
  std::string build_id;  // raw bytes
  std::string debug_link;
  u32 debug_link_crc = 0;
  std::vector<ImageSection> extra;

  static constexpr u64 kTextOffset = 0x1000;
  static constexpr u64 kTextSize = 0x1000;
  static constexpr u64 kPltOffset = kTextOffset + 0x800;

  std::vector<std::byte> bytes() const {
    std::vector<Section> sections = {{}, text_section()};
    if (!plt.empty()) add_plt(sections);
    if (!symtab.empty()) add_symbols(sections, symtab, ".symtab", SHT_SYMTAB);
    if (!dynsym.empty()) add_symbols(sections, dynsym, ".dynsym", SHT_DYNSYM);
    for (Section& section : sections) {
      if (section.type == SHT_RELA) section.link = index_of(sections, ".dynsym");
    }
    if (!build_id.empty()) add_note(sections);
    if (!debug_link.empty()) add_link(sections);
    for (const ImageSection& section : extra)
      sections.push_back(
          {.name = section.name, .type = section.type, .flags = section.flags, .contents = section.contents});
    for (const ImageSection& section : extra) {
      Section& made = sections[index_of(sections, section.name)];
      if (!section.link.empty()) made.link = index_of(sections, section.link);
      if (!section.info.empty()) made.info = index_of(sections, section.info);
    }
    return assemble(std::move(sections));
  }

  void write_to(const std::string& path) const {
    const auto image = bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  }

 private:
  struct Section {
    std::string name;
    u32 type = SHT_NULL;
    u64 flags = 0;
    u64 address = 0;
    u64 offset = 0;  // given for .text and .plt, chosen automatically for the others
    u64 size = 0;
    u32 link = 0;
    u32 info = 0;
    u64 entry_size = 0;
    std::vector<std::byte> contents;
  };

  Section text_section() const {
    return {.name = text_name,
            .type = SHT_PROGBITS,
            .flags = text_flags,
            .address = text_address,
            .offset = kTextOffset,
            .size = kTextSize};
  }
  static u32 index_of(const std::vector<Section>& sections, std::string_view name) {
    for (u32 i = 0; i < sections.size(); ++i)
      if (sections[i].name == name) return i;
    return 0;
  }
  void put_word(ByteWriter& writer, u64 value) const {
    is_64 ? writer.put64(value) : writer.put32(static_cast<u32>(value));
  }
  void add_symbols(std::vector<Section>& sections, const std::vector<ImageSymbol>& symbols, std::string name,
                   u32 section_type) const {
    ByteWriter table(order);
    ByteWriter text(order);
    table.zeros(is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    text.put8(0);
    for (const ImageSymbol& symbol : symbols) {
      table.put32(static_cast<u32>(text.size()));
      text.append(symbol.name).put8(0);
      const u8 info = static_cast<u8>(symbol.binding << 4 | symbol.type);
      if (is_64) {
        table.put8(info).put8(symbol.visibility).put16(symbol.section).put64(symbol.value).put64(symbol.size);
      } else {
        table.put32(static_cast<u32>(symbol.value)).put32(static_cast<u32>(symbol.size));
        table.put8(info).put8(symbol.visibility).put16(symbol.section);
      }
    }
    const u32 link = static_cast<u32>(sections.size()) + 1;
    sections.push_back({.name = std::move(name), .type = section_type, .link = link, .contents = table.take()});
    sections.push_back({.name = ".strtab", .type = SHT_STRTAB, .contents = text.take()});
  }
  void add_plt(std::vector<Section>& sections) const {
    sections.push_back({.name = ".plt",
                        .type = SHT_PROGBITS,
                        .address = text_address + 0x800,
                        .offset = kPltOffset,
                        .size = 16 * (plt.size() + 1),
                        .entry_size = 16});
    ByteWriter table(order);
    for (const u32 symbol : plt) {
      put_word(table, 0);
      put_word(table, is_64 ? u64{symbol} << 32 | 7 : symbol << 8 | 7);
      put_word(table, 0);
    }
    sections.push_back({.name = ".rela.plt", .type = SHT_RELA, .contents = table.take()});
  }
  void add_note(std::vector<Section>& sections) const {
    ByteWriter note(order);
    note.put32(4).put32(static_cast<u32>(build_id.size())).put32(NT_GNU_BUILD_ID).append(std::string_view("GNU\0", 4));
    note.append(build_id).align(4);
    sections.push_back({.name = ".note.gnu.build-id", .type = SHT_NOTE, .contents = note.take()});
  }
  void add_link(std::vector<Section>& sections) const {
    ByteWriter link(order);
    link.append(debug_link).put8(0).align(4).put32(debug_link_crc);
    sections.push_back({.name = ".gnu_debuglink", .type = SHT_PROGBITS, .contents = link.take()});
  }

  std::vector<std::byte> assemble(std::vector<Section> sections) const {
    ByteWriter names(order);
    names.put8(0);
    sections.push_back({.name = ".shstrtab", .type = SHT_STRTAB});
    std::vector<u32> name_offsets;
    for (const Section& section : sections) {
      name_offsets.push_back(section.name.empty() ? 0 : static_cast<u32>(names.size()));
      if (!section.name.empty()) names.append(section.name).put8(0);
    }
    sections.back().contents = names.take();

    ByteWriter file(order);
    const std::size_t header_size = is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    const std::size_t segment_size = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    file.zeros(header_size + segment_size).zeros(kTextOffset + kTextSize - file.size());
    for (Section& section : sections) {
      if (section.contents.empty()) continue;
      section.offset = file.align(8).size();
      section.size = section.contents.size();
      file.append(Bytes(section.contents));
    }
    const u64 table_at = file.align(8).size();
    for (std::size_t i = 0; i < sections.size(); ++i) put_section(file, sections[i], name_offsets[i]);
    ByteWriter head(order);
    put_header(head, table_at, static_cast<u16>(sections.size()));
    put_segment(head);
    auto result = file.take();
    std::memcpy(result.data(), head.bytes().data(), head.size());
    return result;
  }
  void put_section(ByteWriter& file, const Section& section, u32 name) const {
    file.put32(name).put32(section.type);
    for (const u64 word : {section.flags, section.address, section.offset, section.size}) put_word(file, word);
    file.put32(section.link).put32(section.info);
    put_word(file, 4);
    put_word(file, section.entry_size);
  }
  void put_header(ByteWriter& head, u64 sections_at, u16 section_count) const {
    const u16 header_size = is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    head.append(std::string_view(ELFMAG, SELFMAG)).put8(is_64 ? ELFCLASS64 : ELFCLASS32);
    head.put8(order == ByteOrder::Little ? ELFDATA2LSB : ELFDATA2MSB).put8(EV_CURRENT).zeros(9);
    head.put16(type).put16(machine).put32(EV_CURRENT);
    for (const u64 word : {u64{0}, u64{header_size}, sections_at}) put_word(head, word);
    head.put32(0).put16(header_size).put16(is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)).put16(1);
    head.put16(is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)).put16(section_count);
    head.put16(static_cast<u16>(section_count - 1));
  }
  void put_segment(ByteWriter& head) const {
    head.put32(PT_LOAD);
    if (is_64) head.put32(PF_R | PF_X);
    for (const u64 word : {kTextOffset, text_address, text_address, kTextSize, kTextSize}) put_word(head, word);
    if (!is_64) head.put32(PF_R | PF_X);
    put_word(head, 0x1000);
  }
};

}  // namespace peregrine
