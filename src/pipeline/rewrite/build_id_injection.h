// BuildIdInjection: the build-ids that a recording lacks, found while it is copied.
//
// look() sees every record; take_new() tells the ids of dsos that samples fell into (or all that were mapped) since the
// last call. An id is taken from what the user knows, then from the recording, then from the dso's file; the kernel,
// its modules and the vdso of another kernel have no file here and are left out.
#pragma once
#include <string>
#include <vector>

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

  // An id that is known already.
  void add(data::BuildIdEntry entry) { added_.push_back(std::move(entry)); }
  void look(const abi::RecordView& record);
  // Those that the recording does not have itself.
  std::vector<data::BuildIdEntry> take_new();
  // The bytes of the BUILD_ID feature with the new ids; empty when it stays as it is.
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

// BUILD_ID records of these entries, for a pipe.
std::vector<std::byte> build_id_records(const std::vector<data::BuildIdEntry>& entries, ByteOrder order);

}  // namespace peregrine
