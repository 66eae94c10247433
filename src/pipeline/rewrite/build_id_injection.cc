#include "pipeline/rewrite/build_id_injection.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header/pipe_records.h"
#include "pipeline/build_id/build_id_store.h"
#include "sys/kernel/host.h"

namespace peregrine {
namespace {

constexpr u32 kBuildIdFeature = static_cast<u32>(data::FeatureId::BuildId);

}  // namespace

BuildIdInjection::BuildIdInjection(const Root& root, const data::Reader& reader, WhichDsos which,
                                   std::vector<KnownBuildId> known)
    : root_(root), reader_(reader), which_(which), known_(std::move(known)), finder_(reader.evlist()) {}

void BuildIdInjection::look(const abi::RecordView& record) {
  if (which_ == WhichDsos::All && record.type == abi::RecordType::Sample) return;
  if (which_ != WhichDsos::None) finder_.add(record);
}

const BuildId* BuildIdInjection::find_known(const std::string& path) const {
  const auto found = std::ranges::find(known_, path, &KnownBuildId::path);
  return found == known_.end() ? nullptr : &found->id;
}

bool BuildIdInjection::is_recorded(const HitDso& dso) const {
  const auto& ids = reader_.header().features.build_ids;
  return ids && std::ranges::find(*ids, dso.name, &data::BuildIdEntry::name) != ids->end();
}

bool BuildIdInjection::has_its_file_here(const HitDso& dso) const {
  // The kernel and its modules have no path: their file is here only if this machine runs the recorded release.
  if (dso.id || !dso.name.starts_with('[')) return true;
  const auto& release = reader_.header().features.os_release;
  return !release || *release == read_host(root_).release;
}

std::vector<HitDso> BuildIdInjection::new_dsos() {
  if (which_ == WhichDsos::None) return {};
  return which_ == WhichDsos::All ? finder_.take_new_maps() : finder_.take_new_hits();
}

std::vector<data::BuildIdEntry> BuildIdInjection::take_new() {
  auto entries = std::exchange(added_, {});
  std::vector<HitDso> wanted;
  for (HitDso& dso : new_dsos()) {
    if (const BuildId* known = find_known(dso.name)) {
      dso.id = *known;
    } else if (is_recorded(dso) || !has_its_file_here(dso)) {
      continue;
    }
    dso.pid = 0;  // the process is gone: only the path can lead to the file
    wanted.push_back(std::move(dso));
  }
  for (FoundBuildId& found : read_build_ids(root_, wanted)) entries.push_back(std::move(found.entry));
  injected_.insert(injected_.end(), entries.begin(), entries.end());
  return entries;
}

std::vector<std::byte> BuildIdInjection::feature() const {
  if (injected_.empty()) return {};
  data::Features features;
  features.build_ids = reader_.header().features.build_ids.value_or(std::vector<data::BuildIdEntry>());
  // What was injected replaces the recorded entry of the same file.
  std::erase_if(*features.build_ids, [&](const data::BuildIdEntry& entry) {
    return std::ranges::find(injected_, entry.name, &data::BuildIdEntry::name) != injected_.end();
  });
  features.build_ids->insert(features.build_ids->end(), injected_.begin(), injected_.end());
  return data::encode_feature(kBuildIdFeature, features, reader_.header().order).value_or(std::vector<std::byte>());
}

std::vector<std::byte> build_id_records(const std::vector<data::BuildIdEntry>& entries, ByteOrder order) {
  data::Features features;
  features.build_ids = entries;
  ByteWriter records(order);
  if (const auto bytes = data::encode_feature(kBuildIdFeature, features, order)) data::put_build_ids(*bytes, records);
  return {records.bytes().begin(), records.bytes().end()};
}

}  // namespace peregrine
