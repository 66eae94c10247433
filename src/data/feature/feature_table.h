// FeatureTable: the rows of feature_rows.h with their codecs. Readers, writers and rewriters look features up by number
// and refer by name only to those that they need the value of.
//
//   section or HEADER_FEATURE ──decode──▶ Features ──encode──▶ section or HEADER_FEATURE
//                                            ├──▶ output/text/dump/feature_text: `report --header`, JSON
//                                            └──◀ pipeline/recording/output/host_features: the recorded machine
//
// The functions take rows, so that a test can pass a table with a feature that no release has.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"

namespace peregrine::data {

struct FeatureRow {
  FeatureId id{};
  std::string_view name;
  // Adds the value of a section to `features`. Returns false and adds nothing if the section is invalid.
  bool (*decode)(ByteReader& in, Features& features) = nullptr;
  // Appends the section. Returns false if there is no such value.
  bool (*encode)(const Features& features, ByteWriter& out) = nullptr;
  FeatureSource source{};
  unsigned traits = 0;

  bool has(unsigned trait) const { return (traits & trait) != 0; }
};

// The real features, ascending by id.
std::span<const FeatureRow> feature_table();
// nullptr if the number has no row.
const FeatureRow* find_feature(u32 id, std::span<const FeatureRow> rows = feature_table());

// Returns "HOSTNAME", "BPF_PROG_INFO", …, or an empty string for numbers without a name.
std::string_view feature_name(u32 id, std::span<const FeatureRow> rows = feature_table());
// False for numbers without a row.
bool feature_has(u32 id, unsigned trait, std::span<const FeatureRow> rows = feature_table());

// Decodes one feature's bytes into `features`. Returns false if the bytes are invalid or the id is unknown.
bool decode_feature(u32 id, Bytes bytes, ByteOrder order, Features& features,
                    std::span<const FeatureRow> rows = feature_table());
// Encodes a section as linux-perf 6.1 does. Returns an empty optional if `features` has no such value.
std::optional<std::vector<std::byte>> encode_feature(u32 id, const Features& features, ByteOrder order = kHostOrder,
                                                     std::span<const FeatureRow> rows = feature_table());

}  // namespace peregrine::data
