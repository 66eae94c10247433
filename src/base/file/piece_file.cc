#include "base/file/piece_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/digest/checksum.h"
#include "base/fd.h"

namespace peregrine {
namespace {

constexpr std::size_t kTextPiece = std::size_t{1} << 16;

}  // namespace

void PieceSum::add(const void* data, std::size_t size) {
  sum_ = (sum_ ^ checksum({static_cast<const char*>(data), size})) * 0x9e3779b97f4a7c15;
}

void PieceWriter::put_piece(const void* data, std::size_t size) {
  if (size != 0) bytes_.append(static_cast<const char*>(data), size);
  sum_.add(data, size);
}

void PieceWriter::put_text(std::string_view text) {
  put(u64{text.size()});
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kTextPiece)))
    put_piece(text.data(), std::min(text.size(), kTextPiece));
}

std::string PieceWriter::finish() {
  put(sum_.value());
  return std::move(bytes_);
}

template <class F>
void PieceReader::each_text_piece(F take) {
  u64 size = get64();
  if (size > left()) ok_ = false;
  std::string piece;
  while (ok_ && size != 0) {
    piece.resize(std::min<u64>(size, kTextPiece));
    if (get_piece(piece.data(), piece.size())) take(piece);
    size -= piece.size();
  }
}

std::string PieceReader::get_text() {
  std::string text;
  each_text_piece([&](const std::string& piece) { text += piece; });
  return ok_ ? text : std::string();
}

PieceReader::TextPlace PieceReader::pass_text() {
  const u64 start = at_ + sizeof(u64);
  u64 size = 0;
  each_text_piece([&](const std::string& piece) { size += piece.size(); });
  return {start, size};
}

std::string PieceReader::text_at(const TextPlace& place) {
  std::string text(place.size, 0);
  ok_ = ok_ && read_at(text.data(), text.size(), place.offset);
  return text;
}

bool PieceReader::ends_well() {
  const u64 sum = sum_.value();
  return get64() == sum && ok_ && left() == 0;
}

bool PieceReader::read_at(void* to, std::size_t size, u64 at) const {
  if (size == 0) return true;
  if (fd_ < 0) {
    std::memcpy(to, bytes_.data() + at, size);
    return true;
  }
  const auto count = pread_full(fd_, to, size, at);
  return count && *count == size;
}

bool PieceReader::get_piece(void* to, std::size_t size) {
  if (!ok_ || size > left() || !read_at(to, size, at_)) return ok_ = false;
  at_ += size;
  sum_.add(to, size);
  return true;
}

}  // namespace peregrine
