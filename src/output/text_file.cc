#include "output/text_file.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "data/header/recording_magic.h"

namespace peregrine {

Result<Fd> create_text_file(const std::string& path, OutputRequest request) {
  request.is_precious = data::begins_recording;
  return create_output(path, request);
}

Result<OutputFile> create_whole_file(const std::string& path, OutputRequest request) {
  request.is_precious = data::begins_recording;
  return OutputFile::create(path, request);
}

Result<> check_whole_file(const std::string& path) {
  return check_output_file(path, {.is_precious = data::begins_recording});
}

Result<> write_whole_file(const std::string& path, Sink& standard_output, const std::function<void(Sink&)>& print,
                          const OutputRequest& request) {
  if (path == "-") {
    print(standard_output);
    return standard_output.flush();
  }
  auto file = create_whole_file(path, request);
  if (!file) return std::unexpected(std::move(file.error()));
  Sink out(file->fd());
  print(out);
  PEREGRINE_TRY(flush_file(out, path));
  return file->finish();
}

Result<> flush_file(Sink& out, const std::string& path) {
  auto written = out.flush();
  if (!written) written.error().message = fmt::format("{}: {}", path, written.error().message);
  return written;
}

std::string shown_path(const std::string& path) { return path == "-" ? "standard output" : path; }

}  // namespace peregrine
