#include "analysis/hist/key/trace_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "analysis/hist/key/trace_texts.h"
#include "pipeline/replay/recorded_formats.h"
#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Task switches, wake-ups, and an event with no fields in common with them.
class SwitchRecording : public support::TracepointRecording {
 public:
  SwitchRecording() {
    event("sched:sched_switch", {"next_pid", "next_comm[16]", "state"},
          R"("next_pid=%d state=%s", REC->next_pid, __print_symbolic(REC->state, { 0, "R" }, { 1, "S" }))");
    event("sched:sched_wakeup", {"pid", "next_pid"}, R"("pid=%d", REC->pid)");
    event("irq:irq_entry", {"irq"});
  }
  void switch_to(u64 pid, const char* comm, u64 state) {
    hit("sched:sched_switch", {.time = ++time_}, {pid, comm, state});
  }
  void wake(u64 pid) { hit("sched:sched_wakeup", {.time = ++time_}, {pid, pid}); }

 private:
  u64 time_ = 0;
};

// A key's values for each sample of a replay, as texts.
struct KeyReader : ReplaySink {
  KeyReader(TraceFields& fields, std::size_t index) : fields(fields), index(index) {}
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned) override {
    const u32 id = fields.value(index, sample, resolver, memo);
    ids.push_back(id);
    texts.emplace_back(fields.text(id));
  }
  TraceFields& fields;
  std::size_t index;
  TraceFields::Memo memo;
  std::vector<u32> ids;
  std::vector<std::string> texts;
};

struct TraceFieldsTest : ::testing::Test {
  // Replays all samples recorded so far.
  void open(bool raw = false) {
    replayed = std::make_unique<support::ReplayedRecording>(recording);
    auto formats = recorded_formats(replayed->reader());
    ASSERT_TRUE(formats);
    const std::vector<std::string> names{"sched:sched_switch", "sched:sched_wakeup", "irq:irq_entry"};
    fields = std::make_unique<TraceFields>(replayed->reader().evlist(), names, std::move(*formats), raw);
  }
  // "field of event N" for each key that a name resolves to.
  std::vector<std::string> found(std::string_view word) {
    std::vector<std::string> result;
    for (const SortKey key : fields->find(word)) {
      const FieldColumn column = fields->columns().at(dynamic_index(key));
      result.push_back(fmt::format("{} of {}", column.name, column.event));
    }
    return result;
  }
  std::vector<std::string> values(std::string_view word) {
    const std::vector<SortKey> keys = fields->find(word);
    EXPECT_EQ(keys.size(), 1u) << word;
    KeyReader reader(*fields, dynamic_index(keys.at(0)));
    support::ReplayedRecording(recording).run(reader);
    return reader.texts;
  }

  SwitchRecording recording;
  std::unique_ptr<support::ReplayedRecording> replayed;
  std::unique_ptr<TraceFields> fields;
};

TEST_F(TraceFieldsTest, AFieldIsAKeyOfEachEventThatHasIt) {
  open();
  EXPECT_THAT(found("state"), ElementsAre("state of 0"));
  EXPECT_THAT(found("next_pid"), ElementsAre("next_pid of 0", "next_pid of 1"));
  EXPECT_THAT(found("irq"), ElementsAre("irq of 2"));
  EXPECT_THAT(found("prev_pid"), IsEmpty());
}

TEST_F(TraceFieldsTest, AnEventIsNamedWholeInPartOrByNumber) {
  open();
  EXPECT_THAT(found("sched:sched_wakeup.next_pid"), ElementsAre("next_pid of 1"));
  EXPECT_THAT(found("switch.next_pid"), ElementsAre("next_pid of 0"));
  EXPECT_THAT(found("%2.next_pid"), ElementsAre("next_pid of 1"));
  EXPECT_THAT(found("sched.next_pid"), IsEmpty()) << "two events have that in their names";
  EXPECT_THAT(found("sched:sched_wake.next_pid"), IsEmpty()) << "with a system, the whole name";
  EXPECT_THAT(found("%0.next_pid"), IsEmpty());
  EXPECT_THAT(found("%4.next_pid"), IsEmpty());
  EXPECT_THAT(found("%x.next_pid"), IsEmpty());
}

TEST_F(TraceFieldsTest, AllFieldsOfAnEventHaveOneWord) {
  open();
  EXPECT_THAT(found("switch.trace_fields"), ElementsAre("next_pid of 0", "next_comm of 0", "state of 0"));
  EXPECT_EQ(found("trace_fields").size(), 6u);
}

TEST_F(TraceFieldsTest, TheSameFieldIsTheSameKey) {
  open();
  const std::vector<SortKey> first = fields->find("switch.next_pid"), again = fields->find("%1.next_pid");
  EXPECT_EQ(first, again);
  EXPECT_NE(fields->find("switch.next_pid/raw"), first) << "but not if it is shown otherwise";
  EXPECT_EQ(fields->columns().size(), 2u);
}

