// A trace.dat file: its description, its events, and the recording made of them, which must be readable. Packed pages
// are left out: the archive target tests their unpacker.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "data/reader/reader.h"
#include "data/trace_dat/trace_dat.h"
#include "data/writer/copy_writer.h"
#include "input.h"
#include "pipeline/bundle/unpack_budget.h"
#include "pipeline/trace_dat/recording_header.h"
#include "pipeline/trace_dat/recording_samples.h"
#include "pipeline/trace_dat/ring_event_fields.h"
#include "pipeline/trace_dat/trace_contents.h"
#include "pipeline/trace_dat/trace_events.h"

void peregrine::fuzz_trace_dat(Bytes bytes) {
  const Fd input(memfd_create("input", MFD_CLOEXEC));
  if (!write_all(input.get(), bytes.data(), bytes.size())) return;
  const auto trace = data::read_trace_dat(input.get());
  if (!trace) return;
  std::vector<PlainPages> pages;
  for (const data::RingBuffer& buffer : trace->buffers)
    for (const data::CpuPages& of_cpu : buffer.cpus)
      if (!buffer.packed) pages.push_back({input.get(), buffer.page_size, of_cpu});
  const RingEventFields fields(trace->tracing);
  TraceEvents survey(pages, *trace, fields);
  const auto contents = survey_events(survey, *trace, fields);
  if (!contents) return;
  const RecordingHeader header = recording_header(*trace, *contents);
  Fd recording(memfd_create("recording", MFD_CLOEXEC));
  data::CopyWriter writer(Fd(::dup(recording.get())), "recording", false);
  UnpackBudget budget("input", bytes.size(), "/tmp", {});
  TraceEvents events(pages, *trace, fields);
  if (!writer.begin(header.evlist, {}) || !writer.append(header.side_band)) return;
  if (!write_samples(events, fields, header.evlist, budget, writer) || !write_features(header, writer)) return;
  auto reader = data::Reader::open_fd(std::move(recording), "recording");
  if (!reader) std::abort();
  abi::RecordView record;
  while (reader->next(record).value_or(false)) {
  }
}
