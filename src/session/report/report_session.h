// ReportSession: turns a recording and a ReportRequest into the sums that report and its screen show. Its steps are
// called in this order:
//
//   ReportSession session(reader, request, source);
//   PEREGRINE_TRY(session.make_plan());                 // columns and tables
//   PEREGRINE_TRY(session.choose(collection));          // what to collect for them
//   PEREGRINE_TRY(session.open(places, listener));      // machine, collector, filter
//   auto read = session.read(dump, file, listener);     // or replay_options(), for a replay in another thread
//   session.finish();                                   // hists() and naming()
//
// Main thread only, except for the replay inside read().
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/machine_naming.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/export/picture_request.h"
#include "session/export/pictures.h"
#include "session/export/profile_format.h"
#include "session/profile_session.h"
#include "session/recording_read.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"
#include "session/session_listener.h"

namespace peregrine {

// What to collect in addition to the rows of the plan, or instead of them.
struct ReportCollection {
  EventSwitch event_switch = {};
  const PictureRequest* pictures = nullptr;  // null or none requested: rows
  const ProfileFormat* profile = nullptr;    // null: rows
  bool zooms = false;                        // a screen: keys to zoom by, and
  std::size_t kept_samples = 0;              // samples of each row
};

class ReportSession {
 public:
  // `reader` and `request` must outlive the session.
  ReportSession(data::Reader& reader, const ReportRequest& request, SampleSource source);

  // Errors: Usage, the request does not fit the recording.
  Result<> make_plan();
  const Plan& plan() const { return plan_; }
  const ReportRequest& request() const { return request_; }
  const data::Reader& reader() const { return reader_; }

  // `collection` must outlive the session. Errors: Usage, an invalid list or duration.
  Result<> choose(const ReportCollection& collection);
  // False: samples cannot be selected by CPU (already reported). Errors: Usage, an invalid expression or filter.
  Result<bool> open(SymbolPlaces places, SessionListener& listener);

  // `dump`: as in ReadRequest. Errors: as read_recording().
  Result<RecordingRead> read(Sink* dump, std::string file, SessionListener& listener);
  // For a replay into collector(). Call once.
  ReplayOptions replay_options();

  // Call after the last record.
  void finish();
  const Hists& hists() const { return *hists_; }
  MachineNaming& naming() { return *naming_; }
  const std::vector<ThreadRead>& thread_reads() const { return thread_reads_; }
  // A warning about samples with unknown data types; empty: there are no such samples.
  std::string unknown_types() const;

  ProfileSession& profile() { return profile_; }
  const ProfileSession& profile() const { return profile_; }
  PageSinks& page_sinks() { return page_sinks_; }
  u64 time_quantum() const { return time_quantum_; }

 private:
  data::Reader& reader_;
  const ReportRequest& request_;
  SampleSource source_;
  ProfileSession profile_;
  Plan plan_;
  const ReportCollection* collection_ = nullptr;
  PageSinks page_sinks_;
  CollectRequest collect_;  // between choose() and open()
  SampleFilter filter_;
  u64 time_quantum_ = 0;
  std::vector<ThreadRead> thread_reads_;
  UnknownTypeCounts unknown_types_;
  std::optional<Hists> hists_;
  std::optional<MachineNaming> naming_;
};

}  // namespace peregrine
