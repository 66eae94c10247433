#include "cli/frame/csv_guard.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/concurrency/all_signals_held.h"
#include "base/guarded.h"
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

Result<std::unique_ptr<CsvGuard>> CsvGuard::start(CellStyle style, Sink& to) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd out(ends[0]), in(ends[1]);
  std::unique_ptr<CsvGuard> guard(new CsvGuard(std::move(style), to));
  guard->out_ = std::move(out);
  guard->in_ = std::move(in);
  const AllSignalsHeld held;
  guard->thread_ = std::thread([raw = guard.get()] { raw->work(); });
  return guard;
}

CsvGuard::~CsvGuard() { static_cast<void>(finish()); }

Result<> CsvGuard::finish() {
  in_.reset();
  if (thread_.joinable()) thread_.join();
  return outcome_;
}

// Drains the pipe to its end even after an error, so that the writer never blocks.
void CsvGuard::work() {
  outcome_ = guarded([this]() -> Result<> {
    pass_on();
    return {};
  });
  if (outcome_) return;
  std::array<char, 4096> dropped;
  for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);)
    got = ::read(out_.get(), dropped.data(), dropped.size());
}

// A failed sink keeps its error.
void CsvGuard::pass_on() {
  std::array<char, 65536> piece;
  std::string rest, safe;
  for (;;) {
    const ssize_t got = ::read(out_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    // The remaining part of the line was already searched for its end. Searching it again would be quadratic in long
    // lines.
    const std::size_t searched = rest.size();
    rest.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    safe.clear();
    for (std::size_t end = rest.find('\n', searched); end != std::string::npos; end = rest.find('\n', begin)) {
      append_safe_cells(std::string_view(rest).substr(begin, end - begin), style_, safe);
      safe += '\n';
      begin = end + 1;
    }
    rest.erase(0, begin);
    to_.append(safe);
    static_cast<void>(to_.flush());
  }
  safe.clear();
  if (!rest.empty()) append_safe_cells(rest, style_, safe);
  to_.append(safe);
  static_cast<void>(to_.flush());
}

Result<int> guard_cells(const std::string& separator, Invocation& call,
                        const std::function<Result<int>(Invocation&)>& run) {
  CellStyle style{.quoted = separator.empty()};
  if (!separator.empty()) style.separator = separator == "\\t" ? "\t" : separator;
  PEREGRINE_TRY(call.out.flush());
  Result<int> code = 0;
  {
    auto guard = CsvGuard::start(std::move(style), call.out);
    if (!guard) return std::unexpected(std::move(guard.error()));
    Sink out((*guard)->fd());
    Invocation guarded = call.with_output(out);
    code = run(guarded);
    PEREGRINE_TRY(out.flush());
    PEREGRINE_TRY((*guard)->finish());
  }
  PEREGRINE_TRY(call.out.flush());
  return code;
}

}  // namespace peregrine
