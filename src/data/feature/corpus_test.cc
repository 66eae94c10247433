// decode(encode(decode(x))) = decode(x) for the output of various recorders: attrs and every feature that has a codec.
// Needs PEREGRINE_CORPUS (a folder with perfdata/).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"

namespace peregrine::data {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> files;
  const char* folder = std::getenv("PEREGRINE_CORPUS");
  std::error_code error;
  if (folder == nullptr) return files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(folder) + "/perfdata", error))
    files.push_back(entry.path().string());
  return files;
}

void check_attrs(const Reader& reader) {
  for (const Event& event : reader.evlist()) {
    ByteWriter bytes(reader.header().order);
    abi::encode_attr(event.attr, bytes, reader.header().order);
    const auto again = abi::decode_attr(bytes.bytes(), reader.header().order);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, event.attr);
  }
}

void check_features(const Reader& reader) {
  const ByteOrder order = reader.header().order;
  for (const u32 id : reader.header().present) {
    const auto bytes = reader.read_feature(id);
    ASSERT_TRUE(bytes);
    Features first, second;
    first.cpus = second.cpus = reader.header().features.cpus;  // how many CPUs CPU_TOPOLOGY lists
    if (!decode_feature(id, *bytes, order, first)) continue;
    const auto once = encode_feature(id, first, order);
    ASSERT_TRUE(once) << feature_name(id);
    ASSERT_TRUE(decode_feature(id, *once, order, second)) << feature_name(id);
    EXPECT_EQ(encode_feature(id, second, order), once) << feature_name(id);
  }
}

TEST(Corpus, DecodesWhatItEncodes) {
  const auto files = corpus();
  if (files.empty()) GTEST_SKIP() << "PEREGRINE_CORPUS names no folder with perfdata/";
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    auto reader = Reader::open(file);
    if (!reader) continue;
    check_attrs(*reader);
    check_features(*reader);
  }
}

}  // namespace
}  // namespace peregrine::data
