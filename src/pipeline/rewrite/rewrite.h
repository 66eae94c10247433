// rewrite: copies a recording with edits.
//
//   Reader ─▶ edits ─▶ RecordingCopy ─▶ Writer
//
// Keeps the original order, unless an edit needs time order (sched_stat, JIT code) or the original has none (a
// directory): then in time order, with a FINISHED_ROUND per batch. Memory is bounded by a chunk of 1 MB, or a batch.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "machine/dso/dso.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "pipeline/rewrite/guest_merge.h"
#include "sys/root.h"

namespace peregrine {

struct RewriteOptions {
  WhichDsos build_ids = WhichDsos::None;
  std::vector<KnownBuildId> known_ids;
  bool map_build_ids = false;  // in MMAP2 records, instead of the inode
  bool unwind_stacks = false;  // replace recorded stacks by callchains
  bool merge_sched_stat = false;
  std::optional<SymbolPlaces> jit;  // add JIT-compiled code from dumps
  data::Reader* guest = nullptr;    // a guest's concurrent recording to merge; must outlive the rewriting
  GuestMergeOptions guest_options;
  bool hide_addresses = false;  // replace the memory layout by a made-up one; excludes the three above
};

struct RewriteSummary {
  std::vector<data::BuildIdEntry> injected;
  std::vector<std::string> notes;         // what could not be copied
  std::vector<std::string> details = {};  // minor: dropped from nearly every recording
};

// Errors: a record was truncated, or writing failed.
Result<RewriteSummary> rewrite(const Root& root, data::Reader& reader, data::CopyWriter writer,
                               const RewriteOptions& options);

}  // namespace peregrine
