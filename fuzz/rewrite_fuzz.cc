// A whole recording copied, as by `inject`: to a file and to a pipe, which must both be readable again and contain the
// same records. Also: a feature that was decoded, encoded and decoded again is the same.
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "input.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "pipeline/rewrite/rewrite.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Kernel records only: those that describe the recording depend on the layout.
u64 count_records(data::Reader& reader) {
  u64 count = 0;
  abi::RecordView record;
  for (;;) {
    const auto more = reader.next(record);
    if (!more || !*more) return count;
    count += static_cast<u32>(record.type) < static_cast<u32>(abi::RecordType::UserTypeStart) ? 1 : 0;
  }
}

Result<data::Reader> open_copy(int fd) { return data::Reader::open_fd(Fd(::dup(fd)), "copy"); }

// decode(encode(x)) = x, checked by encoding both.
void check_features(const data::Reader& reader) {
  const data::Header& header = reader.header();
  for (const u32 id : header.present) {
    const auto once = data::encode_feature(id, header.features, header.order);
    data::Features again;
    again.cpus = header.features.cpus;  // how many CPUs CPU_TOPOLOGY lists
    if (!once || !data::decode_feature(id, *once, header.order, again)) continue;
    if (data::encode_feature(id, again, header.order) != once) std::abort();
  }
}

}  // namespace

void fuzz_rewrite(Bytes bytes) {
  const Fd input(memfd_create("input", MFD_CLOEXEC));
  if (write(input.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  auto counted = open_copy(input.get());
  if (!counted) return;
  const u64 records = count_records(*counted);
  check_features(*counted);
  for (const bool pipe : {false, true}) {
    auto reader = open_copy(input.get());
    const Fd output(memfd_create("output", MFD_CLOEXEC));
    data::CopyWriter writer(Fd(::dup(output.get())), "copy", pipe);
    RewriteOptions options;
    options.build_ids = WhichDsos::Hit;
    options.merge_sched_stat = false;
    if (!rewrite(Root("/nonexistent"), *reader, std::move(writer), options)) continue;
    auto copy = open_copy(output.get());
    if (!copy || count_records(*copy) != records) std::abort();
  }
}

}  // namespace peregrine
