// For tests of synthesized side-band: a folder that plays /proc and /sys, and the records read back through abi's
// decoder.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "sys/root.h"

namespace peregrine::support {

// A folder that plays /proc.
class FakeSystem {
 public:
  FakeSystem() : path_(::testing::TempDir() + "peregrine-synthesis-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~FakeSystem() { std::filesystem::remove_all(path_); }
  void file(const std::string& name, const std::string& text) {
    const std::filesystem::path target = path_ + name;
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
  Root root() const { return Root(path_); }

 private:
  std::string path_;
};

inline abi::EventAttr plain_attr() {
  abi::EventAttr attr;
  attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time;
  attr.set(abi::attr_flag::SampleIdAll);
  return attr;
}

// The records in a buffer, each whole.
inline std::vector<abi::RecordView> records_in(const ByteWriter& out) {
  std::vector<abi::RecordView> records;
  Bytes rest = out.bytes();
  while (rest.size() >= abi::kRecordHeaderSize) {
    const std::size_t size = load<u16>(rest.data() + 6);
    if (size < abi::kRecordHeaderSize || size > rest.size()) break;
    abi::RecordView record;
    record.type = static_cast<abi::RecordType>(load<u32>(rest.data()));
    record.misc = load<u16>(rest.data() + 4);
    record.bytes = rest.first(size);
    records.push_back(record);
    rest = rest.subspan(size);
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
