#include "session/ftrace/ftrace_reader.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/function/graph_line.h"
#include "output/text/trace/function_text.h"

namespace peregrine {

FtraceReader::FtraceReader(const FtraceRequest& request, TextPairRequest pair, Sink& out)
    : request_(request),
      out_(out),
      histogram_(request.nanoseconds ? 1 : 1000, request.bucket_range, request.least, request.most),
      pairs_(std::move(pair)) {}

void FtraceReader::take(std::string& text) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n', searched_); end != std::string::npos; end = text.find('\n', begin)) {
    take_line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  if (request_.mode == FtraceMode::Trace) out_.append(std::string_view(text).substr(0, begin));
  text.erase(0, begin);
  searched_ = text.size();
}

void FtraceReader::take_line(std::string_view line) {
  lost_ += lost_events(line);
  if (request_.mode == FtraceMode::Trace) return;
  if (request_.measures_events()) {
    if (const auto duration = pairs_.add(line)) histogram_.add(*duration);
    return;
  }
  const auto parsed = parse_graph_line(line);
  if (!parsed) return;
  if (request_.mode == FtraceMode::Latency)
    histogram_.add(parsed->duration);
  else if (!parsed->function.empty())
    profile_.add(parsed->function, parsed->duration);
}

void FtraceReader::finish() {
  if (request_.mode == FtraceMode::Latency)
    print_duration_histogram(histogram_, request_.nanoseconds ? "ns" : "us", request_.hide_empty, out_);
  if (request_.mode == FtraceMode::Profile) print_function_profile(profile_.rows(request_.order), out_);
}

}  // namespace peregrine
