// ElfFile: the sections, segments and notes of one ELF file of any class and byte order, with every bound checked.
//
// Created from an open descriptor (read with pread, never mapped, so truncation by others cannot raise SIGBUS) or from
// bytes in memory (a vdso image, a fuzzer). load_elf_symbols() turns its symbol tables into a SymbolTable by
// linux-perf's rules. Immutable after opening, except for read_failed(); thread safe thanks to pread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/failure_mark.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/table/name_text.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct ElfSection {
  std::string name;
  u32 type = 0;
  u64 flags = 0;
  u64 address = 0;
  u64 offset = 0;
  u64 size = 0;
  u32 link = 0;
  u32 info = 0;
  u64 alignment = 0;
  u64 entry_size = 0;
};

struct ElfSegment {
  u32 type = 0;
  u32 flags = 0;
  u64 offset = 0;
  u64 address = 0;
  u64 file_size = 0;
  u64 memory_size = 0;
};

struct DebugLink {
  std::string file_name;
  u32 crc = 0;
};

class ElfFile {
 public:
  // `path` must be a regular file. Errors: NotFound, Denied, Malformed ("not an ELF file"). `failures`, which must
  // outlive the file, collects read errors, now and later.
  static Result<ElfFile> open(const std::string& path, ReadFailures* failures = nullptr);
  static Result<ElfFile> from_fd(Fd fd, std::string name, ReadFailures* failures = nullptr);
  static Result<ElfFile> from_bytes(std::vector<std::byte> image, std::string name);

  const std::string& name() const { return name_; }
  bool is_64() const { return is_64_; }
  ByteOrder order() const { return order_; }
  u16 machine() const { return machine_; }  // EM_*
  u16 type() const { return type_; }        // ET_*
  u64 entry() const { return entry_; }
  u64 file_size() const { return file_size_; }
  // Whether a read has failed since the file was opened; the results are then incomplete.
  bool read_failed() const { return read_failed_.is_set(); }
  ReadFailures* failures() const { return failures_; }

  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSegment>& segments() const { return segments_; }
  // The first section with that name or type; nullptr if absent.
  const ElfSection* find_section(std::string_view section_name) const;
  const ElfSection* find_section_of_type(u32 section_type) const;

  // Malformed if the range exceeds the file.
  Result<std::vector<std::byte>> read(u64 offset, u64 size) const;
  Result<> read_into(u64 offset, std::span<std::byte> out) const;
  // The raw bytes of a section; empty for SHT_NOBITS.
  Result<std::vector<std::byte>> contents(const ElfSection& section) const;
  Result<std::string> text(const ElfSection& section) const;
  NameText text_in_file(const ElfSection& section) const;  // not valid() for an image in memory

  // The file offset loaded at this virtual address, by program headers; nothing if no PT_LOAD covers it.
  std::optional<u64> file_offset(u64 virtual_address) const;
  std::optional<u64> virtual_address(u64 offset) const;

  // From .note.gnu.build-id, .notes, .note or a PT_NOTE segment; empty if absent.
  BuildId build_id() const;
  std::optional<DebugLink> debug_link() const;
  // CRC-32 of the whole file, as stored in .gnu_debuglink.
  Result<u32> crc() const;
  // Lays out a kernel module as the kernel does: gives code sections addresses relative to the module's memory, and
  // other loaded sections kNotPlaced. Does nothing unless the file is relocatable.
  void place_as_module();
  static constexpr u64 kNotPlaced = ~u64{0};

  bool has_symtab() const;  // .symtab with contents
  bool has_dynsym() const;

 private:
  ElfFile() = default;
  static Result<ElfFile> parse(ElfFile file);
  Result<> check_range(u64 offset, u64 size) const;
  Result<> parse_header(Bytes ident);
  Result<> read_sections(u64 offset, u64 count, u32 entry_size, u32 name_section);
  Result<> read_segments(u64 offset, u64 count, u32 entry_size);

  std::string name_;
  Fd fd_;
  std::vector<std::byte> image_;  // if there is no descriptor
  FailureMark read_failed_;
  ReadFailures* failures_ = nullptr;
  u64 file_size_ = 0;
  bool is_64_ = true;
  ByteOrder order_ = ByteOrder::Little;
  u16 machine_ = 0;
  u16 type_ = 0;
  u64 entry_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSegment> segments_;
};

enum class ElfAddresses {
  FileOffset,  // user files: st_value becomes a file offset, which is what maps use
  Virtual,     // vmlinux: st_value as it is
  Module,      // a kernel module's .ko after ElfFile::place_as_module()
};

// Loads the symbols of `symbols` (.symtab and .dynsym). `runtime` is the mapped file: its program headers place the
// symbols of a separate debug file, and its .plt yields trampoline names. Pass one file twice if they are not separate.
// OfRuntime: read .dynsym of `runtime`, since MiniDebugInfo omits the exported symbols.
enum class Exports { OfSymbols, OfRuntime };
Result<SymbolTable> load_elf_symbols(const ElfFile& symbols, const ElfFile& runtime,
                                     ElfAddresses addresses = ElfAddresses::FileOffset,
                                     Exports exports = Exports::OfSymbols);
inline Result<SymbolTable> load_elf_symbols(const ElfFile& file, ElfAddresses addresses = ElfAddresses::FileOffset) {
  return load_elf_symbols(file, file, addresses);
}

}  // namespace peregrine
