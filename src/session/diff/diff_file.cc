#include "session/diff/diff_file.h"

#include <expected>
#include <optional>
#include <utility>

#include "abi/attr.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/source/source_table.h"
#include "session/event_names.h"
#include "session/recording/losses.h"
#include "session/recording/trace_choice.h"
#include "session/recording_read.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"

namespace peregrine {

namespace {

CollectRequest block_request(SourceTable& sources) {
  CollectRequest request{.keys = block_columns().keys, .chains = false, .sources = &sources};
  request.branches = request.blocks = request.branch_lines = request.branch_addresses = true;
  return request;
}

}  // namespace

DiffFile::DiffFile(OpenedRecording recording, SymbolPlaces places, std::vector<SortKey> keys)
    : reader_(std::move(recording)),
      session_(reader_),
      hists_(group_width(keys, GroupTail::None)),
      keys_(std::move(keys)) {
  session_.open(std::move(places), false);
}

Result<std::unique_ptr<DiffFile>> DiffFile::read(OpenedRecording recording, DiffFileRequest request,
                                                 const DiffReading& how) {
  std::unique_ptr<DiffFile> file(
      new DiffFile(std::move(recording), std::move(request.places), std::move(request.keys)));
  PEREGRINE_TRY(file->count(request.compared, request.times, how));
  file->naming_.emplace(file->session_.naming(request.parameters));
  file->make_faces();
  return Result<std::unique_ptr<DiffFile>>(std::move(file));
}

void DiffFile::make_faces() {
  faces_.emplace(hists_.frames(), naming(), face_keys(keys_));
  if (blocks_) block_faces_.emplace(blocks_->frames(), naming(), FaceKeys{});
}

PairingSide DiffFile::pairing_side() const {
  return {hists_, *faces_, [this](u32 dso) { return session_.machine().dsos().at(DsoId(dso)).build_id.hex(); }};
}

void DiffFile::pair_with(const DiffFile& baseline) {
  std::vector<BuildPair> pairs = pair_builds(baseline.pairing_side(), pairing_side());
  if (pairs.empty()) return;
  paired_.emplace(*naming_, std::move(pairs));
  make_faces();
}

Result<CollectRequest> DiffFile::collect_request(const DiffRequest& request) const {
  CollectRequest collect{.keys = keys_, .chains = false};
  if (request.by_stack) collect.chains = collect.leaf_chains = collect.inlined = true;
  if (request.streams) {
    collect.histories = collect.chains = collect.by_address = true;
    collect.chain_lines = collect.chain_offsets = true;
  }
  collect.leaf_lines = needs_of(keys_).has(KeyNeed::Lines);
  if (const auto& topology = reader_.header().features.cpu_topology)
    for (const auto& place : topology->cpus) collect.socket_of_cpu.push_back(place.socket);
  auto filter = hist_filter(request.selection);
  if (!filter) return std::unexpected(std::move(filter.error()));
  collect.filter = std::move(*filter);
  return collect;
}

Result<> DiffFile::count(const DiffRequest& request, const std::string& times, const DiffReading& how) {
  auto collect = collect_request(request);
  if (!collect) return std::unexpected(std::move(collect.error()));
  std::unique_ptr<HistCollector> blocks;
  if (request.cycles) {
    auto made = HistCollector::make(block_request(session_.sources()));
    if (!made) return std::unexpected(std::move(made.error()));
    blocks = std::move(*made);
    collect->also.push_back(blocks.get());
  }
  PEREGRINE_TRY(session_.collect(std::move(*collect)));
  SampleSelection selection = request.selection;
  selection.times = times;
  auto filter = choose_sample_filter(selection, reader_, how.listener);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return fail(ErrorKind::Usage, "{}: samples have no CPU numbers", reader_.path());
  ReadRequest reading{.dump = how.dump, .file = how.file};
  reading.replay.filter = std::move(**filter);
  auto read = read_recording(reader_, session_.machine(), session_.collector(), std::move(reading), how.listener);
  if (!read) return std::unexpected(std::move(read.error()));
  warn_about_losses(how.listener, read->account, reader_.account());
  tell_decoding(reader_, how.listener);
  outcome_ = std::move(read->outcome);
  names_ = peregrine::event_names(reader_);
  if (blocks) blocks_ = blocks->finish();
  hists_ = session_.finish();
  return {};
}

std::optional<u32> DiffFile::event_like(const abi::EventAttr& attr) const {
  for (u32 at = 0; at < evlist().size(); ++at)
    if (evlist()[at].attr.type == attr.type && evlist()[at].attr.config == attr.config) return at;
  return std::nullopt;
}

}  // namespace peregrine
