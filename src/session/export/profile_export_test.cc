// Profiles for other programs and pictures, from recording to output: two programs without symbols; only the files of
// their functions are known.
#include "session/export/profile_export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/hist/key/machine_naming.h"
#include "base/types.h"
#include "data/header.h"
#include "machine/dso/dso.h"
#include "output/html/packed_text.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"
#include "session/export/difference_pictures.h"
#include "session/export/picture_request.h"
#include "session/export/pictures.h"
#include "session/export/stack_advice.h"
#include "session/profile_session.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

support::PerfDataBuilder exported_events(const std::vector<const char*>& names, const char* fields) {
  support::PerfDataBuilder data;
  u64 id = 0;
  for (const char* name : names)
    data.attr({{"name", name}, {"type", 1}, {"sample", fields}, {"flags", "mmap,comm,sample_id_all"}, {"ids", ++id}});
  data.feature("event_desc").feature("cmdline", {{"words", "perf record load"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1}, {"id", 1}});
  data.record(
      "mmap",
      {{"pid", 7}, {"tid", 7}, {"addr", 0x1000}, {"len", 0x1000}, {"file", "/bin/load"}, {"time", 1}, {"id", 1}});
  data.record(
      "mmap",
      {{"pid", 7}, {"tid", 7}, {"addr", 0x8000}, {"len", 0x1000}, {"file", "/lib/libc.so.6"}, {"time", 1}, {"id", 1}});
  return data;
}
constexpr const char* kExportedFields = "identifier,ip,tid,time,period,callchain";
constexpr u64 kUserMark = static_cast<u64>(-512);  // PERF_CONTEXT_USER

// A sample in libc.so.6, called by load.
void add_call(support::PerfDataBuilder& data, u64 time, u64 period, std::size_t event = 0) {
  data.record("sample",
              {{"ip", 0x8010},
               {"pid", 7},
               {"tid", 7},
               {"time", time},
               {"period", period},
               {"id", event + 1},
               {"misc", 2},
               {"chain", std::vector<u64>{kUserMark, 0x8010, 0x1010}}},
              event);
}

SymbolPlaces no_places() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

// A recording, read to its end as specified by `request`.
struct ReadProfile {
  data::Reader reader;
  ProfileSession session;
  std::vector<std::string> names;
  std::optional<Hists> hists;
  ReplayAccount account;

  explicit ReadProfile(const support::PerfDataBuilder& data)
      : reader(support::open_built(data)), session(reader), names(event_names(reader)) {
    session.open(no_places(), false);
  }
  void read(CollectRequest request) {
    ASSERT_TRUE(session.collect(std::move(request)));
    Replay replay(reader, session.machine(), {});
    ASSERT_TRUE(replay.run(session.collector()));
    account = replay.account();
    hists.emplace(session.finish());
  }
};

struct WrittenProfile {
  std::string text, messages, error;
};
WrittenProfile written_profile(const support::PerfDataBuilder& data, const ProfileFormat& format,
                               bool to_terminal = false) {
  ReadProfile profile(data);
  CollectRequest request;
  request_profile(format, format.is_timed(), profile.reader.evlist(), profile.session.traces(), request);
  profile.read(std::move(request));
  Sink out;
  testing::KeptMessages messages;
  const auto written = write_profile(format,
                                     {.hists = *profile.hists,
                                      .machine = profile.session.machine(),
                                      .sources = profile.session.sources(),
                                      .reader = profile.reader,
                                      .traces = profile.session.traces(),
                                      .timed = format.is_timed()},
                                     {.out = out, .to_terminal = to_terminal, .creator = "falcon 1"}, messages);
  WrittenProfile result{.text = out.take(), .messages = messages.take()};
  if (!written) result.error = written.error().message + "; " + written.error().hint;
  return result;
}

support::PerfDataBuilder two_calls() {
  support::PerfDataBuilder data = exported_events({"cycles"}, kExportedFields);
  add_call(data, 2000, 10);
  add_call(data, 3000, 20);
  return data;
}

TEST(ProfileExport, FoldsStacksFromTheCommandToTheSampledFunction) {
  EXPECT_EQ(written_profile(two_calls(), {.name = "folded"}).text, "load;[load];[libc.so.6] 30\n");
  EXPECT_EQ(written_profile(two_calls(), {.name = "folded", .by_count = true}).text, "load;[load];[libc.so.6] 2\n");
  const WrittenProfile with_tid = written_profile(two_calls(), {.name = "folded", .fold = {.pid = true}});
  EXPECT_THAT(with_tid.text, HasSubstr("7;[load];[libc.so.6] 30\n"));
  EXPECT_EQ(with_tid.messages, "");
}

