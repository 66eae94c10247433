// MapBuildIds: changes MMAP2 records to contain the file's build-id instead of its inode.
//
// The id is the user's for that path, or the file's. Leaves maps unchanged if they have no file, already have an id, or
// their file is gone or was replaced. Each path is checked once. Not thread safe.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "sys/root.h"

namespace peregrine {

class MapBuildIds {
 public:
  // `reader` and `known` must outlive this.
  MapBuildIds(const Root& root, const data::Reader& reader, const std::vector<KnownBuildId>& known)
      : root_(root), reader_(reader), known_(known) {}

  // The record to write; valid until the next call.
  Bytes edit(const abi::RecordView& record);
  u64 edited() const { return edited_; }

 private:
  const BuildId& id_of(const abi::MmapRecord& map);

  Root root_;
  const data::Reader& reader_;
  const std::vector<KnownBuildId>& known_;
  std::map<std::string, BuildId, std::less<>> ids_;  // by path; empty: none
  abi::SideBandScratch scratch_;
  std::vector<std::byte> bytes_;
  u64 edited_ = 0;
};

}  // namespace peregrine
