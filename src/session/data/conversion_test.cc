#include "session/data/conversion.h"

#include <gtest/gtest.h>

#include <utility>

#include "session/data/convert_session.h"
#include "session/data/evlist_text.h"
#include "session/recording/opened_recording.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;

data::Reader converted_reader() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 99}, {"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1000}});
  for (const u64 time : {2000, 3000})
    data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", time}, {"misc", 2}});
  return support::open_built(data);
}

ConvertedSamples all_of(data::Reader& reader) {
  SymbolPlaces places;
  places.load = false;
  return {.reader = reader, .places = std::move(places)};
}

template <class Write>
std::string written_text(const Write& write) {
  Sink out;
  write(out);
  return out.take();
}

TEST(JsonConversion, WritesEverySampleAndCountsThem) {
  data::Reader reader = converted_reader();
  testing::KeptMessages messages;
  const std::string text = written_text([&](Sink& out) {
    const auto done = convert_to_json(all_of(reader), "", out, messages);
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->outcome);
    EXPECT_EQ(done->samples, 2u);
  });
  EXPECT_NE(text.find("\"comm\": \"busy\""), std::string::npos) << text;
}

TEST(CtfConversion, WritesAFolderOnce) {
  const TemporaryFolder folder;
  data::Reader reader = converted_reader();
  testing::KeptMessages messages;
  const auto done = convert_to_ctf({.folder = folder.path("trace")}, all_of(reader), messages);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->outcome);
  EXPECT_EQ(done->samples, 2u);
  EXPECT_TRUE(folder.has("trace/metadata"));
  data::Reader again = converted_reader();
  const auto refused = convert_to_ctf({.folder = folder.path("trace")}, all_of(again), messages);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "-f overwrites a trace");
}

std::string events_text(const EvlistTextRequest& request) {
  data::Reader reader = converted_reader();
  return written_text([&](Sink& out) {
    const auto traced = print_evlist(request, reader, out);
    ASSERT_TRUE(traced);
    EXPECT_FALSE(*traced);
  });
}

TEST(EvlistText, NamesTheEventsWithWhatIsRequested) {
  EXPECT_EQ(events_text({}), "cpu-clock:HG\n");
  EXPECT_EQ(events_text({.group = true}), "cpu-clock:HG\n");
  EXPECT_EQ(events_text({.frequency = true}), "cpu-clock:HG: sample_freq=99\n");
  EXPECT_EQ(events_text({.trace_fields = true}), "cpu-clock:HG: (not a tracepoint)\n");
}

TEST(ConvertSession, WritesADocumentAndRefusesToReplaceIt) {
  const TemporaryFolder folder;
  testing::KeptMessages messages;
  Sink standard_output;
  ConvertRequest request{.input = "perf.data", .document = folder.path("out.json"), .symbols = {}};
  const auto converted = [&] {
    OpenedRecording recording(converted_reader());
    return convert_recording(request, recording, standard_output, messages);
  };
  const auto first = converted();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_NE(folder.text("out.json").find("\"comm\": \"busy\""), std::string::npos) << folder.text("out.json");
  EXPECT_EQ(
      messages.take().find("[ perf data convert: Converted 'perf.data' into JSON data '" + request.document + "' ]\n"),
      0u);
  EXPECT_EQ(standard_output.take(), "");
  const auto again = converted();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().hint, "--force overwrites it");
  request.force = true;
  EXPECT_TRUE(converted());
}

TEST(ConvertSession, RejectsInvalidTimes) {
  testing::KeptMessages messages;
  Sink out;
  OpenedRecording recording(converted_reader());
  const auto done = convert_recording({.input = "perf.data", .document = "-", .times = "x,y", .symbols = {}}, recording,
                                      out, messages);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace peregrine
