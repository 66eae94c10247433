#include "data/writer/writer.h"

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/file_header.h"
#include "data/header/pipe_records.h"
#include "data/writer/async_writes.h"
#include "data/writer/record_compressor.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kMaxPieces = 64;  // per writev(2)
constexpr std::size_t kMaxQueued = std::size_t{1} << 18;

// Writes all of `pieces`, retrying after short writes and EINTR. Adds the number of bytes written to `written`, also
// when it fails.
Result<> write_pieces(int fd, std::span<const iovec> pieces, u64& written) {
  std::vector<iovec> rest;  // what is left after a short write
  while (!pieces.empty()) {
    const ssize_t count = ::writev(fd, pieces.data(), static_cast<int>(std::min(pieces.size(), kMaxPieces)));
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("cannot write the recording");
    }
    written += static_cast<u64>(count);
    std::size_t left = static_cast<std::size_t>(count);
    while (!pieces.empty() && left >= pieces.front().iov_len) {
      left -= pieces.front().iov_len;
      pieces = pieces.subspan(1);
    }
    if (left == 0) continue;
    rest = std::vector<iovec>(pieces.begin(), pieces.end());
    rest.front().iov_base = static_cast<std::byte*>(rest.front().iov_base) + left;
    rest.front().iov_len -= left;
    pieces = rest;
  }
  return {};
}

// Returns how many of the first `limit` bytes of `pieces` form whole records. `pieces` must start at a record.
u64 whole_records(std::span<const iovec> pieces, u64 limit) {
  const auto byte_at = [&](u64 place) {
    std::size_t piece = 0;
    for (; place >= pieces[piece].iov_len; ++piece) place -= pieces[piece].iov_len;
    return std::to_integer<u64>(static_cast<const std::byte*>(pieces[piece].iov_base)[place]);
  };
  u64 at = 0;
  while (at + abi::kRecordHeaderSize <= limit) {
    const u64 size = kHostOrder == ByteOrder::Little ? byte_at(at + 6) | byte_at(at + 7) << 8
                                                     : byte_at(at + 6) << 8 | byte_at(at + 7);
    if (size < abi::kRecordHeaderSize || size > limit - at) break;
    at += size;
  }
  return at;
}

iovec piece_of(Bytes bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

constexpr u32 kIdsPlace = 16;  // size of {offset, size} of the ids after each attr

void put_attrs(const Evlist& evlist, u32 attr_size, ByteWriter& ids, ByteWriter& attrs) {
  for (const Event& event : evlist) {
    abi::EventAttr attr = event.attr;
    attr.size = attr_size;
    abi::encode_attr(attr, attrs);
    attrs.put64(kFileHeaderSize + ids.size()).put64(8 * event.ids.size());
    for (const u64 id : event.ids) ids.put64(id);
  }
}

}  // namespace

struct Writer::State {
  Fd fd;
  std::string name;
  WriterOptions options;
  WriteAccount account;
  FileHeader file;
  u64 saved_size = 0;                 // data size at the last checkpoint
  std::vector<FeatureSection> vital;  // feature sections placed before the records
  std::optional<RecordCompressor> compressor;
  std::optional<AsyncWrites> background;
  std::vector<std::byte> queued;  // small records and finished COMPRESSED records, written with the next piece
  std::vector<iovec> pieces;

