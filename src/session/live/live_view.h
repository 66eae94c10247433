// LiveView: a live profile as people see it: columns, tables, rows and heading.
//
//   auto view = LiveView::make(std::move(source.session), reader, request);  // plan() has the names of the events
//   PEREGRINE_TRY((*view)->start(places, event_switch, settings));           // starts collecting
//   (*view)->profile().look();                                               // a refresh, for profile() and heading()
//
// One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "analysis/annotate/symbol_listings.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/text/report/top_page.h"
#include "pipeline/live/live_session.h"
#include "pipeline/replay/event_switch.h"
#include "session/live/live_profile.h"
#include "session/live/live_settings.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"

namespace peregrine {

struct LiveViewRequest {
  TargetRequest target;  // for the heading
  std::size_t cpus = 0;  // of the target
  ReportRequest report;
  ListingRequest listing;   // of annotated code
  bool code_bytes = false;  // with the bytes of instructions
};

class LiveView {
 public:
  // `reader` reads the session's samples and must outlive the view. Errors: the report does not fit the events.
  static Result<std::unique_ptr<LiveView>> make(std::unique_ptr<LiveSession> session, data::Reader& reader,
                                                LiveViewRequest request);

  // Starts collecting. Errors: as LiveProfile::start().
  Result<> start(SymbolPlaces places, const EventSwitch& event_switch, const LiveSettings& settings);

  const LiveViewRequest& request() const { return request_; }
  const Plan& plan() const { return plan_; }
  LiveProfile& profile() { return profile_; }
  const data::Evlist& evlist() const { return reader_.evlist(); }
  TopHeading heading() const;

 private:
  LiveView(std::unique_ptr<LiveSession> session, data::Reader& reader, LiveViewRequest request);
  std::string event_text() const;

  data::Reader& reader_;
  LiveViewRequest request_;
  LiveProfile profile_;
  Plan plan_;
};

}  // namespace peregrine
