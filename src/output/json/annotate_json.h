// Annotated functions as JSON: one document, or one object per instruction and line.
//
//   {"symbols":[{"event":"cpu-clock","symbol":"work","dso":"/opt/prog","samples":5,"period":1250000,"lines":[
//     {"offset":4,"address":"0x401004","code":"add %rsi,%rax","samples":3,"period":750000,"percent":60,
//      "place":"/src/work.c:12"}]}]}
//
// For a group there are numbers per member, named "samples.EVENT". Percentages follow --percent-type.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "output/json/json_document.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"

namespace peregrine {

class AnnotateJson {
 public:
  // `lines`: one object per line instead of a document.
  AnnotateJson(Sink& out, PercentType type, bool lines) : out_(out), json_(out), type_(type), lines_(lines) {
    if (!lines_) json_.begin_object().key("symbols").begin_array();
  }
  // `events`: names of the page's events.
  void print(const AnnotatePage& page, const std::vector<std::string>& events);
  void finish() {
    if (lines_) return;
    json_.line().end_array().end_object();
    out_.append('\n');
  }

 private:
  void append_line(std::string& text, const AnnotatePage& page, std::size_t line,
                   const std::vector<std::string>& events) const;
  Sink& out_;
  JsonDocument json_;
  PercentType type_;
  bool lines_;
};

}  // namespace peregrine
