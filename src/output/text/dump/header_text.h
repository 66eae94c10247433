// header_text: a recording's header as printed by `report --header`: lines starting with "#".
//
// Text and order are linux-perf 6.1's; the text of each feature is a row of feature_text. Pure except for the local
// time zone.
#pragma once
#include <span>

#include "data/header.h"
#include "data/header/evlist.h"
#include "output/sink.h"
#include "output/text/dump/feature_text.h"

namespace peregrine {

// `full` prints topologies and caches too (-I); otherwise only mentions them.
void print_header(const data::Header& header, const data::Evlist& evlist, bool full, Sink& out,
                  std::span<const FeatureText> texts = feature_texts());

}  // namespace peregrine
