// SampleFilterCode: a filter for samples of events other than tracepoints (`--filter 'period > 1000 && ip < 0xff…'`),
// compiled to the steps that a BPF program runs per sample (abi/sample_filter.h).
//
//   filter := any (',' any)*      any := all ('||' all)*      all := one ('&&' one)*      one := '!' one | '(' filter
//   ')' | test test   := PART OPERATOR VALUE     operators: == != < <= > >= & (any of these bits)
//
// Parts have linux-perf's names: ip id tid pid cpu time addr period txn weight…, and mem_… with symbolic values.
#pragma once
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "base/types.h"
#include "event/term.h"

namespace peregrine {

struct SampleFilterCode {
  std::vector<sample_filter_step> steps;
  u64 needs = 0;  // abi::sample_bit values that the kernel must provide
};

Parsed<SampleFilterCode> parse_sample_filter(std::string_view text);

}  // namespace peregrine
