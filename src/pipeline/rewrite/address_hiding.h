// AddressHiding: copies a recording without revealing where code and data were in memory.
//
// All addresses are replaced (AddressLayouts): in maps, samples, callchains, branches, kernel symbols, and tracepoint
// fields. Data that may contain addresses and cannot be edited is dropped: registers, stacks, AUX data, physical
// addresses, other raw data, code of BPF programs, kernel symbol lists. Hardware traces, breakpoints and
// perf_event_open kprobes are rejected. Must be fed all records in time order.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/record.h"
#include "abi/sample_places.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/rewrite/address_layouts.h"
#include "pipeline/rewrite/copy.h"
#include "pipeline/rewrite/raw_addresses.h"

namespace peregrine {

// Hides addresses in names, such as probe:abs_ffffffffa5300010: pages are numbered, the offset in the page is kept.
class NameHiding {
 public:
  // Replaces the digits in place. `programs`: also numbers that look like user addresses.
  void edit(std::span<std::byte> text, bool programs);
  void edit(std::string& name) { edit(std::as_writable_bytes(std::span(name)), true); }

 private:
  std::map<u64, u64> pages_;
};

// Whether x86 code contains no absolute addresses; calls and jumps must stay within the range that moves together with
// `address`.
bool is_free_of_addresses(Bytes code, u64 address, const AddressLayouts& layouts);

class AddressHiding : abi::PlaceEditor {
 public:
  // `reader` must outlive this. Renames its events.
  explicit AddressHiding(data::Reader& reader) : reader_(reader) {}

  // The features to write. Errors: the recording has addresses that cannot be hidden.
  Result<FeatureEdits> begin();
  // Processes a record. A record with a payload is changed in place; for all others, out() is what to write. Errors: as
  // above.
  Result<> edit(const abi::RecordView& record);
  Bytes out() const { return out_; }
  // The payload to write after out(), for TRACING_DATA.
  Bytes payload() const { return payload_; }
  // Descriptions of what was dropped from records.
  std::vector<std::string> notes() const;
  // Descriptions of what was dropped from the header; most recordings have some.
  std::vector<std::string> details() const;

 private:
  void begin(u32 pid) override { pid_ = pid; }
  u64 address(u64 value) override { return layouts_.at(guest_, pid_, value); }
  void chain(std::span<u64> values) override;
  void raw(std::span<std::byte> bytes) override;

  Result<> check_events();
  Result<> check_pmus();
  void edit_sample(const abi::RecordView& record);
  void edit_side_band(const abi::RecordView& record);
  void edit_map(const abi::RecordView& record, abi::MmapRecord map);
  void edit_poke(const abi::RecordView& record, const abi::TextPokeRecord& poke);
  void edit_deferred(const abi::RecordView& record, const abi::SideBand& side_band);
  void edit_tracing_data(const abi::RecordView& record);
  void edit_feature(const abi::RecordView& record);
  void edit_name(const abi::RecordView& record);
  void copy(const abi::RecordView& record) { out_.assign(record.bytes.begin(), record.bytes.end()); }
  void patch(std::size_t at, u64 value, ByteOrder order);
  bool is_left_out(u32 feature) const;
  RawAddresses& raw_of(u32 event);

  data::Reader& reader_;
  AddressLayouts layouts_;
  abi::SideBandScratch scratch_;
  std::vector<std::byte> out_, payload_;
  NameHiding names_;
  std::size_t checked_events_ = 0, checked_pmus_ = 0;
  bool keeps_pokes_ = false;  // code that can be decoded here
  // State of the current sample.
  u32 pid_ = 0, event_ = 0;
  bool guest_ = false;
  std::map<u32, RawAddresses> raws_;  // by event
  // What was dropped: from how many samples; how many records.
  std::map<std::string, u64> fields_, records_;
  std::set<std::string> features_;
};

}  // namespace peregrine
