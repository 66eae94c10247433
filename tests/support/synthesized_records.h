// For tests of synthesized side-band: a folder that stands in for /proc and /sys, and the records, decoded by
// abi.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_walk.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "support/temporary_folder.h"
#include "sys/root.h"

namespace peregrine::support {

// A folder that stands in for /proc.
class FakeSystem {
 public:
  void file(const std::string& name, const std::string& text) {
    const std::filesystem::path target = folder_.path() + name;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << text;
  }
  void process(int pid, int parent, const std::string& comm, const std::string& maps) {
    const std::string folder = "/proc/" + std::to_string(pid);
    file(folder + "/status", "Name:\t" + comm + "\nTgid:\t" + std::to_string(pid) + "\nPid:\t" + std::to_string(pid) +
                                 "\nPPid:\t" + std::to_string(parent) + "\nUid:\t0\t0\t0\t0\nVmPeak:\t 1 kB\n");
    file(folder + "/task/" + std::to_string(pid) + "/status", "");
    file(folder + "/comm", comm + "\n");
    file(folder + "/maps", maps);
  }
  Root root() const { return Root(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

inline abi::EventAttr plain_attr() {
  abi::EventAttr attr;
  attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time;
  attr.set(abi::attr_flag::SampleIdAll);
  return attr;
}

// The complete records in a buffer.
inline std::vector<abi::RecordView> records_in(const ByteWriter& out) {
  std::vector<abi::RecordView> records;
  Bytes rest = out.bytes();
  while (const auto record = abi::first_record(rest)) {
    records.push_back(*record);
    rest = rest.subspan(record->bytes.size());
  }
  EXPECT_TRUE(rest.empty());
  return records;
}

template <class T>
T decode(const abi::RecordView& record, abi::SideBandScratch& scratch) {
  const auto side_band = abi::decode_side_band(record, plain_attr(), scratch);
  if (!side_band || !*side_band || !std::holds_alternative<T>((*side_band)->body)) {
    ADD_FAILURE() << "not that record: type " << static_cast<u32>(record.type);
    return {};
  }
  EXPECT_EQ((*side_band)->id.time, 0u);
  return std::get<T>((*side_band)->body);
}

}  // namespace peregrine::support
