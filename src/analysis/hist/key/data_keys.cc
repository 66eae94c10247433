#include "analysis/hist/key/data_keys.h"

#include "abi/data_source.h"
#include "analysis/hist/key/access_parts.h"

namespace peregrine {

namespace {

// The bits of perf_mem_data_src that a key shows.
u64 shown_bits(SortKey key) {
  constexpr auto bits = [](unsigned at, unsigned width) { return ((u64{1} << width) - 1) << at; };
  switch (key) {
    case SortKey::Snoop:
      return bits(19, 5) | bits(38, 2);
    case SortKey::Locked:
      return bits(24, 2);
    case SortKey::Tlb:
      return bits(26, 7);
    case SortKey::Blocked:
      return bits(40, 3);
    default:
      return 0;
  }
}

// Names of a transaction's flags, and its abort code.
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

}  // namespace

u64 data_value(SortKey key, const abi::Sample& sample) {
  switch (key) {
    case SortKey::PhysicalAddress:
      return sample.phys_addr;
    case SortKey::DataPageSize:
      return sample.data_page_size;
    case SortKey::CodePageSize:
      return sample.code_page_size;
    case SortKey::LocalLatency:
    case SortKey::Latency:
      return sample.weight2;
    case SortKey::LocalStage:
    case SortKey::Stage:
    case SortKey::LocalRetirement:
    case SortKey::Retirement:
      return sample.weight3;
    case SortKey::TransactionFlags:
      return sample.transaction;
    case SortKey::Cgroup:
      return (sample.fields & abi::sample_bit::Cgroup) != 0 ? sample.cgroup : kNoCgroup;
    case SortKey::Simd:  // known only from decoded traces
      return 0;
    case SortKey::AccessParts:
      return access_parts(sample.data_src);
    case SortKey::Memory: {  // ordered by level, level number, hops and remoteness
      const abi::DataSource source = abi::decode_data_source(sample.data_src);
      return u64{source.level} << 8 | u64{source.level_number} << 4 | u64{source.hops} << 1 | (source.remote ? 1 : 0);
    }
    default:
      return sample.data_src & shown_bits(key);
  }
}

std::string data_word(SortKey key, u64 value) {
  const abi::DataSource source = abi::decode_data_source(value);
  switch (key) {
    case SortKey::Memory: {
      abi::DataSource answered;
      answered.level = static_cast<u16>(value >> 8);
      answered.level_number = static_cast<u8>(value >> 4 & 15);
      answered.hops = static_cast<u8>(value >> 1 & 7);
      answered.remote = (value & 1) != 0;
      return abi::level_text(answered);
    }
    case SortKey::Snoop:
      return abi::snoop_text(source);
    case SortKey::Locked:
      return std::string(abi::lock_text(source));
    case SortKey::Tlb:
      return abi::tlb_text(source);
    case SortKey::Blocked:
      return abi::block_text(source);
    case SortKey::TransactionFlags:
      return transaction_text(value);
    case SortKey::DataPageSize:
    case SortKey::CodePageSize:
      return abi::page_size_text(value);
    default:
      return {};
  }
}

}  // namespace peregrine
