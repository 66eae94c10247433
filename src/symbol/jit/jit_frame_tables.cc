#include "symbol/jit/jit_frame_tables.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u8 kRelative4 = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4

u64 take_unsigned(ByteReader& reader) {
  u64 value = 0;
  for (unsigned shift = 0; reader.left() != 0; shift += 7) {
    const u8 byte = reader.get8();
    if (shift < 64) value |= u64{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

// True if entries that refer to this CIE use pointers that can be relocated. `body` begins after the CIE id. A
// personality routine would be another pointer, which cannot.
bool can_be_moved(ByteReader body) {
  if (body.get8() != 1) return false;
  const std::string_view augmentation = ByteReader(body.rest()).text(body.left());
  body.skip(augmentation.size() + 1);
  if (!augmentation.starts_with('z')) return false;
  take_unsigned(body);  // skips the code and data alignments; a signed LEB128 has the same length
  take_unsigned(body);
  body.get8();  // return address register
  take_unsigned(body);
  for (const char letter : augmentation.substr(1)) {
    const u8 encoding = body.get8();
    if (letter == 'R') return body.ok() && encoding == kRelative4;
    if (letter != 'L') return false;
  }
  return false;
}

// The tables of one function, relocated from `from` to `to`. Empty if they have an unsupported form.
std::vector<std::byte> moved(Bytes tables, ByteOrder order, u64 from, u64 to) {
  ByteWriter out(order);
  bool good = false;
  for (ByteReader reader(tables, order); reader.left() >= 8;) {
    const std::size_t start = reader.offset();
    const u32 length = reader.get32();
    if (length == 0) break;
    if (length == 0xffffffffu || length < 4 || length > reader.left()) return {};
    ByteReader body(reader.take(length), order);
    out.append(tables.subspan(start, 4 + length));
    if (body.get32() == 0) {
      good = can_be_moved(body);
      continue;
    }
    if (!good || length < 12) return {};
    const u32 pointer = body.get32();
    out.patch(start + 8, static_cast<u32>(pointer + static_cast<u32>(from - to)));
  }
  return out.take();
}

}  // namespace

std::vector<std::byte> jit_frame_tables(const JitDump& dump, u64 address) {
  constexpr std::size_t kMost = std::size_t{1} << 28;
  ByteWriter out(dump.order());
  for (const JitLoad& load : dump.loads()) {
    if (load.unwinding_size <= load.header_size || load.size == 0) continue;
    const std::vector<std::byte> tables = dump.bytes(load.unwinding_at, load.unwinding_size - load.header_size);
    const u64 from = load.code_at + (load.size + 7) / 8 * 8;
    out.append(moved(tables, dump.order(), from, address + out.size()));
    if (out.size() > kMost) break;
  }
  if (out.size() != 0) out.put32(0);
  return out.take();
}

}  // namespace peregrine
