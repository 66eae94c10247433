// The header of a line program: its directories and files. Up to DWARF 4 these are two lists of strings; since DWARF 5
// they are tables that describe their own format.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"
#include "symbol/dwarf/line_table.h"

namespace peregrine {
namespace {

enum class EntryContent : u16 { Path = 1, DirectoryIndex = 2 };

struct EntryField {
  EntryContent content;
  DwarfForm form;
};

std::string_view next_text(ByteReader& reader) {
  FormValue value;
  read_form(reader, DwarfForm::Text, 0, {}, value);
  return value.text;
}

class HeaderReader {
 public:
  HeaderReader(const DwarfUnit& unit, ByteReader& reader, LineHeader& header)
      : unit_(unit), reader_(reader), header_(header) {}

  // Before DWARF 5, directory 0 is the compilation folder and file 0 is unused.
  void read_lists() {
    header_.directories.emplace_back();
    while (reader_.ok()) {
      const std::string_view name = next_text(reader_);
      if (name.empty()) break;
      header_.directories.push_back(unit_.file().keep(name));
    }
    header_.files.emplace_back();
    while (reader_.ok()) {
      const std::string_view name = next_text(reader_);
      if (name.empty()) break;
      LineFile file{unit_.file().keep(name), get_uleb128(reader_)};
      get_uleb128(reader_);  // time
      get_uleb128(reader_);  // size
      header_.files.push_back(file);
    }
  }

  void read_tables() {
    read_table([&](const LineFile& entry) { header_.directories.push_back(entry.name); });
    read_table([&](const LineFile& entry) { header_.files.push_back(entry); });
  }

 private:
  template <class Add>
  void read_table(const Add& add) {
    std::vector<EntryField> fields(reader_.get8());
    for (EntryField& field : fields) {
      field.content = static_cast<EntryContent>(get_uleb128(reader_));
      field.form = static_cast<DwarfForm>(get_uleb128(reader_));
    }
    const u64 count = get_uleb128(reader_);
    for (u64 i = 0; i < count && reader_.left() > 0; ++i) {
      const std::size_t start = reader_.offset();
      LineFile entry;
      for (const EntryField& field : fields) {
        FormValue value;
        if (!read_form(reader_, field.form, 0, header_.format, value)) {
          reader_.skip(reader_.left() + 1);
          return;
        }
        if (field.content == EntryContent::Path) entry.name = unit_.text(value, nullptr);
        if (field.content == EntryContent::DirectoryIndex) entry.directory = value.number;
      }
      // Entries of size zero have no name either, and a hostile header can claim 2^64 of them.
      if (reader_.offset() == start) return;
      add(entry);
    }
  }

  const DwarfUnit& unit_;
  ByteReader& reader_;
  LineHeader& header_;
};

}  // namespace

Result<LineHeader> read_line_header(const DwarfUnit& unit, u64 offset) {
  const DwarfSection& lines = unit.section(DebugSection::Lines);
  const auto malformed = [&](std::string_view what) {
    return fail(ErrorKind::Malformed, "{}: line program at {:#x} {}", unit.file().elf().name(), offset, what);
  };
  LineHeader header;
  u64 length = 0, start = offset + 4;
  const ByteOrder order = unit.file().order();
  if (!lines.read_number(offset, 4, order, length)) return malformed("is outside .debug_line");
  header.format = unit.header().format;
  header.format.offset_size = 4;
  if (length == 0xffffffff) {
    header.format.offset_size = 8;
    if (!lines.read_number(start, 8, order, length)) return malformed("is outside .debug_line");
    start += 8;
  }
  if (length > lines.size() - start) return malformed("extends past the end of .debug_line");
  header.end = start + length;

  std::vector<std::byte> buffer;
  // The file tables come first and usually have a few kilobytes.
  for (u64 window = 64 << 10;; window *= 16) {
    ByteReader reader(lines.read(start, std::min(window, length), buffer), order);
    header.directories.clear();
    header.files.clear();
    header.format.version = reader.get16();
    if (header.format.version < 2 || header.format.version > 5) return malformed("has an unknown version");
    if (header.format.version >= 5) {
      header.format.address_size = reader.get8();
      reader.skip(1);
    }
    const u64 header_length = header.format.offset_size == 8 ? reader.get64() : reader.get32();
    header.program = start + reader.offset() + header_length;
    if (header_length > length || header.program > header.end) return malformed("has an invalid header");
    header.least_instruction = reader.get8();
    if (header.format.version >= 4) header.operations = std::max<u8>(reader.get8(), 1);
    header.statement_at_first = reader.get8() != 0;
    header.line_base = static_cast<i8>(reader.get8());
    header.line_range = reader.get8();
    header.first_special = std::max<u8>(reader.get8(), 1);
    header.operand_counts.clear();
    for (u8 i = 1; i < header.first_special; ++i) header.operand_counts.push_back(reader.get8());
    HeaderReader files(unit, reader, header);
    header.format.version >= 5 ? files.read_tables() : files.read_lists();
    if (header.line_range == 0) return malformed("divides by zero");
    if (reader.ok()) return header;
    if (window >= length) return malformed("has an unterminated header");
  }
}

std::string LineHeader::path(u64 file, std::string_view compilation_folder) const {
  if (file >= files.size() || files[file].name.empty()) return {};
  const LineFile& entry = files[file];
  std::string result(entry.name);
  const auto put_before = [&](std::string_view folder) {
    if (result.starts_with('/') || folder.empty()) return;
    result.insert(0, folder.ends_with('/') ? "" : "/").insert(0, folder);
  };
  if (entry.directory < directories.size()) put_before(directories[entry.directory]);
  // In DWARF 5, directory 0 is the compilation folder itself.
  if (format.version < 5 || entry.directory != 0) put_before(compilation_folder);
  return result;
}

}  // namespace peregrine
