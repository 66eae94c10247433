#include "symbol/elf/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <expected>
#include <span>
#include <utility>

#include "base/process_root.h"
#include "base/types.h"
#include "symbol/elf/build_id.h"
#include "symbol/table/name_text.h"

namespace peregrine {

namespace {

// Bounds for the tables of hostile files; real files have up to about 10^5 sections.
constexpr u64 kMaxSections = u64{1} << 20;
constexpr u64 kMaxSegments = u64{1} << 16;
constexpr u64 kMaxNoteSize = u64{1} << 20;

std::unexpected<Error> malformed(const std::string& name, std::string_view what) {
  return fail(ErrorKind::Malformed, "{}: {}", name, what);
}

std::string_view text_at(Bytes table, u64 offset) {
  return offset < table.size() ? up_to_nul(table.subspan(offset)) : std::string_view();
}

// The CRC-32 of .gnu_debuglink, which is zlib's.
constexpr std::array<u32, 256> crc_table() {
  std::array<u32, 256> table{};
  for (u32 i = 0; i < table.size(); ++i) {
    u32 value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  return table;
}

constexpr std::array<u32, 256> kCrcTable = crc_table();

}  // namespace

// A path from a recording may name a device that has side effects when opened, so its type is checked first.
Result<ElfFile> ElfFile::open(const std::string& path, ReadFailures* failures) {
  const auto status = stat_file(path);
  if (!status) {
    note_failure(failures, path, status.error());
    return std::unexpected(status.error());
  }
  if (!S_ISREG(status->st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", path);
  auto fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) {
    note_failure(failures, path, fd.error());
    return std::unexpected(std::move(fd.error()));
  }
  return from_fd(std::move(*fd), path, failures);
}

Result<ElfFile> ElfFile::from_fd(Fd fd, std::string name, ReadFailures* failures) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(name);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", name);
  ElfFile file;
  file.name_ = std::move(name);
  file.fd_ = std::move(fd);
  file.failures_ = failures;
  file.file_size_ = static_cast<u64>(status.st_size);
  return parse(std::move(file));
}

Result<ElfFile> ElfFile::from_bytes(std::vector<std::byte> image, std::string name) {
  ElfFile file;
  file.name_ = std::move(name);
  file.file_size_ = image.size();
  file.image_ = std::move(image);
  return parse(std::move(file));
}

Result<ElfFile> ElfFile::parse(ElfFile file) {
  const u64 header_size = std::min<u64>(file.file_size_, sizeof(Elf64_Ehdr));
  auto header = file.read(0, header_size);
  if (!header) return std::unexpected(std::move(header.error()));
  PEREGRINE_TRY(file.parse_header(*header));
  return file;
}

Result<> ElfFile::parse_header(Bytes header) {
  ByteReader ident(header);
  const Bytes magic = ident.take(SELFMAG);
  if (magic.size() != SELFMAG || std::memcmp(magic.data(), ELFMAG, SELFMAG) != 0)
    return malformed(name_, "not an ELF file");
  const u8 elf_class = ident.get8();
  const u8 data = ident.get8();
  if ((elf_class != ELFCLASS32 && elf_class != ELFCLASS64) || (data != ELFDATA2LSB && data != ELFDATA2MSB))
    return malformed(name_, "unknown ELF class or byte order");
  is_64_ = elf_class == ELFCLASS64;
  order_ = data == ELFDATA2LSB ? ByteOrder::Little : ByteOrder::Big;

  ByteReader reader(header, order_);
  const auto get_word = [&] { return is_64_ ? reader.get64() : reader.get32(); };
  reader.skip(EI_NIDENT);
  type_ = reader.get16();
  machine_ = reader.get16();
  reader.skip(4);
  entry_ = get_word();
  const u64 segments_at = get_word();
  const u64 sections_at = get_word();
  reader.skip(4 + 2);
  const u16 segment_size = reader.get16();
  u64 segment_count = reader.get16();
  const u16 section_size = reader.get16();
  u64 section_count = reader.get16();
  u32 name_section = reader.get16();
  if (!reader.ok()) return malformed(name_, "truncated ELF header");

  // Counts above 16 bits are in section 0, which must be read first to learn the size of the table.
  const bool extended = section_count == 0 || name_section == SHN_XINDEX || segment_count == PN_XNUM;
  if (sections_at != 0 && extended) {  // section 0 holds the actual counts
    PEREGRINE_TRY(read_sections(sections_at, 1, section_size, 0));
    const ElfSection& first = sections_.front();
    if (section_count == 0) section_count = first.size;
    if (name_section == SHN_XINDEX) name_section = first.link;
    if (segment_count == PN_XNUM) segment_count = first.info;
  }
  if (sections_at != 0) PEREGRINE_TRY(read_sections(sections_at, section_count, section_size, name_section));
  if (segments_at != 0) PEREGRINE_TRY(read_segments(segments_at, segment_count, segment_size));
  return {};
}

Result<> ElfFile::read_sections(u64 offset, u64 count, u32 entry_size, u32 name_section) {
  sections_.clear();
  if (count == 0) return {};
  if (count > kMaxSections || entry_size < (is_64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
    return malformed(name_, "invalid section table");
  auto table = read(offset, count * entry_size);
  if (!table) return std::unexpected(std::move(table.error()));
  std::vector<u32> names(count);
  sections_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ByteReader reader(Bytes(*table).subspan(i * entry_size, entry_size), order_);
    const auto get_word = [&] { return is_64_ ? reader.get64() : reader.get32(); };
    ElfSection& section = sections_[i];
    names[i] = reader.get32();
    section.type = reader.get32();
    section.flags = get_word();
    section.address = get_word();
    section.offset = get_word();
    section.size = get_word();
    section.link = reader.get32();
    section.info = reader.get32();
    section.alignment = get_word();
    section.entry_size = get_word();
  }
  if (name_section >= count) return {};
  auto text = contents(sections_[name_section]);
  if (!text) return {};
  for (std::size_t i = 0; i < count; ++i) sections_[i].name = text_at(*text, names[i]);
  return {};
}

Result<> ElfFile::read_segments(u64 offset, u64 count, u32 entry_size) {
  if (count == 0) return {};
  if (count > kMaxSegments || entry_size < (is_64_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
    return malformed(name_, "invalid program header table");
  auto table = read(offset, count * entry_size);
  if (!table) return std::unexpected(std::move(table.error()));
  segments_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ByteReader reader(Bytes(*table).subspan(i * entry_size, entry_size), order_);
    const auto get_word = [&] { return is_64_ ? reader.get64() : reader.get32(); };
    ElfSegment& segment = segments_[i];
    segment.type = reader.get32();
    if (is_64_) segment.flags = reader.get32();
    segment.offset = get_word();
    segment.address = get_word();
    get_word();  // physical address
    segment.file_size = get_word();
    segment.memory_size = get_word();
    if (!is_64_) segment.flags = reader.get32();
  }
  return {};
}

const ElfSection* ElfFile::find_section(std::string_view section_name) const {
  const auto found = std::ranges::find(sections_, section_name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfFile::find_section_of_type(u32 section_type) const {
  const auto found = std::ranges::find(sections_, section_type, &ElfSection::type);
  return found == sections_.end() ? nullptr : &*found;
}

Result<> ElfFile::check_range(u64 offset, u64 size) const {
  if (offset <= file_size_ && size <= file_size_ - offset) return {};
  return fail(ErrorKind::Malformed, "{}: {} bytes at offset {:#x} extend past the end of the file", name_, size,
              offset);
}

Result<> ElfFile::read_into(u64 offset, std::span<std::byte> out) const {
  PEREGRINE_TRY(check_range(offset, out.size()));
  if (!fd_) {
    if (!out.empty()) std::memcpy(out.data(), image_.data() + offset, out.size());
    return {};
  }
  auto count = pread_full(fd_.get(), out.data(), out.size(), offset);
  if (!count) {
    read_failed_.set(count.error().system_errno);
    note_failure(failures_, name_, count.error());
    return std::unexpected(std::move(count.error()));
  }
  if (*count != out.size()) return malformed(name_, "shrank while it was read");
  return {};
}

Result<std::vector<std::byte>> ElfFile::read(u64 offset, u64 size) const {
  PEREGRINE_TRY(check_range(offset, size));
  std::vector<std::byte> bytes(size);
  PEREGRINE_TRY(read_into(offset, bytes));
  return bytes;
}

Result<std::string> ElfFile::text(const ElfSection& section) const {
  std::string text;
  if (section.type == SHT_NOBITS) return text;
  PEREGRINE_TRY(check_range(section.offset, section.size));
  Result<> done;
  text.resize_and_overwrite(section.size, [&](char* to, std::size_t) {  // the second argument may be the capacity
    done = read_into(section.offset, std::as_writable_bytes(std::span(to, section.size)));
    return done ? section.size : 0;
  });
  if (!done) return std::unexpected(std::move(done.error()));
  return text;
}

Result<std::vector<std::byte>> ElfFile::contents(const ElfSection& section) const {
  if (section.type == SHT_NOBITS) return std::vector<std::byte>();
  return read(section.offset, section.size);
}

NameText ElfFile::text_in_file(const ElfSection& section) const {
  return NameText::in_file(fd_.get(), section.offset, section.size);
}

std::optional<u64> ElfFile::file_offset(u64 virtual_address) const {
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || virtual_address < segment.address) continue;
    if (virtual_address - segment.address < segment.memory_size)
      return virtual_address - segment.address + segment.offset;
  }
  return std::nullopt;
}

std::optional<u64> ElfFile::virtual_address(u64 offset) const {
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || offset < segment.offset) continue;
    if (offset - segment.offset < segment.file_size) return offset - segment.offset + segment.address;
  }
  return std::nullopt;
}

BuildId ElfFile::build_id() const {
  const auto search = [&](u64 offset, u64 size, u64 alignment) -> BuildId {
    auto notes = read(offset, std::min(size, kMaxNoteSize));
    return notes ? find_build_id_note(*notes, order_, alignment) : BuildId();
  };
  for (const std::string_view section_name : {".note.gnu.build-id", ".notes", ".note"}) {
    const ElfSection* section = find_section(section_name);
    if (section == nullptr || section->type != SHT_NOTE) continue;
    if (const BuildId id = search(section->offset, section->size, section->alignment)) return id;
  }
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_NOTE) continue;
    if (const BuildId id = search(segment.offset, segment.file_size, 4)) return id;
  }
  return {};
}

