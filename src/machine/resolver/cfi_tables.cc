#include "machine/resolver/cfi_tables.h"

#include <elf.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/build_id.h"
#include "base/file/piece_file.h"
#include "base/file/read_failures.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/kept_files.h"
#include "machine/process/moment.h"
#include "symbol/cfi/cfi_table_image.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/elf/elf_file.h"

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

void CfiTables::release_unused(const std::vector<bool>& used) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i < used.size() && used[i]) continue;
    std::destroy_at(&entries_[i]);
    std::construct_at(&entries_[i]);
  }
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
  auto table = guarded([&]() -> Result<CfiTable> { return table_of(*code, debug ? &*debug : nullptr); });
  if (table)
    cfi.table = std::move(*table);
  else
    note_failure(dsos_.places().search.failures, dsos_.at(id).path, table.error());
  return cfi;
}

CfiTable CfiTables::table_of(const ElfFile& code, const ElfFile* debug) const {
  const KeptFiles& kept = dsos_.places().kept;
  const BuildId id = kept ? code.build_id() : BuildId();
  const u64 sources = id ? cfi_sources(code, debug) : 0;
  if (const auto opened = kept.open(KeptKind::Frames, id)) {
    PieceReader reader(opened->fd.get(), opened->size);
    if (auto table = CfiTableImage::decode(reader, sources)) return std::move(*table);
  }
  const auto begin = std::chrono::steady_clock::now();
  CfiTable table = compile_cfi(code, debug);
  // Failing to keep the table only costs time in the next run.
  if (id && std::chrono::steady_clock::now() - begin >= long_enough_)
    static_cast<void>(kept.save(KeptKind::Frames, id, CfiTableImage::encode(table, sources)));
  return table;
}

}  // namespace peregrine
