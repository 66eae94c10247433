#include "base/digest/sha1.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "base/types.h"

namespace peregrine {
namespace {

// Hashes one block of 64 bytes (FIPS 180-4, 6.1.2).
void mix(std::array<u32, 5>& state, const std::byte* block) {
  std::array<u32, 80> words;
  for (std::size_t i = 0; i < 16; ++i) words[i] = load<u32>(block + i * 4, ByteOrder::Big);
  for (std::size_t i = 16; i < 80; ++i)
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    const u32 choice = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
    constexpr std::array<u32, 4> kRound = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    const u32 next = std::rotl(a, 5) + choice + e + kRound[i / 20] + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::array<std::byte, 20> sha1(Bytes bytes) {
  constexpr std::size_t kBlock = 64;
  std::array<u32, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const u64 bits = bytes.size() * 8;
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) mix(state, bytes.data());
  ByteWriter end(ByteOrder::Big);
  end.append(bytes).put8(0x80);
  end.zeros((kBlock + 56 - end.size() % kBlock) % kBlock).put64(bits);
  for (Bytes rest = end.bytes(); !rest.empty(); rest = rest.subspan(kBlock)) mix(state, rest.data());
  ByteWriter result(ByteOrder::Big);
  for (const u32 word : state) result.put32(word);
  std::array<std::byte, 20> digest;
  std::memcpy(digest.data(), result.bytes().data(), digest.size());
  return digest;
}

}  // namespace peregrine
