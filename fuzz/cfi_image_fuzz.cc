// A cached table of call frame information written by an attacker: the checksum is valid, the numbers are arbitrary.
// The first five bytes give the number of items of each kind.
#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file/piece_file.h"
#include "base/types.h"
#include "input.h"
#include "look_up.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "symbol/cfi/cfi_table_image.h"

namespace peregrine {
namespace {

constexpr u64 kSources = 5;

// The bytes one after another, then zeros.
class Numbers {
 public:
  explicit Numbers(Bytes bytes) : bytes_(bytes) {}
  u8 next() {
    const u8 value = bytes_.empty() ? u8{0} : static_cast<u8>(bytes_.front());
    bytes_ = bytes_.subspan(bytes_.empty() ? 0 : 1);
    return value;
  }
  std::vector<u8> all(std::size_t count) {
    std::vector<u8> values(count);
    for (u8& value : values) value = next();
    return values;
  }

 private:
  Bytes bytes_;
};

u64 version() {
  const std::string nothing = CfiTableImage::encode(CfiTableBuilder(ByteOrder::Little).build(), kSources);
  return PieceReader(nothing).get64();
}

}  // namespace

void fuzz_cfi_image(Bytes bytes) {
  Numbers numbers(bytes);
  const u64 rows = numbers.next(), sets = numbers.next(), registers = numbers.next();
  const u64 expressions = numbers.next(), expression_bytes = numbers.next();
  PieceWriter writer;
  for (const u64 word : {version(), kSources, u64{0x400000}, u64{numbers.next()} & 1, u64{0}, rows, sets, registers,
                         expressions, expression_bytes})
    writer.put(word);
  for (const u64 size : {rows * 8, sets * 12, registers * 8, expressions * 8, expression_bytes})
    writer.put_all(numbers.all(size));
  const std::string image = writer.finish();
  PieceReader reader(image);
  if (const auto table = CfiTableImage::decode(reader, kSources)) look_up(*table, 0x400000, 0x400400, 3);
}

}  // namespace peregrine
