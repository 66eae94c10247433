#include "session/live/live_view.h"

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/percent.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/dso/dso.h"
#include "pipeline/live/live_session.h"
#include "session/live/live_counter.h"

namespace peregrine {
namespace {

// An event that only carries side-band records.
bool is_side_band_event(const data::Event& event) {
  return event.attr.type == static_cast<u32>(abi::EventType::Software) &&
         event.attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
}

std::string target_text(const TargetRequest& target, std::size_t cpus) {
  if (!target.pids.empty()) return "target_pid: " + target.pids;
  if (!target.tids.empty()) return "target_tid: " + target.tids;
  if (!target.user.empty()) return "uid: " + target.user;
  if (!target.cpus.empty())
    return fmt::format("all, CPU{}: {}", target.cpus.find_first_of(",-") == std::string::npos ? "" : "s", target.cpus);
  return "all, " + counted(cpus, "CPU");
}

}  // namespace

LiveView::LiveView(std::unique_ptr<LiveSession> session, data::Reader& reader, LiveViewRequest request)
    : reader_(reader),
      request_(std::move(request)),
      profile_(std::move(session), reader, request_.report.grouping.raw_trace,
               recorded_fields(reader, request_.report.grouping.raw_trace)) {}

Result<std::unique_ptr<LiveView>> LiveView::make(std::unique_ptr<LiveSession> session, data::Reader& reader,
                                                 LiveViewRequest request) {
  std::unique_ptr<LiveView> view(new LiveView(std::move(session), reader, std::move(request)));
  auto plan = make_plan(view->request_.report, reader, {.live = true}, view->profile_.profile().fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  std::erase_if(plan->tables,
                [&](const std::vector<u32>& events) { return is_side_band_event(reader.evlist()[events[0]]); });
  view->plan_ = std::move(*plan);
  return view;
}

Result<> LiveView::start(SymbolPlaces places, const EventSwitch& event_switch, const LiveSettings& settings) {
  auto collect = collect_request(request_.report, plan_, reader_);
  if (!collect) return std::unexpected(std::move(collect.error()));
  collect->event_switch = event_switch;
  add_zoom_keys(*collect);
  auto replay = replay_options(request_.report, plan_, collect->keys, event_switch, {});
  return profile_.start({.collect = std::move(*collect),
                         .replay = std::move(replay),
                         .places = std::move(places),
                         .full_source_paths = request_.report.grouping.full_source_path,
                         .long_names = request_.report.look.parameters,
                         .hide_kernel = settings.hide_kernel,
                         .hide_user = settings.hide_user,
                         .zero = settings.zero});
}

// "4000Hz cpu-clock": the first event, and how it is sampled.
std::string LiveView::event_text() const {
  if (evlist().empty()) return {};
  const abi::EventAttr& attr = evlist()[0].attr;
  std::string rate;
  if (attr.has(abi::attr_flag::Freq))
    rate = fmt::format("{}Hz ", attr.sample_period);
  else if (attr.sample_period > 1)
    rate = fmt::format("{} ", attr.sample_period);
  std::string names = plan_.names.empty() ? "" : plan_.names[0];
  if (const std::size_t more = plan_.tables.size(); more > 1) names += fmt::format(" and {} more", more - 1);
  return rate + names;
}

TopHeading LiveView::heading() const {
  const LiveCounts& counts = profile_.counts();
  return {.samples_per_second = counts.seconds > 0 ? static_cast<double>(counts.samples) / counts.seconds : 0,
          .kernel = percent_of(counts.kernel, counts.samples),
          .user = percent_of(counts.user, counts.samples),
          .guest_kernel = percent_of(counts.guest_kernel, counts.samples),
          .guest_user = percent_of(counts.guest_user, counts.samples),
          .exact = percent_of(counts.exact, counts.samples),
          .guests = counts.guest_kernel + counts.guest_user > 0,
          .lost = counts.lost,
          .all_lost = counts.all_lost,
          .dropped = counts.dropped,
          .all_dropped = counts.all_dropped,
          .event = event_text(),
          .target = target_text(request_.target, request_.cpus),
          .own_cost = counts.own_cost};
}

}  // namespace peregrine
