// BuildIdInjection: finds missing build-ids while a recording is copied.
//
// look() sees every record; take_new() returns the ids of dsos that were hit (or of all mapped ones) since the last
// call. Sources in order: the user's ids, the recording, the dso's file. The kernel, modules and vdso of another kernel
// have no file here and are skipped.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "pipeline/build_id/hit_dsos.h"
#include "sys/root.h"

namespace peregrine {

enum class WhichDsos { None, Hit, All };

struct KnownBuildId {
  BuildId id;
  std::string path;
};

class BuildIdInjection {
 public:
  BuildIdInjection(const Root& root, const data::Reader& reader, WhichDsos which, std::vector<KnownBuildId> known);

  // An id that is already known.
  void add(data::BuildIdEntry entry) { added_.push_back(std::move(entry)); }
  void look(const abi::RecordView& record);
  // Only those that the recording lacks.
  std::vector<data::BuildIdEntry> take_new();
  // The contents of the BUILD_ID feature including the new ids; empty if unchanged.
  std::vector<std::byte> feature() const;
  const std::vector<data::BuildIdEntry>& injected() const { return injected_; }

 private:
  const BuildId* find_known(const std::string& path) const;
  std::vector<HitDso> new_dsos();
  bool is_recorded(const HitDso& dso) const;
  bool has_its_file_here(const HitDso& dso) const;

  Root root_;
  const data::Reader& reader_;
  WhichDsos which_;
  std::vector<KnownBuildId> known_;
  HitFinder finder_;
  std::vector<data::BuildIdEntry> added_;  // since take_new()
  std::vector<data::BuildIdEntry> injected_;
};

// BUILD_ID records for these entries, for a pipe.
std::vector<std::byte> build_id_records(const std::vector<data::BuildIdEntry>& entries, ByteOrder order);

}  // namespace peregrine
