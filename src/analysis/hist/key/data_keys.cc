#include "analysis/hist/key/data_keys.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

#include "abi/data_source.h"

namespace peregrine {
namespace {

// Bits of perf_mem_data_src.
constexpr u64 source_bits(unsigned first, unsigned count) { return ((u64{1} << count) - 1) << first; }

}  // namespace

u64 snoop_bits(u64 data_source) { return data_source & (source_bits(19, 5) | source_bits(38, 2)); }
u64 lock_bits(u64 data_source) { return data_source & source_bits(24, 2); }
u64 tlb_bits(u64 data_source) { return data_source & source_bits(26, 7); }
u64 block_bits(u64 data_source) { return data_source & source_bits(40, 3); }

u64 memory_level(u64 data_source) {
  const abi::DataSource source = abi::decode_data_source(data_source);
  return u64{source.level} << 8 | u64{source.level_number} << 4 | u64{source.hops} << 1 | (source.remote ? 1 : 0);
}

std::string snoop_text(u64 bits) { return abi::snoop_text(abi::decode_data_source(bits)); }
std::string lock_text(u64 bits) { return std::string(abi::lock_text(abi::decode_data_source(bits))); }
std::string tlb_text(u64 bits) { return abi::tlb_text(abi::decode_data_source(bits)); }
std::string block_text(u64 bits) { return abi::block_text(abi::decode_data_source(bits)); }

std::string memory_level_text(u64 level) {
  abi::DataSource source;
  source.level = static_cast<u16>(level >> 8);
  source.level_number = static_cast<u8>(level >> 4 & 15);
  source.hops = static_cast<u8>(level >> 1 & 7);
  source.remote = (level & 1) != 0;
  return abi::level_text(source);
}

std::string transaction_text(u64 flags) {
  constexpr std::string_view kWords[] = {"EL", "TX", "SYNC", "ASYNC", "RETRY", "CON", "CAP-WRITE", "CAP-READ"};
  constexpr u64 kSync = 4, kAsync = 8;
  constexpr unsigned kAbortShift = 32;
  std::string text;
  for (std::size_t bit = 0; bit < std::size(kWords); ++bit)
    if ((flags >> bit & 1) != 0) text += fmt::format("{} ", kWords[bit]);
  if (flags != 0 && (flags & (kSync | kAsync)) == 0) text += "NEITHER ";
  if (flags >> kAbortShift != 0) text += fmt::format(":{:x}", flags >> kAbortShift);
  return text;
}

}  // namespace peregrine
