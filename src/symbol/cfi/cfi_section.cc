#include "symbol/cfi/cfi_section.h"

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

u64 CfiSection::each(const Visit& visit) {
  u64 bad = 0;
  for (std::size_t offset = 0; offset < source_.bytes.size();) {
    const std::optional<Entry> entry = entry_at(offset);
    if (!entry) return bad + 1;
    if (entry->end == entry->id_at) {  // a zero length ends .eh_frame, but linkers may append more after it
      offset = entry->end;
      continue;
    }
    if (!visit_entry(*entry, visit)) ++bad;
    offset = entry->end;
  }
  return bad;
}

std::optional<CfiSection::Entry> CfiSection::entry_at(std::size_t offset) const {
  if (offset > source_.bytes.size()) return std::nullopt;
  ByteReader reader(source_.bytes.subspan(offset), source_.order);
  Entry entry;
  u64 length = reader.get32();
  entry.wide = length == 0xffffffffu;
  if (entry.wide) length = reader.get64();
  if (!reader.ok() || length > reader.left()) return std::nullopt;
  entry.id_at = offset + reader.offset();
  entry.end = entry.id_at + length;
  return entry;
}

// In .eh_frame the id has four bytes even after a 64-bit length.
u64 CfiSection::id_of(const Entry& entry) const {
  ByteReader reader(source_.bytes.subspan(entry.id_at, entry.end - entry.id_at), source_.order);
  return entry.wide && source_.format == CfiFormat::DebugFrame ? reader.get64() : reader.get32();
}

bool CfiSection::is_cie(u64 id, bool wide) const {
  if (source_.format == CfiFormat::EhFrame) return id == 0;
  return id == (wide ? ~u64{0} : u64{0xffffffffu});
}

bool CfiSection::visit_entry(const Entry& entry, const Visit& visit) {
  const u64 id = id_of(entry);
  if (is_cie(id, entry.wide)) return true;  // parsed when an FDE refers to it
  const bool debug = source_.format == CfiFormat::DebugFrame;
  if (!debug && id > entry.id_at) return false;
  // .debug_frame has the offset of the CIE in the section; .eh_frame the distance back from this field.
  const CfiCie* cie = cie_at(debug ? id : entry.id_at - id);
  if (cie == nullptr) return false;
  CfiReader reader(source_.bytes.first(entry.end), source_.order, cie->address_size);
  reader.skip(entry.id_at + (debug && entry.wide ? 8 : 4));
  const std::optional<CfiFde> fde = parse_fde(reader, *cie);
  if (!fde) return false;
  if (fde->size != 0) visit(*cie, *fde);
  return true;
}

const CfiCie* CfiSection::cie_at(u64 offset) {
  // Neighbouring FDEs mostly share a CIE. An invalid CIE is remembered too, so that a file with many FDEs is not
  // parsed again for each.
  if (offset == last_offset_) return last_cie_;
  const auto [found, added] = cies_.try_emplace(offset);
  if (added) found->second = parse_cie(offset);
  last_offset_ = offset;
  last_cie_ = found->second ? &*found->second : nullptr;
  return last_cie_;
}

std::optional<CfiCie> CfiSection::parse_cie(u64 offset) const {
  const std::optional<Entry> entry = entry_at(offset);
  if (!entry || entry->end == entry->id_at || !is_cie(id_of(*entry), entry->wide)) return std::nullopt;
  CfiReader reader(source_.bytes.first(entry->end), source_.order, source_.address_size);
  reader.skip(entry->id_at + (source_.format == CfiFormat::DebugFrame && entry->wide ? 8 : 4));
  CfiCie cie;
  cie.address_size = source_.address_size;
  const u8 version = reader.get8();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const std::string_view augmentation = reader.text(reader.left());
  reader = CfiReader(source_.bytes.first(entry->end), source_.order, source_.address_size);
  reader.skip(entry->id_at + (source_.format == CfiFormat::DebugFrame && entry->wide ? 8 : 4) + 1 +
              augmentation.size() + 1);
  if (version == 4) {
    cie.address_size = reader.get8();
    const u8 segment_size = reader.get8();
    if ((cie.address_size != 4 && cie.address_size != 8) || segment_size != 0) return std::nullopt;
    reader.set_address_size(cie.address_size);
  }
  if (augmentation.starts_with("eh")) reader.address();  // address of an exception table, GCC 2
  cie.code_alignment = reader.unsigned_leb();
  cie.data_alignment = reader.signed_leb();
  const u64 return_register = version == 1 ? reader.get8() : reader.unsigned_leb();
  if (return_register > 0xff) return std::nullopt;
  cie.return_register = static_cast<u32>(return_register);
  if (!parse_augmentation(reader, augmentation, cie) || !reader.ok()) return std::nullopt;
  cie.instructions = reader.rest();
  return cie;
}

// Without a leading 'z', the size of the augmentation data is unknown, so only letters without data are accepted.
bool CfiSection::parse_augmentation(CfiReader& reader, std::string_view augmentation, CfiCie& cie) const {
  if (augmentation.empty() || augmentation == "eh") return true;
  std::size_t next = 0;
  Bytes data;
  if (augmentation.front() == 'z') {
    cie.has_augmentation_data = true;
    data = reader.take(reader.unsigned_leb());
    next = 1;
  }
  CfiReader inner(data, source_.order, cie.address_size);
  for (; next < augmentation.size(); ++next) {
    switch (augmentation[next]) {
      case 'R':
        cie.pointer_encoding = inner.get8();
        break;
      case 'L':
        inner.get8();
        break;
      case 'P':
        inner.pointer_value(inner.get8());
        break;
      case 'S':
        cie.signal_frame = true;
        break;
      case 'B':  // return addresses are signed with the B key (arm64)
      case 'G':  // tagged stack memory (arm64)
        break;
      default:  // unknown letter, unknown data size; only 'z' allows skipping it
        return cie.has_augmentation_data;
    }
  }
  return inner.ok();
}

std::optional<CfiFde> CfiSection::parse_fde(CfiReader& reader, const CfiCie& cie) const {
  CfiFde fde;
  const std::optional<u64> start = reader.pointer(cie.pointer_encoding, source_.bases);
  if (!start) return std::nullopt;
  fde.start = *start;
  // The size has the format of a pointer, but no base.
  fde.size = reader.pointer_value(cie.pointer_encoding);
  if (cie.address_size == 4) fde.size &= 0xffffffffu;
  if (cie.has_augmentation_data) reader.skip(reader.unsigned_leb());
  if (!reader.ok() || fde.start + fde.size < fde.start) return std::nullopt;
  fde.instructions = reader.rest();
  return fde;
}

}  // namespace peregrine
