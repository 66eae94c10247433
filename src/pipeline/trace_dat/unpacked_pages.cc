#include "pipeline/trace_dat/unpacked_pages.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "pipeline/bundle/private_folder.h"
#include "symbol/compression/unpack.h"

namespace peregrine {
namespace {

constexpr u32 kLargestChunk = u32{16} << 20;  // trace-cmd's have ten pages

class PageUnpacker {
 public:
  PageUnpacker(int from, const data::TraceDat& file, int to, UnpackBudget& budget)
      : from_(from), file_(file), to_(to), budget_(budget) {}

  Result<data::CpuPages> unpack(const data::CpuPages& packed) {
    constexpr u64 kCount = 4;  // is not part of the size
    const u64 begin = at_, end = packed.offset + kCount + packed.size;
    u64 at = packed.offset;
    auto count = numbers(at, end, 1);
    if (!count) return std::unexpected(std::move(count.error()));
    for (u32 chunk = 0; chunk < count->front(); ++chunk) {
      auto sizes = numbers(at, end, 2);
      if (!sizes) return std::unexpected(std::move(sizes.error()));
      const u32 size = sizes->front(), whole = sizes->back();
      if (size > end - at || whole > kLargestChunk) return damaged();
      PEREGRINE_TRY(unpack_chunk(at, size, whole));
      at += size;
    }
    return data::CpuPages{packed.cpu, begin, at_ - begin};
  }

 private:
  static std::unexpected<Error> damaged() { return fail(ErrorKind::Malformed, "damaged compressed pages"); }

  Result<std::vector<std::byte>> read(u64 at, u32 size) {
    std::vector<std::byte> bytes(size);
    const auto got = pread_full(from_, bytes.data(), size, at);
    if (!got) return std::unexpected(got.error());
    if (*got != size) return damaged();
    return bytes;
  }
  Result<std::vector<u32>> numbers(u64& at, u64 end, u32 count) {
    if (end - at < u64{4} * count) return damaged();
    auto bytes = read(at, 4 * count);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    ByteReader in(*bytes, file_.layout.order);
    std::vector<u32> found;
    for (u32 i = 0; i < count; ++i) found.push_back(in.get32());
    at += u64{4} * count;
    return found;
  }
  Result<> unpack_chunk(u64 at, u32 size, u32 whole) {
    const auto packed = read(at, size);
    if (!packed) return std::unexpected(packed.error());
    PEREGRINE_TRY(budget_.add_bytes(whole));
    if (whole == 0) return {};
    if (at_ == 0 || (at_ + whole) / kLargestChunk != at_ / kLargestChunk)
      PEREGRINE_TRY(budget_.check_space(2 * u64{kLargestChunk}));
    const auto pages = unpack_to_size(file_.packing, *packed, "pages", whole);
    if (!pages) return std::unexpected(pages.error());
    PEREGRINE_TRY(write_all(to_, pages->data(), pages->size()));
    at_ += whole;
    return {};
  }

  int from_;
  const data::TraceDat& file_;
  int to_;
  UnpackBudget& budget_;
  u64 at_ = 0;
};

}  // namespace

Result<UnpackedPages> unpacked_pages(int fd, const data::TraceDat& file, const std::string& temporary,
                                     UnpackBudget& budget) {
  UnpackedPages made;
  if (std::ranges::any_of(file.buffers, &data::RingBuffer::packed)) {
    auto unpacked = make_unnamed_file(temporary);
    if (!unpacked) return std::unexpected(std::move(unpacked.error()));
    made.file = std::move(*unpacked);
  }
  PageUnpacker unpacker(fd, file, made.file.get(), budget);
  for (const data::RingBuffer& buffer : file.buffers) {
    for (const data::CpuPages& pages : buffer.cpus) {
      if (!buffer.packed) {
        made.pages.push_back({fd, buffer.page_size, pages});
        continue;
      }
      const auto unpacked = unpacker.unpack(pages);
      if (!unpacked) return std::unexpected(unpacked.error());
      made.pages.push_back({made.file.get(), buffer.page_size, *unpacked});
    }
  }
  return made;
}

}  // namespace peregrine
