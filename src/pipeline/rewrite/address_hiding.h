// AddressHiding: a recording that does not tell where code and data were in memory, and is otherwise the same.
//
// Every address gets another one (AddressLayouts): of maps, samples, callchains, branches, kernel symbols, and of
// fields of tracepoints. What can hold addresses and cannot be edited is left out: registers, stacks, AUX data,
// physical addresses, other raw data, the code of BPF programs, lists of kernel symbols. Hardware traces, breakpoints
// and kprobes of perf_event_open are refused. Fed with all records in time order.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "abi/sample_places.h"
#include "data/reader/reader.h"
#include "pipeline/rewrite/address_layouts.h"
#include "pipeline/rewrite/copy.h"
#include "pipeline/rewrite/raw_addresses.h"

namespace peregrine {

// Addresses in names, such as probe:abs_ffffffffa5300010: each page gets a number, the place in the page stays.
class NameHiding {
 public:
  // Replaces the digits in place. `programs`: also what looks like an address of a program.
  void edit(std::span<std::byte> text, bool programs);
  void edit(std::string& name) { edit(std::as_writable_bytes(std::span(name)), true); }

 private:
  std::map<u64, u64> pages_;
};

// Whether x86 code is of instructions that hold no address. Calls and jumps must stay in what moves with `address`.
bool is_free_of_addresses(Bytes code, u64 address, const AddressLayouts& layouts);

class AddressHiding : abi::PlaceEditor {
 public:
  // `reader` must outlive this. Its events are renamed.
  explicit AddressHiding(data::Reader& reader) : reader_(reader) {}

  // The features as they are to be written. Errors: a recording whose addresses cannot be hidden.
  Result<FeatureEdits> begin();
  // Takes a record. A record with a payload is changed in place; what to write of all others is taken from out().
  // Errors: as above.
  Result<> edit(const abi::RecordView& record);
  Bytes out() const { return out_; }
  // The payload that follows out(); of TRACING_DATA records.
  Bytes payload() const { return payload_; }
  // What was left out of records, in words.
  std::vector<std::string> notes() const;
  // What was left out of the header, in words. Most recordings have some of it.
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
