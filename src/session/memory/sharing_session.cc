#include "session/memory/sharing_session.h"

#include <fmt/format.h>

#include <expected>
#include <functional>
#include <utility>

#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/feature/host/node_cpus.h"
#include "data/feature/host/node_memory.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "output/text/access/sharing_functions.h"
#include "session/event_names.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

constexpr u64 kUsualLine = 64;  // bytes

Result<SharingOrder> sharing_order(const std::string& word, const data::Features& features) {
  if (word.empty())
    return features.arch && features.arch->starts_with("aarch64") ? SharingOrder::Peer : SharingOrder::TotalHitm;
  if (word == "tot") return SharingOrder::TotalHitm;
  if (word == "lcl") return SharingOrder::LocalHitm;
  if (word == "rmt") return SharingOrder::RemoteHitm;
  if (word == "peer") return SharingOrder::Peer;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("-d: unknown order '{}'", word)}.with_hint(
      "must be one of tot, lcl, rmt, peer"));
}

// The NUMA nodes of the recorded machine; -1: unknown.
std::function<i32(u32)> nodes_of_cpus(const data::Features& features) {
  const auto& topology = features.numa_topology;
  return [nodes = topology ? data::nodes_of_cpus(*topology, -1) : std::vector<i32>()](u32 cpu) {
    return cpu < nodes.size() ? nodes[cpu] : -1;
  };
}

std::function<i32(u64)> nodes_of_memory(const data::Features& features) {
  return [topology = features.memory_topology](u64 physical) {
    return topology ? data::node_of_memory(*topology, physical) : -1;
  };
}

}  // namespace

Result<SharingGrouping> parse_sharing_grouping(std::string_view fields) {
  SharingGrouping grouping{.fields = std::string(fields), .keys = {.code = false}};
  SharingKeys& keys = grouping.keys;
  for (const std::string& word : split_words(fields)) {
    bool* const key = word == "pid"     ? &keys.pid
                      : word == "tid"   ? &keys.tid
                      : word == "iaddr" ? &keys.code
                      : word == "dso"   ? &keys.dso
                                        : nullptr;
    if (key == nullptr)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("-c: unknown field '{}'", word)}.with_hint(
          "must be one of pid, tid, iaddr, dso"));
    *key = true;
  }
  return grouping;
}

Result<> check_has_functions(const SharingGrouping& grouping) {
  if (grouping.keys.code) return {};
  return std::unexpected(Error{
      ErrorKind::Usage, fmt::format("--function-view requires the code address, which -c {} omits", grouping.fields)}
                             .with_hint(fmt::format("add the code address: -c {},iaddr", grouping.fields)));
}

SharingSession::SharingSession(TracedRecording& recording, SharingRequest request)
    : recording_(recording), request_(std::move(request)) {}

Result<> SharingSession::read(SessionListener& listener) {
  const data::Reader& reader = *recording_.reader;
  const data::Features& features = reader.header().features;
  const SharingKeys& keys = request_.grouping.keys;
  const auto order = sharing_order(request_.display, features);
  if (!order) return std::unexpected(order.error());
  if (request_.stitch_branches) check_stitching(reader.evlist(), listener);
  if (request_.graph.mode != GraphMode::None && records_chains(reader.evlist())) {
    auto made = SharingCallers::make(request_.graph);
    if (!made) return std::unexpected(std::move(made.error()));
    callers_.emplace(std::move(*made));
  }
  const u64 line_size = features.cacheline_size.value_or(kUsualLine);
  LineSharing sharing(keys, request_.double_lines ? 2 * line_size : line_size, callers_ ? &callers_->sink() : nullptr);
  PEREGRINE_TRY(
      replay_in_order(recording_, sharing, {.shown = {}, .stitch_branches = request_.stitch_branches}, listener));
  all_ = sharing.all();
  if (!any()) return {};
  look_ = {.order = *order,
           .keys = keys,
           .nodes = request_.nodes,
           .grouping = "offset," + request_.grouping.fields,
           .events = event_names(reader),
           .node_of_cpu = nodes_of_cpus(features),
           .node_of_memory = nodes_of_memory(features),
           .symbol = {},
           .object = {},
           .source = {},
           .shows_source = request_.shows_source};
  name_code();
  all_lines_ = sharing.take_lines();
  lines_ = contended_lines(all_lines_, all_, *order, request_.show_all);
  if (keys.code) functions_ = contended_functions(lines_);
  return {};
}

void SharingSession::name_code() {
  // Names are resolved when a row is printed: most lines are not. The functions below refer to this session, which
  // must therefore stay where it is.
  resolver_.emplace(*recording_.machine);
  sources_.emplace(recording_.machine->dsos(), false);
  look_.symbol = [this](const SharingRow& row) {
    const Frame& frame = row.frame;
    const std::string name =
        frame.symbol ? std::string(resolver_->symbol_name(frame)) : fmt::format("0x{:016x}", frame.address);
    return fmt::format("[{}] {}", frame_letter(frame.kind), name);
  };
  look_.object = [this](const SharingRow& row) {
    const DsoId dso = row.frame.dso;
    return dso ? std::string(resolver_->machine().dsos().at(dso).short_name) : std::string("[unknown]");
  };
  look_.source = [this](const SharingRow& row) {
    return std::string(sources_->text(sources_->shown_line(*resolver_, row.frame)));
  };
  if (!callers_) return;
  callers_->finish(*recording_.machine);
  look_.callers = [this](const SharedLine& line, const SharingRow& row) { return callers_->text(line, row); };
}

void print_sharing(const SharingSession& session, const SharingText& text, Sink& out) {
  if (text.functions && !text.statistics_only)
    return print_shared_functions(session.functions(), session.all(), session.look(), out);
  print_access_statistics(session.all(), out);
  print_shared_statistics(session.all_lines(), session.look(), out);
  if (text.statistics_only) return;
  print_shared_lines(session.lines(), session.all(), session.look(), out);
  print_line_rows(session.lines(), session.look(), out);
}

}  // namespace peregrine
