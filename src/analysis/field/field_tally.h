// FieldTally: a sink that counts samples by field values, and sums or distributes one numeric field: script --count-by,
// --sum, --hist.
//
// One table per worker, merged at the end. Samples of events without a field are skipped and counted.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/field/sample_field.h"
#include "analysis/stat/value_distribution.h"
#include "base/number/wide_number.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TallyRow {
  std::string key;
  u64 count = 0;
  i128 sum = 0;
};

class FieldTally : public ReplaySink {
 public:
  struct Request {
    std::vector<SampleField> keys;     // empty: one row
    std::optional<SampleField> value;  // field to sum or distribute
    bool distribute = false;
  };
  explicit FieldTally(Request request) : request_(std::move(request)) {}

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Largest sum first, or largest count without a value. Call these after the replay.
  std::vector<TallyRow> rows() const;
  ValueDistribution distribution(std::string name) const;
  u64 passed_over() const;

 private:
  struct Amount {
    u64 count = 0;
    i128 sum = 0;
  };
  struct Worker {
    std::string key;
    std::unordered_map<std::string, Amount> amounts;
    CountedValues values;
    u64 passed_over = 0;
  };

  Request request_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
