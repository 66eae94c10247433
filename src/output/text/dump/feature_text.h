// feature_text: the table of how each header feature is printed by `report --header`, `script --header` and
// `data convert --to-json`. One row per feature of data/feature/feature_rows.h; feature_text_test.cc verifies this.
//
// Text is linux-perf 6.1's. Pure except for the local time zone.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "output/sink.h"

namespace peregrine {

// The input of a row's text, and the sink.
struct FeaturePage {
  const data::Header& header;
  const data::Features& features;  // of `header`
  const data::Evlist& evlist;
  Sink& out;
};

// A value for programs. Texts borrow from Features.
struct FeatureValue {
  std::string_view key;  // "nrcpus-online"
  std::variant<std::string_view, u64, std::span<const std::string>> value;
};
using FeatureValues = std::vector<FeatureValue>;

enum class FeatureDetail : u8 {
  Always,
  Full,  // takes pages: printed only with -I, otherwise just mentioned
};

struct FeatureText {
  data::FeatureId id{};
  void (*print)(FeaturePage& page) = nullptr;  // "# hostname : here\n"; nullptr: printed nowhere, as in linux-perf
  FeatureDetail detail = FeatureDetail::Always;
  FeatureValues (*values)(const data::Features& features) = nullptr;  // nullptr: not in JSON, as in linux-perf
};

// In the order used for JSON; text follows the order of the header.
std::span<const FeatureText> feature_texts();

}  // namespace peregrine
