// DiffFile: one recording compared by diff: its machine, its sums and their names.
//
// Everything lives as long as the object, because rows contain ids that only the machine can name. Main thread only,
// except for the replay inside read().
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "analysis/diff/build_pairing.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "session/diff/diff_request.h"
#include "session/profile_session.h"
#include "session/recording/opened_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct DiffFileRequest {
  const DiffRequest& compared;
  std::vector<SortKey> keys;
  std::string times;        // this file's part of the selection
  SymbolPlaces places;      // may borrow from the recording
  bool parameters = false;  // C++ names with their parameters
};
struct DiffReading {
  Sink* dump = nullptr;  // where to print every record; null: nowhere
  std::string file;      // the output file; empty: none. See ReadRequest.
  SessionListener& listener;
};

class DiffFile {
 public:
  // Errors: Usage, an invalid filter; System (EINTR), as read_recording().
  static Result<std::unique_ptr<DiffFile>> read(OpenedRecording recording, DiffFileRequest request,
                                                const DiffReading& how);

  // An error: the recording is broken, and the sums cover the part before the damage.
  const Result<>& outcome() const { return outcome_; }
  const data::Evlist& evlist() const { return reader_.evlist(); }
  const DsoTable& dsos() const { return session_.machine().dsos(); }
  const std::vector<std::string>& event_names() const { return names_; }
  const Hists& hists() const { return hists_; }
  const FaceTable& faces() const { return *faces_; }
  Naming& naming() { return paired_ ? static_cast<Naming&>(*paired_) : *naming_; }
  // Gives binaries that are different builds of the baseline's the baseline's names, from now on.
  void pair_with(const DiffFile& baseline);
  // The paired binaries.
  std::span<const BuildPair> pairs() const {
    return paired_ ? std::span<const BuildPair>(paired_->pairs()) : std::span<const BuildPair>();
  }
  // With -c cycles: the blocks of branch stacks, by block_columns(); otherwise nothing.
  const std::optional<Hists>& blocks() const { return blocks_; }
  const std::optional<FaceTable>& block_faces() const { return block_faces_; }
  // The event that counts the same as `event` of another recording; nothing if there is no such event.
  std::optional<u32> event_like(const abi::EventAttr& attr) const;

 private:
  DiffFile(OpenedRecording recording, SymbolPlaces places, std::vector<SortKey> keys);
  void make_faces();
  PairingSide pairing_side() const;
  Result<CollectRequest> collect_request(const DiffRequest& request) const;
  Result<> count(const DiffRequest& request, const std::string& times, const DiffReading& how);

  OpenedRecording reader_;
  ProfileSession session_;
  Hists hists_;
  Result<> outcome_;
  std::optional<Hists> blocks_;
  std::vector<std::string> names_;
  std::vector<SortKey> keys_;
  std::optional<MachineNaming> naming_;
  std::optional<PairedNaming> paired_;
  std::optional<FaceTable> faces_, block_faces_;
};

}  // namespace peregrine
