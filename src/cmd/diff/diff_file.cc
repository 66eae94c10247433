#include "cmd/diff/diff_file.h"

#include <algorithm>

#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/row/row_table.h"
#include "base/number/number_list.h"
#include "cmd/diff/diff_branches.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/reading_watch.h"
#include "cmd/recording/trace_choice.h"
#include "output/text/dump/raw_dump.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

Result<HistFilter> make_hist_filter(const DiffOptions& options) {
  HistFilter filter;
  add_words(filter.comms, options.comms);
  add_words(filter.dsos, options.dsos);
  add_words(filter.symbols, options.symbol_names);
  const auto pids = parse_number_list(options.pids), tids = parse_number_list(options.tids);
  if (!pids || !tids) return fail(ErrorKind::Usage, "problems parsing {} list", pids ? "tid" : "pid");
  filter.pids.insert(pids->begin(), pids->end());
  filter.tids.insert(tids->begin(), tids->end());
  return filter;
}

CollectRequest block_request(SourceTable& sources) {
  CollectRequest request{.keys = block_columns().keys, .chains = false, .sources = &sources};
  request.branches = request.blocks = request.branch_lines = request.branch_addresses = true;
  return request;
}

}  // namespace

DiffFile::DiffFile(OpenedRecording recording, const DiffOptions& options, std::size_t group_width, Invocation& call)
    : reader_(std::move(recording)), session_(reader_), hists_(group_width) {
  session_.open(symbol_places(options.symbols, call, reader_), false);
}

Result<std::unique_ptr<DiffFile>> DiffFile::read(OpenedRecording recording, const DiffOptions& options,
                                                 const std::vector<SortKey>& keys, const std::string& times,
                                                 Invocation& call) {
  std::unique_ptr<DiffFile> file(new DiffFile(std::move(recording), options, group_width(keys, false), call));
  const Result<> outcome = file->count(options, keys, times, call);
  if (!outcome) return std::unexpected(outcome.error());
  file->naming_.emplace(file->session_.naming(options.verbose > 0));
  file->keys_ = keys;
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

Result<> DiffFile::count(const DiffOptions& options, const std::vector<SortKey>& keys, const std::string& times,
                         Invocation& call) {
  const auto uses = [&](SortKey key) { return std::ranges::find(keys, key) != keys.end(); };
  CollectRequest request{.keys = keys, .chains = false};
  if (options.by_stack()) request.chains = request.leaf_chains = request.inlined = true;
  if (options.streams) {
    request.histories = request.chains = request.by_address = true;
    request.chain_lines = request.chain_offsets = true;
  }
  request.leaf_lines = uses(SortKey::SourceLine) || uses(SortKey::SourceFile);
  if (const auto& topology = reader_.header().features.cpu_topology)
    for (const auto& place : topology->cpus) request.socket_of_cpu.push_back(place.socket);
  auto filter = make_hist_filter(options);
  if (!filter) return std::unexpected(std::move(filter.error()));
  request.filter = std::move(*filter);
  std::unique_ptr<HistCollector> blocks;
  if (options.cycles) {
    auto made = HistCollector::make(block_request(session_.sources()));
    if (!made) return std::unexpected(std::move(made.error()));
    blocks = std::move(*made);
    request.also.push_back(blocks.get());
  }
  PEREGRINE_TRY(session_.collect(std::move(request)));

  ReplayOptions replay_options;
  choose_sides(replay_options.filter, call.config);
  const auto chosen = choose_cpus(options.cpus, reader_.evlist(), replay_options.filter, call);
  if (!chosen) return std::unexpected(chosen.error());
  if (!times.empty()) {
    auto ranges = choose_times(times, reader_);
    if (!ranges) return std::unexpected(std::move(ranges.error()));
    replay_options.filter.times = std::move(*ranges);
  }
  replay_options.every_record = options.dump;
  if (options.dump) replay_options.workers = 1;
  Replay replay(reader_, session_.machine(), std::move(replay_options));
  RawDumpSink dump(RawDump(reader_, peregrine::event_names(reader_), RawDump::Command::Report), session_.collector(),
                   call.out);
  ReadingWatch watch(options.dump ? static_cast<ReplaySink&>(dump) : session_.collector(), reader_.header(),
                     call.messages);
  const Result<> outcome = replay.run(watch);
  PEREGRINE_TRY(watch.end(options.pictures.file(options.format.output)));
  warn_about_losses(call, replay.account(), reader_.account());
  tell_decoding(reader_, call);
  // What was read before a recording breaks off is shown.
  if (!outcome) call.messages.error(outcome.error());
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

}  // namespace peregrine::cmd
