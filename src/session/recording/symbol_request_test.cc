#include "session/recording/symbol_request.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine {
namespace {

class SymbolRequestTest : public ::testing::Test {
 protected:
  SymbolRequestTest() {
    support::PerfDataBuilder data;
    data.attr({{"sample", "ip,tid"}}).feature("osrelease", {{"text", "6.1.0-test"}});
    const std::vector<std::byte> bytes = data.bytes();
    const std::string path = folder_.write("perf.data", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    auto opened = open_recording({.path = path, .temporary_folder = folder_.path()}, messages_);
    EXPECT_TRUE(opened);
    recording_.emplace(std::move(*opened));
  }
  SymbolPlaces places(const SymbolRequest& request) { return symbol_places(request, *recording_, messages_); }

  TemporaryFolder folder_;
  testing::KeptMessages messages_;
  std::optional<OpenedRecording> recording_;
  SymbolRequest request_{.folders = {.build_ids = "/home/x/.debug", .own_cache = "/home/x/.cache"},
                         .temporary_folder = folder_.path()};
};

TEST_F(SymbolRequestTest, LooksForBinariesInTheUsersFolders) {
  const SymbolPlaces found = places(request_);
  EXPECT_EQ(found.search.cache_folder, "/home/x/.debug");
  EXPECT_EQ(found.own_cache_folder, "/home/x/.cache");
  EXPECT_EQ(found.kernel_release, "6.1.0-test");
  EXPECT_TRUE(found.check_perf_map_owner);
  EXPECT_EQ(messages_.take(), "");
}

TEST_F(SymbolRequestTest, UsesTheCacheOfAnotherMachinesFolder) {
  request_.sysroot = {.folder = "/mnt/board", .flat = true};
  const SymbolPlaces found = places(request_);
  EXPECT_EQ(found.search.symfs, "/mnt/board");
  EXPECT_TRUE(found.search.flat);
  EXPECT_EQ(found.search.cache_folder, "/mnt/board/.debug");
}

TEST_F(SymbolRequestTest, WarnsOfADamagedArchiveBesideTheRecording) {
  folder_.write("perf.data.tar.bz2", "no archive");
  EXPECT_EQ(places(request_).search.bundle_folder, "");
  EXPECT_EQ(messages_.take().find("warning: "), 0u);
}

TEST_F(SymbolRequestTest, WarnsIfNoServerIsNamed) {
  request_.servers.emplace();
  EXPECT_FALSE(places(request_).search.fetch);
  EXPECT_NE(messages_.take().find("warning: --debuginfod: missing server URL\n"), std::string::npos);
}

TEST_F(SymbolRequestTest, KeepsServersThatADecoderMayStillUse) {
  request_.servers = DebugServerRequest{.urls = "http://127.0.0.1:1", .folder = folder_.path()};
  if (!places(request_).search.fetch) GTEST_SKIP() << "no libdebuginfod: " << messages_.take();
  const DebugServer* const first = recording_->server.get();
  EXPECT_TRUE(places(request_).search.fetch);
  EXPECT_EQ(recording_->server.get(), first);
}

}  // namespace
}  // namespace peregrine
