// Call frame information: a section of any format, width and byte order (chosen by the first byte), and a complete
// file.
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "input.h"
#include "look_up.h"
#include "symbol/cfi/cfi_program.h"
#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
void fuzz_cfi(Bytes bytes) {
  if (bytes.empty()) return;
  const Result<ElfFile> file = ElfFile::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (file) return look_up(compile_cfi(*file, &*file), 0x400000, 0x410000, 0x101);
  const u8 shape = static_cast<u8>(bytes.front());
  CfiSource source;
  source.bytes = bytes.subspan(1);
  source.format = (shape & 1) != 0 ? CfiFormat::DebugFrame : CfiFormat::EhFrame;
  source.order = (shape & 2) != 0 ? ByteOrder::Big : ByteOrder::Little;
  source.address_size = (shape & 4) != 0 ? 4 : 8;
  source.bases = {.section = 0x400000, .text = 0x401000, .data = 0x402000};
  CfiTableBuilder builder(source.order);
  CfiProgram program(source, builder);
  CfiSection section(source);
  builder.skipped(section.each([&](const CfiCie& cie, const CfiFde& fde) { program.run(cie, fde); }));
  look_up(builder.build(), 0x400000, 0x410000, 0x101);
}

}  // namespace peregrine
