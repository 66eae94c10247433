#include "pipeline/decode/decoded_stream.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <utility>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/result.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {
namespace {

// Writing to a closed pipe must return an error here, not end the program.
void ignore_broken_pipes() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace

DecodedStream::DecodedStream(data::Reader original, RecordedTraces traces, DecodeOptions options)
    : original_(std::move(original)), traces_(std::move(traces)), options_(std::move(options)) {
  options_.stop = &stop_;
}

Result<std::unique_ptr<DecodedStream>> DecodedStream::start(data::Reader original, RecordedTraces traces,
                                                            DecodeOptions options) {
  constexpr int kWide = 1 << 20;
  PEREGRINE_TRY(check_decodable(traces));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("cannot create a pipe for decoded traces");
  Fd in(ends[0]), out(ends[1]);
  ::fcntl(out.get(), F_SETPIPE_SZ, kWide);
  std::unique_ptr<DecodedStream> stream(new DecodedStream(std::move(original), std::move(traces), std::move(options)));
  stream->rest_ = Fd(::fcntl(in.get(), F_DUPFD_CLOEXEC, 0));
  stream->in_ = std::move(in);
  stream->thread_ = std::thread([out = std::move(out), it = stream.get()]() mutable { it->run(std::move(out)); });
  return stream;
}

void DecodedStream::run(Fd out) {
  ignore_broken_pipes();
  outcome_ = guarded([&] {
    return decode_traces(original_, traces_, data::CopyWriter(std::move(out), original_.path(), true), options_);
  });
}

Result<data::Reader> DecodedStream::open() { return data::Reader::open_fd(std::move(in_), original_.path()); }

void DecodedStream::drop_rest() {
  std::array<std::byte, 1u << 16> bytes;
  while (::read(rest_.get(), bytes.data(), bytes.size()) > 0) {
  }
}

const Result<DecodeSummary>& DecodedStream::finish() {
  if (thread_.joinable()) {
    drop_rest();
    thread_.join();
  }
  return outcome_;
}

DecodedStream::~DecodedStream() {
  stop_ = true;
  finish();
}

}  // namespace peregrine
