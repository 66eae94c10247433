#include "session/build_id/build_id_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include "base/build_id.h"
#include "base/result.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"
#include "output/text/format/printable.h"
#include "pipeline/build_id/hit_dsos.h"

namespace peregrine {

Result<> print_build_ids(const BuildIdListRequest& request, data::Reader& reader, Sink& out,
                         SessionListener& listener) {
  const bool by_hits = request.with_hits || !reader.header().has(data::FeatureId::BuildId);
  const auto ids = [&]() -> std::span<const data::BuildIdEntry> {
    const auto& feature = reader.header().features.build_ids;
    return feature ? std::span<const data::BuildIdEntry>(*feature) : std::span<const data::BuildIdEntry>();
  };
  const auto tell_ids = [&] {
    if (!request.verbose) return;
    for (const auto& entry : ids()) {
      listener.verbatim(fmt::format("build id event received for {}: {} [{}]\n", printable(entry.name), entry.id.hex(),
                                    entry.id.size));
    }
  };
  if (!by_hits) {
    tell_ids();
    const std::string zeroes(40, '0');  // same as for a name without a build-id
    for (const auto& entry : ids()) {
      out.format("{:>40} {}\n", entry.id.empty() ? zeroes : entry.id.hex(), printable(entry.name));
    }
    return {};
  }
  auto summary = find_hit_dsos(reader);
  if (!summary) return std::unexpected(std::move(summary.error()));
  tell_ids();
  for (const auto& dso : summary->dsos) {
    if (!dso.hit) continue;
    const auto known = ids();
    const auto entry = std::ranges::find(known, dso.name, &data::BuildIdEntry::name);
    const BuildId& id = entry != known.end() ? entry->id : dso.id;
    out.format("{:>40} {}\n", id.hex(), printable(dso.name));
  }
  return {};
}

}  // namespace peregrine
