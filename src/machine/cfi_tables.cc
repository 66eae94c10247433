#include "machine/cfi_tables.h"

#include <elf.h>

#include "symbol/cfi/compile_cfi.h"

namespace peregrine {

std::optional<u64> DsoCfi::virtual_address(u64 file_offset) const {
  for (const Load& load : loads) {
    if (file_offset >= load.offset && file_offset - load.offset < load.size) {
      return file_offset - load.offset + load.address;
    }
  }
  return std::nullopt;
}

void CfiTables::grow() {
  while (entries_.size() < dsos_.size()) entries_.emplace_back();
}

const DsoCfi& CfiTables::of(DsoId id) const {
  const Entry& entry = entries_[id.value];
  std::call_once(entry.once, [&] { entry.cfi = compile(id); });
  return entry.cfi;
}

DsoCfi CfiTables::compile(DsoId id) const {
  DsoCfi cfi;
  const DsoKind kind = dsos_.at(id).kind;
  if (kind != DsoKind::File && kind != DsoKind::Vdso) return cfi;
  const Result<ElfFile> code = dsos_.open_code(id);
  if (!code) return cfi;
  cfi.readable = true;
  for (const ElfSegment& segment : code->segments()) {
    if (segment.type == PT_LOAD) cfi.loads.push_back({segment.offset, segment.file_size, segment.address});
  }
  const Result<ElfFile> debug = dsos_.open_debug(id);
  cfi.table = compile_cfi(*code, debug ? &*debug : nullptr);
  return cfi;
}

}  // namespace peregrine
