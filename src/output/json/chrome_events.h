// ChromeEvents: writes a document of Chrome's trace event format, event by event, for chrome://tracing and Perfetto.
//
//   ChromeEvents events(out);
//   events.begin_document();
//   JsonLine line = events.begin("X");
//   events.put_time(line, "ts", 1234);     1.234 microseconds
//   events.end("}");
//   events.end_document();
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/json/json_document.h"
#include "output/json/json_line.h"
#include "output/sink.h"

namespace peregrine {

class ChromeEvents {
 public:
  // `out` must outlive this.
  explicit ChromeEvents(Sink& out) : out_(out), json_(out) {}

  void begin_document();
  // With the program that writes the document, and the command that was recorded.
  void begin_document(std::string_view creator, std::string_view command);
  void end_document();
  // The caller appends the event's members to the line.
  JsonLine begin(std::string_view phase);
  // `braces`: the brackets that close the event.
  void end(std::string_view braces);

  static void put_place(JsonLine& line, i64 pid, i64 tid);
  // Microseconds with three decimals. `line` is the result of begin().
  void put_time(JsonLine& line, std::string_view name, u64 ns);
  // A complete event that names something: "process_name", "thread_name".
  void put_name(std::string_view what, i64 pid, i64 tid, std::string_view name);

 private:
  Sink& out_;
  JsonDocument json_;
  std::string event_;  // the one that is being written
};

}  // namespace peregrine
