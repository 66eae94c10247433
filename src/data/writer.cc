#include "data/writer.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "data/file_header.h"
#include "data/pipe_records.h"
#include "data/record_compressor.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kMaxPieces = 64;  // of one writev(2)
constexpr std::size_t kMaxQueued = std::size_t{1} << 18;

// Writes all of `pieces`, which are changed, over short writes and EINTR.
Result<> write_pieces(int fd, std::span<iovec> pieces) {
  while (!pieces.empty()) {
    const ssize_t count = ::writev(fd, pieces.data(), static_cast<int>(std::min(pieces.size(), kMaxPieces)));
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("cannot write the recording");
    }
    std::size_t written = static_cast<std::size_t>(count);
    while (!pieces.empty() && written >= pieces.front().iov_len) {
      written -= pieces.front().iov_len;
      pieces = pieces.subspan(1);
    }
    if (written > 0) {
      pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + written;
      pieces.front().iov_len -= written;
    }
  }
  return {};
}

iovec piece_of(Bytes bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

}  // namespace

struct Writer::State {
  Fd fd;
  std::string name;
  WriterOptions options;
  WriteAccount account;
  FileHeader file;
  std::optional<RecordCompressor> compressor;
  std::vector<std::byte> queued;  // small records and finished COMPRESSED ones, written with the next piece
  std::vector<iovec> pieces;

