#include "output/json/chrome_events.h"

namespace peregrine {

void ChromeEvents::begin_document() {
  json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
}

void ChromeEvents::begin_document(std::string_view creator, std::string_view command) {
  json_.begin_object().member("displayTimeUnit", "ns");
  json_.object("otherData", [&] { json_.member("creator", creator).member("command", command); });
  json_.line().key("traceEvents").begin_array();
}

void ChromeEvents::end_document() {
  json_.line().end_array().end_object();
  out_.append('\n');
}

JsonLine ChromeEvents::begin(std::string_view phase) {
  event_ = "{";
  JsonLine line(event_);
  line.escaped_string("ph", phase);
  return line;
}

void ChromeEvents::end(std::string_view braces) { json_.line().next().append(event_).append(braces); }

void ChromeEvents::put_place(JsonLine& line, i64 pid, i64 tid) {
  line.number("pid", pid);
  line.number("tid", tid);
}

// Called for each slice: fmt would take longer.
void ChromeEvents::put_time(JsonLine& line, std::string_view name, u64 ns) {
  line.number(name, ns / 1000);
  const auto rest = static_cast<unsigned>(ns % 1000);
  event_ += '.';
  for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10}) event_ += static_cast<char>('0' + digit);
}

void ChromeEvents::put_name(std::string_view what, i64 pid, i64 tid, std::string_view name) {
  JsonLine line = begin("M");
  line.escaped_string("name", what);
  put_place(line, pid, tid);
  line.raw("args", "{");
  line.string("name", name);
  end("}}");
}

}  // namespace peregrine