TEST(ProfileExport, NamesItselfInFormatsThatAsk) {
  for (const char* name : {"speedscope", "callgrind"}) {
    const WrittenProfile profile = written_profile(two_calls(), {.name = name});
    EXPECT_EQ(profile.error, "");
    EXPECT_THAT(profile.text, HasSubstr("falcon 1")) << name;
  }
  EXPECT_THAT(written_profile(two_calls(), {.name = "callgrind"}).text, HasSubstr("cmd: perf record load"));
  EXPECT_THAT(written_profile(two_calls(), {.name = "chrome"}).text, StartsWith("{"));
  EXPECT_THAT(written_profile(two_calls(), {.name = "firefox"}).text, StartsWith("{"));
}

TEST(ProfileExport, RefusesBytesForATerminal) {
  const WrittenProfile refused = written_profile(two_calls(), {.name = "pprof"}, true);
  EXPECT_EQ(refused.error,
            "pprof output is binary: it cannot be written to a terminal; use --format pprof -o profile.pb.gz");
  EXPECT_EQ(refused.text, "");
  EXPECT_THAT(written_profile(two_calls(), {.name = "pprof"}).text, StartsWith("\x1f\x8b")) << "gzip";
}

TEST(ProfileExport, SaysThatThereIsNothingToWrite) {
  for (const char* name : {"folded", "speedscope", "pprof"})
    EXPECT_EQ(written_profile(exported_events({"cycles"}, kExportedFields), {.name = name}).error,
              "no samples to write; ");
}

TEST(ProfileExport, ShowsTheFirstEventWithSamplesUnlessOneIsChosen) {
  support::PerfDataBuilder data = exported_events({"idle", "cycles", "faults"}, kExportedFields);
  add_call(data, 2000, 10, 1);
  add_call(data, 3000, 20, 2);
  const WrittenProfile first = written_profile(data, {.name = "folded"});
  EXPECT_EQ(first.text, "load;[load];[libc.so.6] 10\n");
  EXPECT_EQ(first.messages,
            "note: showing only samples of cycles\nhint: --format folded,event=NAME chooses another: cycles, faults\n");
  const WrittenProfile chosen = written_profile(data, {.name = "folded", .event = "faults"});
  EXPECT_EQ(chosen.text, "load;[load];[libc.so.6] 20\n");
  EXPECT_EQ(chosen.messages, "");
  EXPECT_EQ(written_profile(data, {.name = "folded", .event = "misses"}).error,
            "no event 'misses' in this recording; events with samples: cycles, faults");
}

TEST(ProfileExport, NeedsTimesForTimelines) {
  const data::Reader with = support::open_built(exported_events({"cycles"}, "ip,tid,time")),
                     without = support::open_built(exported_events({"cycles"}, "ip,tid"));
  EXPECT_TRUE(has_times(with.evlist()));
  EXPECT_FALSE(has_times(without.evlist()));
  for (const char* name : {"firefox", "chrome"}) {
    EXPECT_TRUE(check_times({.name = name}, with.evlist()));
    const auto refused = check_times({.name = name}, without.evlist());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "samples have no timestamps");
    EXPECT_EQ(refused.error().hint, "record with -T");
  }
  EXPECT_TRUE(check_times({.name = "folded"}, without.evlist()));
}

// Writes the pictures of a recording to a folder; returns the messages, without the folder.
class DrawnPictures {
 public:
  std::string draw(const support::PerfDataBuilder& data, PictureRequest request, std::string filters = {}) {
    ReadProfile profile(data);
    PageSinks sinks;
    CollectRequest collect;
    request_pictures(request, profile.reader.header(), profile.names, sinks, collect);
    const u64 quantum = collect.time_quantum;
    profile.read(std::move(collect));
    MachineNaming naming = profile.session.naming();
    Pictured pictured{.reader = profile.reader,
                      .names = profile.names,
                      .machine = profile.session.machine(),
                      .hists = *profile.hists,
                      .naming = naming,
                      .sinks = sinks,
                      .code = std::async(std::launch::deferred, [] { return PackedText(""); }),
                      .account = profile.account,
                      .time_quantum = quantum,
                      .losses = "",
                      .advice = "",
                      .creator = "falcon 1",
                      .filters = std::move(filters)};
    testing::KeptMessages messages;
    const auto written = write_pictures(request, pictured, {out, messages});
    if (!written) return "error: " + written.error().message;
    std::string text = messages.take();
    for (std::size_t at = 0; (at = text.find(folder.path() + '/')) != std::string::npos;)
      text.erase(at, folder.path().size() + 1);
    return text;
  }

  TemporaryFolder folder;
  Sink out;
};