std::optional<DebugLink> ElfFile::debug_link() const {
  const ElfSection* section = find_section(".gnu_debuglink");
  if (section == nullptr || section->size > 4096) return std::nullopt;
  auto bytes = contents(*section);
  if (!bytes || bytes->size() < 8) return std::nullopt;
  DebugLink link;
  link.file_name = text_at(*bytes, 0);
  const std::size_t crc_at = (link.file_name.size() + 1 + 3) & ~std::size_t{3};
  if (link.file_name.empty() || crc_at + 4 > bytes->size()) return std::nullopt;
  link.crc = load<u32>(bytes->data() + crc_at, order_);
  return link;
}

Result<u32> ElfFile::crc() const {
  constexpr u64 kBlock = u64{1} << 20;
  u32 value = ~0u;
  for (u64 offset = 0; offset < file_size_; offset += kBlock) {
    auto block = read(offset, std::min(kBlock, file_size_ - offset));
    if (!block) return std::unexpected(std::move(block.error()));
    for (const std::byte byte : *block) value = kCrcTable[(value ^ std::to_integer<u32>(byte)) & 0xff] ^ (value >> 8);
  }
  return ~value;
}

// Places sections as the kernel's module loader does: code sections in file order, each aligned. It puts .init sections
// elsewhere, because it frees them after initialization.
void ElfFile::place_as_module() {
  constexpr u64 kCode = SHF_ALLOC | SHF_EXECINSTR;
  if (type_ != ET_REL) return;
  u64 end = 0;
  for (ElfSection& section : sections_) {
    if ((section.flags & SHF_ALLOC) == 0) continue;
    section.address = kNotPlaced;
    if ((section.flags & kCode) != kCode || section.name.starts_with(".init")) continue;
    const u64 alignment = std::max<u64>(section.alignment, 1);
    section.address = (end + alignment - 1) / alignment * alignment;
    end = section.address + section.size;
  }
}

bool ElfFile::has_symtab() const {
  const ElfSection* section = find_section_of_type(SHT_SYMTAB);
  return section != nullptr && section->size != 0;
}

bool ElfFile::has_dynsym() const {
  const ElfSection* section = find_section_of_type(SHT_DYNSYM);
  return section != nullptr && section->size != 0;
}

}  // namespace peregrine
