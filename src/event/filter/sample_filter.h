// SampleFilterCode: which samples of an event that is no tracepoint are kept (`--filter 'period > 1000 && ip <
// 0xff…'`), as the steps that a BPF program runs for each (abi/sample_filter.h).
//
//   filter := any (',' any)*      any := all ('||' all)*      all := one ('&&' one)*      one := '!' one | '(' filter
//   ')' | test test   := PART OPERATOR VALUE     operators: == != < <= > >= & (any of these bits)
//
// Parts are linux-perf's: ip id tid pid cpu time addr period txn weight…, mem_… with their own words as values.
#pragma once
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "event/term.h"

namespace peregrine {

struct SampleFilterCode {
  std::vector<sample_filter_step> steps;
  u64 needs = 0;  // of abi::sample_bit: what the kernel must gather for it
};

Parsed<SampleFilterCode> parse_sample_filter(std::string_view text);

}  // namespace peregrine
