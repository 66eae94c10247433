#include "output/html/packed_text.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/concurrency/worker_pool.h"

namespace peregrine {

namespace {

constexpr std::size_t kTextPiece = std::size_t{1} << 18;
constexpr std::size_t kDeflateWindow = std::size_t{1} << 15;  // how far back deflate can refer

void must(bool true_so) {
  if (!true_so) std::abort();  // zlib fails only for lack of memory or output space, and the output is large enough
}

// Compresses [begin, end) of the text into blocks that end on a byte boundary. The text before `begin` is the
// dictionary, so pieces can be compressed in parallel and concatenated.
std::string deflated(std::string_view text, std::size_t begin, std::size_t end) {
  // Level 4 takes half the time of the default level 6 for about 5% more bytes.
  constexpr int kLevel = 4, kNoHeader = -15, kMemory = 8;
  const auto* bytes = reinterpret_cast<const Bytef*>(text.data());
  z_stream stream = {};
  must(deflateInit2(&stream, kLevel, Z_DEFLATED, kNoHeader, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  const std::size_t known = std::min(begin, kDeflateWindow);
  if (known != 0) must(deflateSetDictionary(&stream, bytes + begin - known, static_cast<uInt>(known)) == Z_OK);
  constexpr std::size_t kFlush = 16;
  std::string blocks(deflateBound(&stream, end - begin) + kFlush, '\0');
  stream.next_in = const_cast<Bytef*>(bytes + begin);
  stream.avail_in = static_cast<uInt>(end - begin);
  stream.next_out = reinterpret_cast<Bytef*>(blocks.data());
  stream.avail_out = static_cast<uInt>(blocks.size());
  must(deflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_in == 0 && stream.avail_out != 0);
  blocks.resize(stream.total_out);
  deflateEnd(&stream);
  return blocks;
}

}  // namespace

PackedText::PackedText(std::string_view text) : size_(text.size()) {
  struct Piece {
    std::string blocks;
    uLong checksum = 1;
  };
  std::vector<Piece> pieces((text.size() + kTextPiece - 1) / kTextPiece);
  const auto end_of = [&](std::size_t piece) { return std::min(text.size(), (piece + 1) * kTextPiece); };
  WorkerPool pool(pieces.size() <= 1 ? 1 : 0);
  pool.run(pieces.size(), [&](std::size_t at, unsigned) {
    const std::string_view own = text.substr(at * kTextPiece, end_of(at) - at * kTextPiece);
    pieces[at].blocks = deflated(text, at * kTextPiece, end_of(at));
    pieces[at].checksum = adler32(1, reinterpret_cast<const Bytef*>(own.data()), static_cast<uInt>(own.size()));
  });
  uLong checksum = checksum_;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    blocks_ += pieces[at].blocks;
    checksum = adler32_combine(checksum, pieces[at].checksum, static_cast<z_off_t>(end_of(at) - at * kTextPiece));
  }
  checksum_ = static_cast<u32>(checksum);
}

void PackedText::append(const PackedText& other) {
  blocks_ += other.blocks_;
  checksum_ = static_cast<u32>(adler32_combine(checksum_, other.checksum_, static_cast<z_off_t>(other.size_)));
  size_ += other.size_;
}

std::string PackedText::base64() const {
  std::string bytes = "\x78\x5e" + blocks_;  // zlib header: 32 KiB window, fast compression
  bytes.append({'\x03', '\x00'});            // empty final block
  for (const unsigned shift : {24u, 16u, 8u, 0u}) bytes += static_cast<char>(checksum_ >> shift & 0xff);
  return peregrine::base64(bytes);
}

std::size_t PackedText::base64_size() const {
  constexpr std::size_t kFrame = 8;  // header, final block and checksum
  return (blocks_.size() + kFrame + 2) / 3 * 4;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data();
  const auto byte = [&](std::size_t at) { return at < bytes.size() ? u32{static_cast<unsigned char>(bytes[at])} : 0u; };
  for (std::size_t at = 0; at < bytes.size(); at += 3, to += 4) {
    const u32 word = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    const std::size_t digits = std::min<std::size_t>(bytes.size() - at, 3) + 1;
    for (unsigned i = 0; i < digits; ++i) to[i] = kDigits[word >> (18 - 6 * i) & 63];
  }
  return text;
}

}  // namespace peregrine