  Result<> write_queued() { return write({}); }
  Result<> write(std::span<const Bytes> records);
  Result<> flush();
  Result<> pwrite_all(Bytes bytes, u64 offset);
  Result<> begin_file(const Evlist& evlist);
  Result<> begin_pipe(const Evlist& evlist, const Features& features);
  Result<> finish_file(const Features& features, const std::map<u32, std::vector<std::byte>>& kept);
  void settle_compression(Features& features) const;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

const WriteAccount& Writer::account() const { return state_->account; }
u64 Writer::data_offset() const { return state_->file.data.offset; }
u64 Writer::data_size() const { return state_->file.data.size; }
int Writer::fd() const { return state_->fd.get(); }

Result<Writer> Writer::create(const std::string& path, WriterOptions options) {
  auto fd = open_file(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (!fd) return std::unexpected(fd.error());
  return open_fd(std::move(*fd), path, options);
}

Result<Writer> Writer::open_fd(Fd fd, std::string name, WriterOptions options) {
  auto state = std::make_unique<State>();
  state->fd = std::move(fd);
  state->name = std::move(name);
  state->options = options;
  if (options.compression_level > 0) state->compressor.emplace(options.compression_level);
  return Writer(std::move(state));
}

// What is queued, then `records`, in one go.
Result<> Writer::State::write(std::span<const Bytes> records) {
  pieces.clear();
  if (!queued.empty()) pieces.push_back(piece_of(queued));
  for (const Bytes record : records) {
    if (!record.empty()) pieces.push_back(piece_of(record));
  }
  u64 total = 0;
  for (const iovec& piece : pieces) total += piece.iov_len;
  PEREGRINE_TRY(write_pieces(fd.get(), pieces));
  queued.clear();
  file.data.size += total;
  account.bytes += total;
  return {};
}

Result<> Writer::State::flush() {
  if (compressor) {
    const std::size_t before = queued.size();
    PEREGRINE_TRY(compressor->flush(queued));
    account.compressed_bytes += queued.size() - before;
  }
  return write_queued();
}

Result<> Writer::State::pwrite_all(Bytes bytes, u64 offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno(name);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<u64>(count);
  }
  return {};
}

// linux-perf needs a buffer as large as what one COMPRESSED record holds.
void Writer::State::settle_compression(Features& features) const {
  if (!compressor) return;
  if (!features.compression) features.compression.emplace();
  CompressionParameters& parameters = *features.compression;
  parameters.level = static_cast<u32>(options.compression_level);
  parameters.mmap_length = std::max(parameters.mmap_length, RecordCompressor::kMmapLength);
  if (account.compressed_bytes != 0) {
    parameters.ratio =
        static_cast<u32>((account.record_bytes + account.compressed_bytes / 2) / account.compressed_bytes);
  }
}

Result<> Writer::begin(const Evlist& evlist, const Features& features) {
  if (state_->options.pipe) return state_->begin_pipe(evlist, features);
  return state_->begin_file(evlist);
}

// header | ids of each event | attrs | records
Result<> Writer::State::begin_file(const Evlist& evlist) {
  u32 attr_size = abi::kAttrSizeWritten;
  for (const Event& event : evlist) attr_size = std::max(attr_size, abi::written_size(event.attr));
  ByteWriter ids, attrs, updates;
  for (const Event& event : evlist) {
    abi::EventAttr attr = event.attr;
    attr.size = attr_size;
    abi::encode_attr(attr, attrs);
    attrs.put64(kFileHeaderSize + ids.size()).put64(8 * event.ids.size());
    for (const u64 id : event.ids) ids.put64(id);
    put_event_updates(event, false, updates);
  }
  file.attr_size = attr_size + 16;
  file.attrs = {kFileHeaderSize + ids.size(), attrs.size()};
  file.data = {file.attrs.offset + file.attrs.size, 0};
  ids.append(attrs.bytes());
  PEREGRINE_TRY(pwrite_all(encode_file_header(file), 0));
  PEREGRINE_TRY(pwrite_all(ids.bytes(), kFileHeaderSize));
  account.bytes = file.data.offset;
  if (::lseek(fd.get(), static_cast<off_t>(file.data.offset), SEEK_SET) < 0) return fail_errno(name);
  const Bytes records = updates.bytes();
  return write(std::span(&records, 1));
}

Result<> Writer::State::begin_pipe(const Evlist& evlist, const Features& features) {
  file.pipe = true;
  u32 attr_size = abi::kAttrSizeWritten;
  for (const Event& event : evlist) attr_size = std::max(attr_size, abi::written_size(event.attr));
  ByteWriter out;
  out.append(Bytes(encode_file_header(file)));
  for (const Event& event : evlist) put_header_attr(event, attr_size, out);
  for (const Event& event : evlist) put_event_updates(event, true, out);
  Features sent = features;
  settle_compression(sent);
  put_header_features(sent, out);
  if (features.tracing_data) put_tracing_data(*features.tracing_data, out);
  put_build_ids(features, out);
  const Bytes bytes = out.bytes();
  PEREGRINE_TRY(write(std::span(&bytes, 1)));
  file.data = {kPipeHeaderSize, file.data.size - kPipeHeaderSize};
  return {};
}

Result<> Writer::append(std::span<const Bytes> pieces) {
  State& s = *state_;
  u64 total = 0;
  for (const Bytes piece : pieces) total += piece.size();
  s.account.record_bytes += total;
  if (!s.compressor) return s.write(pieces);
  const std::size_t before = s.queued.size();
  for (const Bytes piece : pieces) PEREGRINE_TRY(s.compressor->add(piece, s.queued));
  s.account.compressed_bytes += s.queued.size() - before;
  if (s.queued.size() < kMaxQueued && !s.options.pipe) return {};
  return s.write_queued();
}

Result<> Writer::append_plain(Bytes records) {
  PEREGRINE_TRY(state_->flush());
  return state_->write(std::span(&records, 1));
}

Result<> Writer::finish_round() {
  State& s = *state_;
  if (s.compressor) {
    const std::size_t before = s.queued.size();
    PEREGRINE_TRY(s.compressor->flush(s.queued));
    s.account.compressed_bytes += s.queued.size() - before;
  }
  ByteWriter record;
  record.put32(static_cast<u32>(abi::RecordType::FinishedRound)).put16(0).put16(abi::kRecordHeaderSize);
  s.queued.insert(s.queued.end(), record.bytes().begin(), record.bytes().end());
  ++s.account.records;
  return s.options.pipe || s.queued.size() >= kMaxQueued ? s.write_queued() : Result<>();
}

Result<> Writer::finish_init() {
  ByteWriter record;
  record.put32(static_cast<u32>(abi::RecordType::FinishedInit)).put16(0).put16(abi::kRecordHeaderSize);
  ++state_->account.records;
  return append_plain(record.bytes());
}

Result<> Writer::checkpoint() {
  if (state_->options.pipe) return {};
  PEREGRINE_TRY(state_->flush());
  return state_->pwrite_all(encode_file_header(state_->file), 0);
}

Result<> Writer::finish(const Features& features, const std::map<u32, std::vector<std::byte>>& kept) {
  PEREGRINE_TRY(state_->flush());
  if (!state_->options.pipe) return state_->finish_file(features, kept);
  return {};
}

// records | table of {offset, size}, one per feature | the features
Result<> Writer::State::finish_file(const Features& features, const std::map<u32, std::vector<std::byte>>& kept) {
  Features values = features;
  settle_compression(values);
  std::vector<std::pair<u32, std::vector<std::byte>>> sections;
  for (u32 id = 1; id < kFeatureBits; ++id) {
    if (auto bytes = encode_feature(id, values)) {
      sections.emplace_back(id, std::move(*bytes));
    } else if (const auto found = kept.find(id); found != kept.end()) {
      sections.emplace_back(id, found->second);
    }
  }
  file.features = {};
  const u64 table = file.data.offset + file.data.size;
  u64 at = table + 16 * sections.size();
  ByteWriter out;
  for (const auto& [id, bytes] : sections) {
    file.set(id);
    out.put64(at).put64(bytes.size());
    at += bytes.size();
  }
  for (const auto& [id, bytes] : sections) out.append(Bytes(bytes));
  PEREGRINE_TRY(pwrite_all(out.bytes(), table));
  account.bytes += out.size();
  return pwrite_all(encode_file_header(file), 0);
}

}  // namespace peregrine::data
