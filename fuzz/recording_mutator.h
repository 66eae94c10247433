// RecordingMutator: changes a recording so that it stays valid enough for the changes to reach the analyses.
//
// It deletes, repeats, moves and splices whole records, gives fields of samples, side-band and tracepoints other
// values (extreme ones, or those of another record), changes attrs together with their samples, edits the texts that
// describe events, and turns files into pipes. Sometimes it leaves the bytes to libFuzzer. The same seed gives the
// same change.
#pragma once
#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "recording_parts.h"

namespace peregrine {

class RecordingMutator {
 public:
  // LLVMFuzzerMutate: changes the first `size` bytes, which may grow to fill the span, and returns the new size.
  using MutateBytes = std::function<std::size_t(std::span<std::byte> bytes, std::size_t size)>;

  RecordingMutator(unsigned seed, MutateBytes mutate_bytes) : random_(seed), mutate_bytes_(std::move(mutate_bytes)) {}

  // A changed copy of at most `limit` bytes. `bytes` may be a recording or anything else.
  std::vector<std::byte> mutate(Bytes bytes, std::size_t limit);
  // The input of a command target: a byte that chooses among `lines`, then one or two recordings.
  std::vector<std::byte> mutate_input(Bytes input, std::size_t lines, std::size_t limit);
  // The events of one recording with records of both.
  std::vector<std::byte> splice(Bytes one, Bytes other, std::size_t limit);

 private:
  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  bool chance(unsigned of) { return below(of) == 0; }
  std::vector<std::byte> mutate_as_bytes(Bytes bytes, std::size_t limit);
  void change(RecordingParts& parts);
  void change_order(RecordingParts& parts);
  void change_fields(RecordingParts& parts);
  void change_field(const RecordingParts& parts, RecordingParts::Piece& record);
  void change_attr(RecordingParts& parts);
  void drop_sample_field(RecordingParts& parts);
  void change_feature(RecordingParts& parts);
  void change_number_in_text(RecordingParts::Piece& text);
  void insert_record(RecordingParts& parts);
  u64 other_value(const RecordingParts& parts, const RecordField& field, u64 old);

  std::minstd_rand random_;
  MutateBytes mutate_bytes_;
};

}  // namespace peregrine