  Result<> write_queued() { return write({}); }
  Result<> write(std::span<const Bytes> records);
  Result<> flush();
  Result<> settle();
  Result<> named(Result<> done) const;
  void keep_whole_records(u64 written);
  Result<> pwrite_all(Bytes bytes, u64 offset);
  Result<> begin_file(const Evlist& evlist, const Features& features);
  void place_vital(const Features& features, ByteWriter& out);
  Result<> write_checkpoint_block();
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

Result<Writer> Writer::open_fd(Fd fd, std::string name, WriterOptions options) {
  auto state = std::make_unique<State>();
  state->fd = std::move(fd);
  state->name = std::move(name);
  state->options = options;
  if (options.write_blocks > 0 && !options.pipe) state->background.emplace(options.write_blocks);
  if (options.compression_level > 0) state->compressor.emplace(options.compression_level);
  return Writer(std::move(state));
}

// Writes the queue and then `records` with as few system calls as possible.
Result<> Writer::State::write(std::span<const Bytes> records) {
  pieces.clear();
  if (!queued.empty()) pieces.push_back(piece_of(queued));
  for (const Bytes record : records) {
    if (!record.empty()) pieces.push_back(piece_of(record));
  }
  u64 total = 0;
  for (const iovec& piece : pieces) total += piece.iov_len;
  if (background) {
    PEREGRINE_TRY(named(background->start(fd.get(), pieces, file.data.offset + file.data.size)));
  } else {
    u64 written = 0;
    if (auto done = write_pieces(fd.get(), pieces, written); !done) {
      keep_whole_records(written);
      return named(std::move(done));
    }
  }
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

// Recovers from a partial write of `pieces`: whole records count as written, and the next write overwrites the rest.
void Writer::State::keep_whole_records(u64 written) {
  if (options.pipe) return;
  const u64 whole = whole_records(pieces, written);
  queued.erase(queued.begin(), queued.begin() + static_cast<std::ptrdiff_t>(std::min<u64>(whole, queued.size())));
  file.data.size += whole;
  account.bytes += whole;
  (void)::lseek(fd.get(), static_cast<off_t>(file.data.offset + file.data.size), SEEK_SET);
}

// Prefixes write errors with the file name.
Result<> Writer::State::named(Result<> done) const {
  if (!done) done.error().message = name + ": " + done.error().message;
  return done;
}

// Waits until everything is in the file.
Result<> Writer::State::settle() { return background ? named(background->wait()) : Result<>(); }

Result<> Writer::State::pwrite_all(Bytes bytes, u64 offset) {
  return peregrine::pwrite_all(fd.get(), bytes.data(), bytes.size(), offset, name);
}

// linux-perf allocates a buffer of this size for the contents of one COMPRESSED record.
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
  return state_->begin_file(evlist, features);
}

Result<> Writer::settle_attrs(const Evlist& evlist) {
  if (state_->options.pipe) return {};
  ByteWriter ids, attrs;
  put_attrs(evlist, static_cast<u32>(state_->file.attr_size) - kIdsPlace, ids, attrs);
  return state_->pwrite_all(attrs.bytes(), state_->file.attrs.offset);
}

// header | ids of each event | attrs | vital features | records
Result<> Writer::State::begin_file(const Evlist& evlist, const Features& features) {
  u32 attr_size = abi::kAttrSizeWritten;
  for (const Event& event : evlist) attr_size = std::max(attr_size, abi::written_size(event.attr));
  ByteWriter ids, attrs, updates;
  put_attrs(evlist, attr_size, ids, attrs);
  for (const Event& event : evlist) put_event_updates(event, false, updates);
  file.attr_size = attr_size + kIdsPlace;
  file.attrs = {kFileHeaderSize + ids.size(), attrs.size()};
  ids.append(attrs.bytes());
  place_vital(features, ids);
  file.data = {kFileHeaderSize + ids.size(), 0};
  PEREGRINE_TRY(pwrite_all(encode_file_header(file), 0));
  PEREGRINE_TRY(pwrite_all(ids.bytes(), kFileHeaderSize));
  account.bytes = file.data.offset;
  if (::lseek(fd.get(), static_cast<off_t>(file.data.offset), SEEK_SET) < 0) return fail_errno(name);
  const Bytes records = updates.bytes();
  return write(std::span(&records, 1));
}

// Places the features that readers need to decode records before the records, where growing data never overwrites
// them. `out` holds everything after the header.
void Writer::State::place_vital(const Features& features, ByteWriter& out) {
  Features values = features;
  settle_compression(values);
  for (const FeatureRow& row : feature_table()) {
    if (!row.has(feature_trait::BeforeRecords) || (row.id == FeatureId::Compressed && !compressor)) continue;
    const u32 id = static_cast<u32>(row.id);
    const auto bytes = encode_feature(id, values);
    if (!bytes) continue;
    vital.push_back({id, kFileHeaderSize + out.size(), bytes->size()});
    out.append(Bytes(*bytes)).zeros((8 - bytes->size() % 8) % 8);
  }
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
  for (const FeatureRow& row : feature_table()) {
    if (row.has(feature_trait::NotInPipe)) continue;
    const u32 id = static_cast<u32>(row.id);
    if (const auto bytes = encode_feature(id, sent)) put_header_feature(id, *bytes, out);
  }
  put_last_feature(out);
  if (features.tracing_data) put_tracing_data(*features.tracing_data, out);
  if (const auto ids = encode_feature(static_cast<u32>(FeatureId::BuildId), features)) put_build_ids(*ids, out);
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
  State& s = *state_;
  if (s.options.pipe) return {};
  const auto flushed = s.flush();
  if (s.file.data.size != s.saved_size && !s.options.records_only) {
    FileHeader header = s.file;
    // The reserved bit tells readers that the recording is unfinished. On a full disk, saving the records matters more
    // than saving this block, unless the records are unreadable without the vital features.
    if (auto block = s.write_checkpoint_block(); block) {
      header.set(kReservedFeature);
      for (const FeatureSection& section : s.vital) header.set(section.id);
    } else if (!s.vital.empty()) {
      return block;
    }
    // The header must never describe data that is not written yet.
    PEREGRINE_TRY(s.settle());
    PEREGRINE_TRY(s.pwrite_all(encode_file_header(header), 0));
    s.saved_size = s.file.data.size;
  }
  return flushed;
}

// A reader expects the feature table right after the data, but more data will follow it. So the table is also a valid
// record: its first entry belongs to the reserved feature 0, which readers ignore, and that entry's first word is a
// record header.
//
//   | records … | EVENT_TYPE, size | 0 | offset, size of a vital feature … | records …
//               ^ end of data according to the header
Result<> Writer::State::write_checkpoint_block() {
  ByteWriter block;
  block.put32(static_cast<u32>(abi::RecordType::HeaderEventType)).put16(0);
  block.put16(static_cast<u16>(16 * (vital.size() + 1))).put64(0);
  for (const FeatureSection& section : vital) block.put64(section.offset).put64(section.size);
  const u64 end = file.data.offset + file.data.size;
  PEREGRINE_TRY(pwrite_all(block.bytes(), end));  // not queued: the queue may be what failed to write
  if (::lseek(fd.get(), static_cast<off_t>(end + block.size()), SEEK_SET) < 0) return fail_errno(name);
  file.data.size += block.size();
  account.bytes += block.size();
  return {};
}

Result<> Writer::finish(const Features& features, const std::map<u32, std::vector<std::byte>>& kept) {
  PEREGRINE_TRY(state_->flush());
  PEREGRINE_TRY(state_->settle());
  if (state_->options.pipe || state_->options.records_only) return {};
  return state_->finish_file(features, kept);
}

// records | table of {offset, size}, one per feature | the features not placed before the records
Result<> Writer::State::finish_file(const Features& features, const std::map<u32, std::vector<std::byte>>& kept) {
  Features values = features;
  settle_compression(values);
  std::vector<std::pair<FeatureSection, std::vector<std::byte>>> sections;
  for (u32 id = 1; id < kFeatureBits; ++id) {
    const auto placed = std::ranges::find(vital, id, &FeatureSection::id);
    if (placed != vital.end() && id != static_cast<u32>(FeatureId::Compressed)) {
      sections.emplace_back(*placed, std::vector<std::byte>());
    } else if (auto bytes = encode_feature(id, values)) {
      sections.emplace_back(FeatureSection{id, 0, bytes->size()}, std::move(*bytes));
    } else if (const auto found = kept.find(id); found != kept.end()) {
      sections.emplace_back(FeatureSection{id, 0, found->second.size()}, found->second);
    }
  }
  file.features = {};
  const u64 table = file.data.offset + file.data.size;
  u64 at = table + 16 * sections.size();
  ByteWriter out;
  for (auto& [section, bytes] : sections) {
    if (section.offset == 0) section.offset = std::exchange(at, at + section.size);
    file.set(section.id);
    out.put64(section.offset).put64(section.size);
  }
  for (const auto& [section, bytes] : sections) out.append(Bytes(bytes));
  PEREGRINE_TRY(pwrite_all(out.bytes(), table));
  account.bytes += out.size();
  return pwrite_all(encode_file_header(file), 0);
}

}  // namespace peregrine::data