TEST(Pictures, DrawAFlameGraphOfAnEvent) {
  DrawnPictures pictures;
  EXPECT_EQ(pictures.draw(two_calls(), {.flame_graph = pictures.folder.path("flame.svg"), .title = "a title"}),
            "note: wrote flame.svg (2 samples)\n");
  const std::string svg = pictures.folder.text("flame.svg");
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("a title"));
  EXPECT_THAT(svg, HasSubstr("perf record load — 2 samples of cycles"));
}

TEST(Pictures, HaveAFileForEachEventBesideTheFirst) {
  support::PerfDataBuilder data = exported_events({"cycles", "idle", "cache/misses", "cache_misses"}, kExportedFields);
  for (const std::size_t event : {0u, 2u, 3u}) add_call(data, 2000 + event, 10, event);
  DrawnPictures pictures;
  EXPECT_EQ(pictures.draw(data, {.flame_graph = pictures.folder.path("flame.svg")}),
            "note: wrote flame.svg (1 sample of cycles)\n"
            "note: wrote flame.cache_misses.svg (1 sample of cache/misses)\n"
            "note: wrote flame.cache_misses.2.svg (1 sample of cache_misses)\n");
  EXPECT_EQ(pictures.folder.names(), 3u) << "the name of an event chooses no folder, and no file twice";
}

TEST(Pictures, OnStandardOutputShowOneEvent) {
  support::PerfDataBuilder data = exported_events({"cycles", "faults"}, kExportedFields);
  for (const std::size_t event : {0u, 1u}) add_call(data, 2000 + event, 10, event);
  DrawnPictures pictures;
  EXPECT_EQ(pictures.draw(data, {.flame_graph = "-"}),
            "note: wrote to standard output (1 sample of cycles)\n"
            "note: it shows only cycles, not faults\nhint: write to a file to get one file per event\n");
  EXPECT_THAT(pictures.out.take(), HasSubstr("<svg"));
}

TEST(Pictures, OfNoSamplesAreNotWritten) {
  DrawnPictures pictures;
  const support::PerfDataBuilder data = exported_events({"cycles"}, kExportedFields);
  EXPECT_EQ(pictures.draw(data, {.flame_graph = pictures.folder.path("flame")}), "error: no samples to write");
  EXPECT_EQ(pictures.draw(data, {.html = pictures.folder.path("page")}, "--comms make"),
            "error: no samples match --comms make");
  EXPECT_EQ(pictures.folder.names(), 0u);
}

TEST(Pictures, OpenAPageWithAHeatMapOnRequest) {
  DrawnPictures pictures;
  EXPECT_EQ(pictures.draw(two_calls(), {.html = pictures.folder.path("page.html"),
                                        .heat_map = pictures.folder.path("heat.html"),
                                        .title = "a title"}),
            "note: wrote page.html (2 samples)\nnote: wrote heat.html (2 samples)\n");
  EXPECT_THAT(pictures.folder.text("page.html"), StartsWith("<!DOCTYPE html>"));
  EXPECT_NE(pictures.folder.text("page.html"), pictures.folder.text("heat.html"));
}

// The steps of a time line are round numbers; a heat map has steps of 20 ms unless the recording is long.
TEST(Pictures, HaveStepsThatSuitTheLengthOfTheRecording) {
  const auto step = [](u64 span, const PictureRequest& pictures) {
    data::Header header;
    if (span != 0) header.features.sample_times = {.first = 1000, .last = 1000 + span};
    PageSinks sinks;
    CollectRequest request;
    request_pictures(pictures, header, {"cycles"}, sinks, request);
    return request.time_quantum;
  };
  const PictureRequest page{.html = "page.html"}, heat{.heat_map = "heat.html"};
  constexpr u64 kSecond = 1'000'000'000;
  EXPECT_EQ(step(0, page), 1'000'000u) << "the length is unknown";
  EXPECT_EQ(step(1, page), 1u);
  EXPECT_EQ(step(kSecond, page), 1'000'000u);
  EXPECT_EQ(step(3 * kSecond, page), 5'000'000u);
  EXPECT_EQ(step(60 * kSecond, page), 100'000'000u);
  EXPECT_EQ(step(60 * kSecond, heat), 20'000'000u);
  EXPECT_EQ(step(7200 * kSecond, heat), 200'000'000u);
  EXPECT_GE(step(~u64{0} - 2000, page), ~u64{0} / 1001) << "a header that cannot be gets no more steps";
}

TEST(Pictures, KnowTheirPalettes) {
  for (const char* known : {"kind", "dso", "hot", "blue", "green", "grey"})
    EXPECT_TRUE(check_pictures({.colors = known})) << known;
  EXPECT_EQ(check_pictures({.colors = "pink"}).error().message,
            "invalid --colors 'pink': must be kind, dso, hot, blue, green or grey");
}

