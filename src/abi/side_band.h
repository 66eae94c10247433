// SideBand: any kernel record other than a sample, decoded into one closed sum type.
//
// decode_side_band() is the last code that sees the bytes: strings are terminated, counts are in range, values are in
// host byte order. Strings and spans borrow from the record. Format: docs/perf-data.md, "Side-band", from
// include/uapi/linux/perf_event.h.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::abi {

// MMAP and MMAP2.
struct MmapRecord {
  u32 pid = 0, tid = 0;
  u64 start = 0, length = 0, page_offset = 0;
  std::string_view filename;
  bool version2 = false;      // MMAP2: the fields below are valid
  bool has_build_id = false;  // MMAP2 with MISC_MMAP_BUILD_ID: build_id instead of the inode fields
  u32 major = 0, minor = 0;
  u64 inode = 0, inode_generation = 0;
  Bytes build_id;  // at most 20 bytes
  u32 protection = 0, flags = 0;
  bool data = false;  // MISC_MMAP_DATA: not executable
};
struct CommRecord {
  u32 pid = 0, tid = 0;
  std::string_view comm;
  bool exec = false;
};
struct ForkRecord {
  u32 pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  u64 time = 0;
};
struct ExitRecord {
  u32 pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  u64 time = 0;
};
struct LostRecord {
  u64 id = 0, lost = 0;
};
struct LostSamplesRecord {
  u64 lost = 0;
};
struct ThrottleRecord {
  u64 time = 0, id = 0, stream_id = 0;
  bool throttled = false;
};
struct ReadRecord {
  u32 pid = 0, tid = 0;
  ReadValues values;
};
struct AuxRecord {
  u64 offset = 0, size = 0, flags = 0;
};
struct ItraceStartRecord {
  u32 pid = 0, tid = 0;
};
struct SwitchRecord {
  bool out = false, preempt = false, cpu_wide = false;
  u32 next_prev_pid = 0, next_prev_tid = 0;
};
struct NamespaceLink {
  u64 device = 0, inode = 0;
};
struct NamespacesRecord {
  u32 pid = 0, tid = 0;
  std::span<const NamespaceLink> links;
};
struct KsymbolRecord {
  u64 address = 0;
  u32 length = 0;
  u16 type = 0, flags = 0;
  std::string_view name;
};
struct BpfEventRecord {
  u16 type = 0, flags = 0;
  u32 id = 0;
  Bytes tag;
};
struct CgroupRecord {
  u64 id = 0;
  std::string_view path;
};
struct TextPokeRecord {
  u64 address = 0;
  Bytes old_bytes, new_bytes;
};
struct AuxOutputHwIdRecord {
  u64 hw_id = 0;
};
struct CallchainDeferredRecord {
  u64 cookie = 0;
  std::span<const u64> chain;
};

using SideBandBody =
    std::variant<MmapRecord, CommRecord, ForkRecord, ExitRecord, LostRecord, LostSamplesRecord, ThrottleRecord,
                 ReadRecord, AuxRecord, ItraceStartRecord, SwitchRecord, NamespacesRecord, KsymbolRecord,
                 BpfEventRecord, CgroupRecord, TextPokeRecord, AuxOutputHwIdRecord, CallchainDeferredRecord>;

struct SideBand {
  SideBandBody body;
  SampleId id;  // the trailer; fields = 0 if absent
  u16 misc = 0;
  u64 offset = 0;  // of the record, in the file
};

// Storage for what cannot be borrowed. A SideBand is valid until the next decode with it.
struct SideBandScratch {
  std::vector<u64> words;
  std::vector<ReadValue> read;
  std::vector<NamespaceLink> links;
};

// Decodes a kernel record other than SAMPLE. `attr` is that of its event (data::Evlist::attr_of). Empty if the type is
// not a kernel side-band record. Malformed: the body is too short, a count is out of range or a string is unterminated.
Result<std::optional<SideBand>> decode_side_band(const RecordView& record, const EventAttr& attr,
                                                 SideBandScratch& scratch);

}  // namespace peregrine::abi