TEST_F(TraceFieldsTest, ColumnsKnowTheSizeAndTheTypeOfTheirField) {
  open();
  static_cast<void>(fields->find("switch.trace_fields"));
  const std::vector<FieldColumn> columns = fields->columns();
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].size, 8u);
  EXPECT_FALSE(columns[0].is_string);
  EXPECT_EQ(columns[1].size, 16u);
  EXPECT_TRUE(columns[1].is_string);
}

TEST_F(TraceFieldsTest, NumbersReadAsThePrintFormatShowsThem) {
  recording.switch_to(7, "worker", 1);
  recording.switch_to(9, "idle thread", 0);
  open();
  EXPECT_THAT(values("state"), ElementsAre("S", "R"));
  EXPECT_THAT(values("state/raw"), ElementsAre("1", "0"));
  EXPECT_THAT(values("next_comm"), ElementsAre("worker", "idle thread")) << "texts as they were recorded";
}

TEST_F(TraceFieldsTest, SymbolsNeedNoEqualsSign) {
  recording.event("workqueue:start", {"function", "size"}, R"("function %ps size %d", REC->function, REC->size)");
  recording.hit("workqueue:start", {.time = 1}, {0x1000, 7});
  replayed = std::make_unique<support::ReplayedRecording>(recording);
  auto formats = recorded_formats(replayed->reader());
  ASSERT_TRUE(formats);
  fields = std::make_unique<TraceFields>(
      replayed->reader().evlist(),
      std::vector<std::string>{"sched:sched_switch", "sched:sched_wakeup", "irq:irq_entry", "workqueue:start"},
      std::move(*formats), false);
  EXPECT_THAT(values("function"), ElementsAre("0x1000")) << "without symbols, as the format prints addresses";
  EXPECT_THAT(values("function/raw"), ElementsAre("4096"));
  EXPECT_THAT(values("size"), ElementsAre("7"));
}

TEST_F(TraceFieldsTest, AllFieldsAreRawOnRequest) {
  recording.switch_to(7, "worker", 1);
  open(true);
  EXPECT_THAT(values("state"), ElementsAre("1"));
}

TEST_F(TraceFieldsTest, SamplesOfOtherEventsHaveNoValue) {
  recording.switch_to(7, "worker", 1);
  recording.wake(9);
  open();
  EXPECT_THAT(values("switch.next_pid"), ElementsAre("7", ""));
}

TEST_F(TraceFieldsTest, EqualValuesHaveEqualNumbersInAllWorkers) {
  for (const u64 pid : {7, 9, 7}) recording.switch_to(pid, "worker", 0);
  open();
  const std::size_t index = dynamic_index(fields->find("switch.next_pid").at(0));
  KeyReader one(*fields, index), other(*fields, index);
  replayed->run(one);
  support::ReplayedRecording again(recording);
  again.run(other);
  EXPECT_EQ(one.ids, other.ids);
  EXPECT_EQ(one.ids.at(0), one.ids.at(2));
  EXPECT_NE(one.ids.at(0), one.ids.at(1));
  EXPECT_NE(fields->order(one.ids[0]), fields->order(one.ids[1]));
}

// The text of the `trace` key for each sample.
struct TextReader : ReplaySink {
  explicit TextReader(TraceTexts& texts) : table(texts) {}
  void begin_batch() override { table.begin_batch(); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned) override {
    ids.push_back(table.find(sample, resolver, memo));
    texts.emplace_back(table.text(ids.back()));
  }
  TraceTexts& table;
  TraceTexts::Memo memo;
  std::vector<u32> ids;
  std::vector<std::string> texts;
};

TEST(TraceTextsOfSamples, AreWhatTheFormatPrintsOnceForEqualTexts) {
  SwitchRecording recording;
  recording.switch_to(7, "worker", 1);
  recording.switch_to(7, "other", 1);
  recording.wake(3);
  support::ReplayedRecording replayed(recording);
  TraceTexts table(replayed.reader(), false);
  TextReader reader(table);
  replayed.run(reader);
  EXPECT_THAT(reader.texts, ElementsAre("next_pid=7 state=S", "next_pid=7 state=S", "pid=3"));
  EXPECT_EQ(reader.ids[0], reader.ids[1]);
}

TEST(TraceTextsOfSamples, AreFieldsWithoutTheFormat) {
  SwitchRecording recording;
  recording.wake(3);
  support::ReplayedRecording replayed(recording);
  TraceTexts table(replayed.reader(), true);
  TextReader reader(table);
  replayed.run(reader);
  EXPECT_THAT(reader.texts, ElementsAre(" pid=3 next_pid=3"));
}

TEST(TraceTextsOfSamples, AreNotAvailableForOtherEvents) {
  support::PerfDataBuilder data;
  data.attr({{"name", "cycles"}, {"type", 0}, {"config", 0}, {"sample", "ip,tid,time"}});
  data.record("sample", {{"pid", 1}, {"tid", 1}, {"time", 5}});
  support::ReplayedRecording replayed(data);
  TraceTexts table(replayed.reader(), false);
  TextReader reader(table);
  replayed.run(reader);
  EXPECT_THAT(reader.texts, ElementsAre("N/A"));
}

}  // namespace
}  // namespace peregrine
