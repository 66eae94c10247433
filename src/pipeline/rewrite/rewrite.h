// rewrite: a recording copied from one place to another, with edits on the way.
//
//   Reader ─▶ edits ─▶ RecordingCopy ─▶ Writer
//
// In the order of the original, except where an edit needs time order (sched_stat, JIT code) or the original has none
// of its own (a directory): then in time order, with a FINISHED_ROUND per batch. Memory is bounded by a piece of 1 MB,
// or a batch.
#pragma once
#include <string>
#include <vector>

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
  bool map_build_ids = false;  // in MMAP2 records, in place of the inode
  bool unwind_stacks = false;  // callchains in place of recorded stacks
  bool merge_sched_stat = false;
  std::optional<SymbolPlaces> jit;  // add the code that JIT compilers dumped
  data::Reader* guest = nullptr;    // a guest's recording of the same time, merged; outlives the rewriting
  GuestMergeOptions guest_options;
  bool hide_addresses = false;  // a made-up layout of memory in place of the recorded one; not with the three above
};

struct RewriteSummary {
  std::vector<data::BuildIdEntry> injected;
  std::vector<std::string> notes;         // what could not be taken over
  std::vector<std::string> details = {};  // what few people care about: left out of nearly every recording
};

// Errors: reading stopped in the middle of a record, writing.
Result<RewriteSummary> rewrite(const Root& root, data::Reader& reader, data::CopyWriter writer,
                               const RewriteOptions& options);

}  // namespace peregrine
