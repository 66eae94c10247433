#include "symbol/jit/jit_image.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/digest/sha1.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/jit/jit_frame_tables.h"
#include "symbol/jit/jit_line_program.h"

namespace peregrine {
namespace {

constexpr std::size_t kElfHeader = sizeof(Elf64_Ehdr), kElfSegment = sizeof(Elf64_Phdr);
constexpr u64 kTextFlags = SHF_ALLOC | SHF_EXECINSTR;

// Appends the sections, then the section table, and writes the header last, once all offsets are known.
class ImageWriter {
 public:
  ImageWriter(ByteOrder order, std::size_t front) : out_(order), names_(1, '\0') {
    out_.zeros(front);
    headers_.push_back({});
  }

  struct Section {
    u32 name = 0, type = 0, link = 0, info = 0;
    u64 flags = 0, address = 0, offset = 0, size = 0, alignment = 0, entry_size = 0;
  };

  ByteWriter& out() { return out_; }
  // Adds a section for bytes that are already written.
  Section& describe(std::string_view name, u32 type, u64 flags, u64 offset, u64 size, u64 alignment) {
    Section& section = headers_.emplace_back();
    section.name = static_cast<u32>(names_.size());
    names_.append(name).push_back('\0');
    section.type = type;
    section.flags = flags;
    section.address = (flags & SHF_ALLOC) != 0 && type != SHT_NOTE ? offset : 0;
    section.offset = offset;
    section.size = size;
    section.alignment = alignment;
    return section;
  }
  Section& add(std::string_view name, u32 type, u64 flags, Bytes bytes, u64 alignment) {
    out_.align(alignment);
    const u64 offset = out_.size();
    out_.append(bytes);
    return describe(name, type, flags, offset, bytes.size(), alignment);
  }
  std::size_t sections() const { return headers_.size(); }

  // Completes the image with one executable segment.
  std::vector<std::byte> finish(u16 machine, u64 text_at, u64 text_size) {
    const std::size_t name_table = headers_.size();
    add(".shstrtab", SHT_STRTAB, 0, {}, 1);  // the table contains its own name
    headers_.back().size = names_.size();
    out_.append(names_).align(8);
    const u64 table_at = out_.size();
    for (const Section& s : headers_) {
      out_.put32(s.name).put32(s.type).put64(s.flags).put64(s.address).put64(s.offset).put64(s.size);
      out_.put32(s.link).put32(s.info).put64(s.alignment).put64(s.entry_size);
    }
    const u64 segment_at = segment_place(text_at);
    put_segment(segment_at, text_at, text_size);
    put_header(machine, text_at, segment_at, table_at, static_cast<u16>(name_table));
    return out_.take();
  }

 private:
  // After the header if there is room, otherwise at the end; never over code.
  u64 segment_place(u64 text_at) {
    if (text_at >= kElfHeader + kElfSegment) return kElfHeader;
    const u64 place = out_.size();
    out_.zeros(kElfSegment);
    return place;
  }
  void put_segment(u64 at, u64 text_at, u64 text_size) {
    out_.patch(at, u32{PT_LOAD});
    out_.patch(at + 4, u32{PF_R | PF_X});
    for (const u64 place : {at + 8, at + 16, at + 24}) out_.patch(place, text_at);
    out_.patch(at + 32, text_size);
    out_.patch(at + 40, text_size);
    out_.patch(at + 48, u64{8});
  }
  void put_header(u16 machine, u64 entry, u64 segment_at, u64 table_at, u16 name_table) {
    const u8 data = out_.order() == ByteOrder::Little ? ELFDATA2LSB : ELFDATA2MSB;
    for (std::size_t i = 0; i < SELFMAG; ++i) out_.patch(i, static_cast<u8>(ELFMAG[i]));
    out_.patch(EI_CLASS, u8{ELFCLASS64});
    out_.patch(EI_DATA, data);
    out_.patch(EI_VERSION, u8{EV_CURRENT});
    for (std::size_t i = EI_OSABI; i < EI_NIDENT; ++i) out_.patch(i, u8{0});
    out_.patch(16, u16{ET_DYN});
    out_.patch(18, machine);
    out_.patch(20, u32{EV_CURRENT});
    out_.patch(24, entry);
    out_.patch(32, segment_at);
    out_.patch(40, table_at);
    out_.patch(48, u32{0});
    out_.patch(52, static_cast<u16>(kElfHeader));
    out_.patch(54, static_cast<u16>(kElfSegment));
    out_.patch(56, u16{1});
    out_.patch(58, static_cast<u16>(sizeof(Elf64_Shdr)));
    out_.patch(60, static_cast<u16>(headers_.size()));
    out_.patch(62, name_table);
  }

