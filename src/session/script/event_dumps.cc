#include "session/script/event_dumps.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/result.h"
#include "output/text_file.h"

namespace peregrine {

Result<EventDumps> EventDumps::open(const std::string& stem, const std::vector<std::string>& names) {
  EventDumps dumps;
  for (std::string name : names) {
    const auto is_odd = [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; };
    std::replace_if(name.begin(), name.end(), is_odd, '_');
    const std::string path = fmt::format("{}.{}.dump", stem, name);
    auto fd = create_text_file(path);
    if (!fd) return std::unexpected(std::move(fd.error()));
    dumps.paths_.push_back(path);
    dumps.sinks_.push_back(std::make_unique<Sink>(fd->get()));
    dumps.fds_.push_back(std::move(*fd));
    dumps.files_.push_back(EventText{*dumps.sinks_.back()});
  }
  return dumps;
}

Result<> EventDumps::finish(Sink& out) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    PEREGRINE_TRY(sinks_[i]->flush());
    struct stat status{};
    const auto size = ::fstat(fds_[i].get(), &status) == 0 ? static_cast<double>(status.st_size) : 0.0;
    out.format("[ perf script: Wrote {:.3f} MB {} ({} samples) ]\n", size / (1024 * 1024), paths_[i],
               files_[i].samples);
  }
  return {};
}

}  // namespace peregrine