std::string advice_for(const support::PerfDataBuilder& data) {
  ReadProfile profile(data);
  CollectRequest request;
  PageSinks sinks;
  request_pictures({}, profile.reader.header(), profile.names, sinks, request);
  profile.read(std::move(request));
  return stack_advice(profile.reader.evlist(), profile.names, *profile.hists, profile.session.machine().dsos());
}

// The kernel follows frame pointers, and a probe triggers before the function has set its frame pointer.
TEST(StackAdvice, SaysThatProbesLackTheCaller) {
  support::PerfDataBuilder probed = exported_events({"probe_load:work"}, kExportedFields);
  add_call(probed, 2000, 10);
  EXPECT_EQ(
      advice_for(probed),
      "Stacks of a probe at a function's entry lack its caller; for complete stacks: perf record --call-graph dwarf");
  EXPECT_EQ(advice_for(exported_events({"probe_load:work"}, kExportedFields)), "") << "no stacks";
  EXPECT_EQ(advice_for(two_calls()), "");
}

TEST(StackAdvice, LeavesStacksAloneThatNoFramePointersMade) {
  support::PerfDataBuilder copied =
      exported_events({"probe_load:work"}, "identifier,ip,tid,time,period,callchain,regs_user,stack_user");
  add_call(copied, 2000, 10);
  EXPECT_EQ(advice_for(copied), "");
}

// Two recordings, with call chains counted by comm.
class ComparedRecordings {
 public:
  ComparedRecordings() : before_(one_call(10)), after_(one_call(30)) {
    for (ReadProfile* profile : {&before_, &after_}) {
      CollectRequest request;
      PageSinks sinks;
      request_pictures({}, profile->reader.header(), profile->names, sinks, request);
      profile->read(std::move(request));
    }
  }
  ComparedSide before() { return {.hists = *before_.hists, .naming = before_naming_, .name = "old.data"}; }
  ComparedSide after() { return {.hists = *after_.hists, .naming = after_naming_, .name = "new.data"}; }

 private:
  static support::PerfDataBuilder one_call(u64 period) {
    support::PerfDataBuilder data = exported_events({"cycles"}, kExportedFields);
    add_call(data, 2000, period);
    return data;
  }
  ReadProfile before_, after_;
  MachineNaming before_naming_ = before_.session.naming(), after_naming_ = after_.session.naming();
};

TEST(DifferencePictures, FoldBothWeightsOfEachStack) {
  ComparedRecordings both;
  Sink out;
  ASSERT_TRUE(write_folded_difference({.name = "folded"}, both.before(), both.after(), out));
  EXPECT_EQ(out.take(), "load;[load];[libc.so.6] 10 30\n");
  ASSERT_TRUE(write_folded_difference({.name = "folded", .by_count = true}, both.before(), both.after(), out));
  EXPECT_EQ(out.take(), "load;[load];[libc.so.6] 1 1\n");
}

TEST(DifferencePictures, FoldNothingThatRecordingsDoNotShare) {
  ComparedRecordings both;
  Sink out;
  for (const ProfileFormat& format :
       {ProfileFormat{.fold = {.pid = true}}, ProfileFormat{.fold = {.tid = true}},
        ProfileFormat{.fold = {.addresses = true}}, ProfileFormat{.fold = {}, .event = "cycles"}}) {
    const auto refused = write_folded_difference(format, both.before(), both.after(), out);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "diff --format folded takes only count, kernel, jit and inlined");
    EXPECT_EQ(refused.error().hint, "processes, addresses and events differ between recordings");
  }
  EXPECT_EQ(out.take(), "");
}

TEST(DifferencePictures, NameBothRecordings) {
  ComparedRecordings both;
  const TemporaryFolder folder;
  Sink out;
  testing::KeptMessages messages;
  ASSERT_TRUE(write_difference_pictures({.flame_graph = folder.path("flame.svg"), .html = folder.path("page.html")},
                                        both.before(), both.after(), {.event = "cycles", .creator = "falcon 1"},
                                        {out, messages}));
  EXPECT_EQ(messages.take(), fmt::format("note: wrote {} (changes from old.data to new.data)\n"
                                         "note: wrote {} (changes from old.data to new.data)\n",
                                         folder.path("flame.svg"), folder.path("page.html")));
  EXPECT_THAT(folder.text("flame.svg"), HasSubstr("new.data, compared with old.data"));
  EXPECT_THAT(folder.text("page.html"), StartsWith("<!DOCTYPE html>"));
}

}  // namespace
}  // namespace peregrine
