// feature_text: the table of what is printed of each header feature, by `report --header`, `script --header` and
// `data convert --to-json`. One row per feature of data/feature/feature_rows.h; feature_text_test.cc proves it.
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

// What a row's text is made from, and where it goes.
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
  Full,  // pages long: printed with -I only, otherwise just mentioned
};

struct FeatureText {
  data::FeatureId id{};
  void (*print)(FeaturePage& page) = nullptr;  // "# hostname : here\n"; nullptr: nothing, as linux-perf does
  FeatureDetail detail = FeatureDetail::Always;
  FeatureValues (*values)(const data::Features& features) = nullptr;  // nullptr: not in JSON, as linux-perf does
};

// In the order of JSON; text follows the order of the header.
std::span<const FeatureText> feature_texts();

}  // namespace peregrine