  ByteWriter out_;
  std::vector<Section> headers_;
  std::string names_;
};

void add_lines(ImageWriter& image, const JitLineProgram& program) {
  if (program.empty()) return;
  image.add(".debug_line", SHT_PROGBITS, 0, program.lines(), 1);
  image.add(".debug_info", SHT_PROGBITS, 0, program.unit(), 1);
  image.add(".debug_abbrev", SHT_PROGBITS, 0, program.abbreviations(), 1);
}

void add_symbol(ImageWriter& image, const JitLoad& load, std::string_view name, ByteOrder order) {
  constexpr u8 kInfo = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  ByteWriter symbols(order);
  symbols.zeros(sizeof(Elf64_Sym));
  symbols.put32(1).put8(kInfo).put8(STV_DEFAULT).put16(1).put64(kJitTextAt).put64(load.size);
  ImageWriter::Section& table = image.add(".symtab", SHT_SYMTAB, 0, symbols.bytes(), 8);
  table.link = static_cast<u32>(image.sections());
  table.info = 2;
  table.entry_size = sizeof(Elf64_Sym);
  ByteWriter text(order);
  text.put8(0).append(name).put8(0);
  image.add(".strtab", SHT_STRTAB, 0, text.bytes(), 1);
}

// The build-id hashes everything that identifies the function: equal code under two names is two functions.
BuildId add_build_id(ImageWriter& image, ByteOrder order, std::string_view name, const JitLineProgram& program) {
  ByteWriter contents(order);
  contents.append(image.out().bytes()).append(name).append(program.lines());
  const auto id = sha1(contents.bytes());
  ByteWriter note(order);
  note.put32(4).put32(static_cast<u32>(id.size())).put32(NT_GNU_BUILD_ID).append("GNU").put8(0).append(id);
  image.add(".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, note.bytes(), 4);
  return BuildId::from_bytes(id);
}

}  // namespace

JitImage jit_function_image(const JitDump& dump, const JitLoad& load) {
  ImageWriter image(dump.order(), kJitTextAt);
  const std::vector<std::byte> code = dump.code(load);
  image.add(".text", SHT_PROGBITS, kTextFlags, code, 16);
  if (load.unwinding_size != 0) {
    const std::vector<std::byte> tables = dump.bytes(load.unwinding_at, load.unwinding_size);
    const auto frames = Bytes(tables).first(tables.size() - std::min<u64>(load.header_size, tables.size()));
    image.add(".eh_frame", SHT_PROGBITS, SHF_ALLOC, frames, 8);
    image.add(".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, Bytes(tables).subspan(frames.size()), 4);
  }
  JitLineProgram program(dump.order());
  program.add(dump.lines(load), load.address, load.size, kJitTextAt);
  program.finish(dump.name(load));
  const BuildId id = add_build_id(image, dump.order(), dump.name(load), program);
  add_symbol(image, load, dump.name(load), dump.order());
  add_lines(image, program);
  return {image.finish(dump.machine(), kJitTextAt, code.size()), id};
}

Result<std::vector<std::byte>> jit_dump_image(const JitDump& dump) {
  constexpr u64 kMost = u64{1} << 30;
  if (dump.size() > kMost) return fail(ErrorKind::Unsupported, "{}: larger than {} bytes", dump.name(), kMost);
  ImageWriter image(dump.order(), 0);
  // The ELF header replaces the dump's header and the first bytes of a record, where no code can be.
  image.out().append(dump.bytes(0, dump.size()));
  image.out().zeros(image.out().size() < kElfHeader ? kElfHeader - image.out().size() : 0);
  image.describe(".text", SHT_PROGBITS, kTextFlags, 0, dump.size(), 1);
  JitLineProgram program(dump.order());
  for (const JitLoad& load : dump.loads()) program.add(dump.lines(load), load.address, load.size, load.code_at);
  program.finish(dump.name());
  add_lines(image, program);
  image.out().align(8);
  if (const auto frames = jit_frame_tables(dump, image.out().size()); !frames.empty())
    image.add(".eh_frame", SHT_PROGBITS, SHF_ALLOC, frames, 8);
  return image.finish(dump.machine(), 0, dump.size());
}

}  // namespace peregrine
