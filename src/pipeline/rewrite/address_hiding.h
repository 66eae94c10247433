// AddressHiding: a recording that does not tell where code and data were in memory, and is otherwise the same.
//
// Every address gets another one (AddressLayouts): of maps, samples, callchains, branches, kernel symbols, and of
// fields of tracepoints. What can hold addresses and cannot be edited is left out: registers, stacks, AUX data,
// physical addresses, other raw data, the code of BPF programs, lists of kernel symbols. Hardware traces and
// breakpoints are refused. Fed with all records in time order.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "abi/sample_places.h"
#include "data/reader.h"
#include "pipeline/rewrite/address_layouts.h"
#include "pipeline/rewrite/copy.h"
#include "pipeline/rewrite/raw_addresses.h"

namespace peregrine {

class AddressHiding : abi::PlaceEditor {
 public:
  // `reader` must outlive this.
  explicit AddressHiding(const data::Reader& reader) : reader_(reader) {}

  // The features as they are to be written. Errors: a recording whose addresses cannot be hidden.
  Result<FeatureEdits> begin();
  // Takes a record. A record with a payload is changed in place; what to write of all others is taken from out().
  // Errors: as above.
  Result<> edit(const abi::RecordView& record);
  Bytes out() const { return out_; }
  // The payload that follows out(); of TRACING_DATA records.
  Bytes payload() const { return payload_; }
  // What was left out, in words.
  std::vector<std::string> notes() const;

 private:
  void begin(u32 pid) override { pid_ = pid; }
  u64 address(u64 value) override { return layouts_.at(guest_, pid_, value); }
  void chain(std::span<u64> values) override;
  void raw(std::span<std::byte> bytes) override;

  Result<> check_events();
  void edit_sample(const abi::RecordView& record);
  void edit_side_band(const abi::RecordView& record);
  void edit_map(const abi::RecordView& record, abi::MmapRecord map);
  void edit_poke(const abi::RecordView& record, const abi::TextPokeRecord& poke);
  void edit_deferred(const abi::RecordView& record, const abi::SideBand& side_band);
  void edit_tracing_data(const abi::RecordView& record);
  void edit_feature(const abi::RecordView& record);
  void copy(const abi::RecordView& record) { out_.assign(record.bytes.begin(), record.bytes.end()); }
  void patch(std::size_t at, u64 value, ByteOrder order);
  bool is_left_out(u32 feature) const;
  RawAddresses& raw_of(u32 event);

  const data::Reader& reader_;
  AddressLayouts layouts_;
  abi::SideBandScratch scratch_;
  std::vector<std::byte> out_, payload_;
  std::size_t checked_events_ = 0;
  bool keeps_pokes_ = false;  // their code can be read here
  // Of the sample in hand.
  u32 pid_ = 0, event_ = 0;
  bool guest_ = false;
  std::map<u32, RawAddresses> raws_;  // by event
  // What was left out: of how many samples; how many records.
  std::map<std::string, u64> fields_, records_;
  std::set<std::string> features_;
};

}  // namespace peregrine
