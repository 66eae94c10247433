#include "output/json/chrome_events.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(ChromeEvents, WritesOneEventPerLine) {
  Sink out;
  ChromeEvents events(out);
  events.begin_document();
  events.put_name("thread_name", 7, -1, "a\"b");
  JsonLine line = events.begin("X");
  ChromeEvents::put_place(line, 7, 9);
  events.put_time(line, "ts", 1'234'005);
  events.put_time(line, "dur", 60);
  events.end("}");
  events.end_document();
  EXPECT_EQ(out.text(),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":-1,\"args\":{\"name\":\"a\\\"b\"}},\n"
            "{\"ph\":\"X\",\"pid\":7,\"tid\":9,\"ts\":1234.005,\"dur\":0.060}\n"
            "]}\n");
}

TEST(ChromeEvents, NamesTheProgramAndTheCommand) {
  Sink out;
  ChromeEvents events(out);
  events.begin_document("perf", "sleep \"1\"");
  events.end_document();
  EXPECT_EQ(out.text(),
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"perf\",\"command\":\"sleep \\\"1\\\"\"},\n"
            "\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace peregrine
