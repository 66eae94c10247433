// DiffFile: one recording that diff compares: its machine, its sums and the names for them.
//
// Everything lives as long as the object, because rows contain ids that only the machine can name. Main thread only,
// except for the replay inside read().
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/diff/build_pairing.h"
#include "analysis/hist/key/face_table.h"
#include "cmd/diff/diff_options.h"
#include "session/profile_session.h"

namespace peregrine::cmd {

class DiffFile {
 public:
  // `times`: this file's part of --time. Errors as of report.
  static Result<std::unique_ptr<DiffFile>> read(OpenedRecording recording, const DiffOptions& options,
                                                const std::vector<SortKey>& keys, const std::string& times,
                                                Invocation& call);

  const data::Evlist& evlist() const { return reader_.evlist(); }
  const DsoTable& dsos() const { return session_.machine().dsos(); }
  const std::vector<std::string>& event_names() const { return names_; }
  const Hists& hists() const { return hists_; }
  const FaceTable& faces() const { return *faces_; }
  Naming& naming() { return paired_ ? static_cast<Naming&>(*paired_) : *naming_; }
  // From now on, binaries that are another build of one of the baseline's have its names.
  void pair_with(const DiffFile& baseline);
  // Those binaries.
  std::span<const BuildPair> pairs() const {
    return paired_ ? std::span<const BuildPair>(paired_->pairs()) : std::span<const BuildPair>();
  }
  // With -c cycles, the blocks of branch stacks, by block_columns(); else nothing.
  const std::optional<Hists>& blocks() const { return blocks_; }
  const std::optional<FaceTable>& block_faces() const { return block_faces_; }
  // The event that counts the same as `event` of another recording; nothing when there is none.
  std::optional<u32> event_like(const abi::EventAttr& attr) const;

 private:
  DiffFile(OpenedRecording recording, const DiffOptions& options, std::size_t group_width, Invocation& call);
  void make_faces();
  PairingSide pairing_side() const;
  Result<> count(const DiffOptions& options, const std::vector<SortKey>& keys, const std::string& times,
                 Invocation& call);

  OpenedRecording reader_;
  ProfileSession session_;
  Hists hists_;
  std::optional<Hists> blocks_;
  std::vector<std::string> names_;
  std::vector<SortKey> keys_;
  std::optional<MachineNaming> naming_;
  std::optional<PairedNaming> paired_;
  std::optional<FaceTable> faces_, block_faces_;
};

}  // namespace peregrine::cmd
