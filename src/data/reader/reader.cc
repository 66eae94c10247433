#include "data/reader/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/record_places.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/header/file_header.h"
#include "data/header/header_record.h"
#include "data/header/recording_magic.h"
#include "data/reader/reader_state.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {
namespace {

constexpr u64 kLargeFeature = u64{16} << 20;  // larger features are read only on request
constexpr u64 kLargestValue = u64{1} << 29;   // features and trace buffers are smaller; a sparse file may claim more
constexpr u64 kOldHeader = 72;                // smallest header of the file layout
constexpr std::size_t kMaxAhead = 100000;     // limit on header records before a pipe's first kernel record

Result<struct stat> stat_of(int fd, const std::string& name) {
  struct stat status;
  if (::fstat(fd, &status) != 0) return fail_errno(name);
  return status;
}

// Reads the feature sections into the header and decodes the small ones.
Result<> read_features(int fd, const FileHeader& file, u64 file_size, Header& header) {
  header.feature_offset = header.data_offset + header.data_size;
  auto sections = read_feature_table(fd, file, header.feature_offset, file_size);
  if (!sections) return std::unexpected(sections.error());
  header.sections = std::move(*sections);
  for (const FeatureSection& section : header.sections) {
    header.present.push_back(section.id);
    // The formats of a tracepoint recording can take megabytes, so read_feature() loads them on request.
    if (section.size > kLargeFeature || section.id == static_cast<u32>(FeatureId::TracingData)) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(section.size));
    const auto got = pread_full(fd, bytes.data(), bytes.size(), section.offset);
    if (!got) return std::unexpected(got.error());
    bytes.resize(*got);
    add_feature(section.id, bytes, header);
  }
  return {};
}

// A killed recorder leaves a data size of 0. If a complete feature table follows, the recording is valid and just
// empty.
bool table_follows(int fd, const FileHeader& file, u64 file_size) {
  const auto sections = read_feature_table(fd, file, file.data.offset, file_size);
  return sections && !sections->empty() && sections->front().offset == file.data.offset + 16 * sections->size();
}

// In a pipe written by Google's perf 3.2, the first record is the host name.
bool begins_with_old_feature(const abi::RecordView& record) {
  if (old_feature(record.type) != static_cast<u32>(FeatureId::Hostname) || record.offset != kPipeHeaderSize) {
    return false;
  }
  ByteReader in(record.body(), record.order);
  const u32 length = in.get32();
  return in.ok() && length != 0 && length == in.left() && in.rest().back() == std::byte{0};
}

bool is_tracing_data(const abi::RecordView& record) {
  return record.type == abi::RecordType::HeaderTracingData ||
         static_cast<u32>(record.type) == abi::kSimpleperfTracingData;
}

}  // namespace

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

const std::string& Reader::path() const { return state_->path; }
const Header& Reader::header() const { return state_->header; }
const Evlist& Reader::evlist() const { return state_->evlist; }
Evlist& Reader::evlist() { return state_->evlist; }
const ReadAccount& Reader::account() const { return state_->account; }
bool Reader::has_old_numbers() const { return state_->stream.old_numbers(); }

Result<Reader> Reader::open(const std::string& path) {
  if (path == "-") {
    const int copy = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return fail_errno("standard input");
    return open_fd(Fd(copy), path);
  }
  auto file = open_recording_file(path, TrustedOwner::Anyone);
  if (!file) return std::unexpected(std::move(file.error()));
  return open(std::move(*file));
}

Result<Reader> Reader::open(RecordingFile file) {
  const bool folder = file.folder;
  auto reader = open_fd(std::move(file.main), std::move(file.name));
  if (reader && folder) reader->state_->header.layout = Layout::Directory;
  if (reader) PEREGRINE_TRY(reader->add_files(std::move(file.further)));
  return reader;
}

Result<> Reader::add_files(std::vector<Fd> files) {
  for (Fd& fd : files) {
    const auto status = stat_of(fd.get(), path());
    if (!status) return std::unexpected(status.error());
    state_->stream.add_input({std::move(fd), true, 0, static_cast<u64>(status->st_size)});
  }
  return {};
}

Result<Reader> Reader::open_again() const {
  const RecordStream& stream = state_->stream;
  RecordingFile file;
  file.name = path();
  file.folder = header().layout == Layout::Directory;
  for (std::size_t i = 0; i < stream.input_count(); ++i) {
    const Input& input = stream.input(i);
    if (!input.seekable) return fail(ErrorKind::Unsupported, "{}: a pipe cannot be read twice", path());
    Fd copy(::fcntl(input.fd.get(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return fail_errno(path());
    if (i == 0)
      file.main = std::move(copy);
    else
      file.further.push_back(std::move(copy));
  }
  return open(std::move(file));
}

Result<Reader> Reader::open_fd(Fd fd, std::string name) {
  const auto status = stat_of(fd.get(), name);
  if (!status) return std::unexpected(status.error());
  const bool seekable = S_ISREG(status->st_mode);
  std::byte first[kFileHeaderSize] = {};
  const auto got =
      seekable ? pread_full(fd.get(), first, sizeof first, 0) : read_full(fd.get(), first, kPipeHeaderSize);
  if (!got) return std::unexpected(got.error());
  auto file = decode_file_header(Bytes(first).first(*got));
  if (!file && !seekable && *got == kPipeHeaderSize && begins_recording(Bytes(first).first(*got)) &&
      load<u64>(first + 8) >= kOldHeader) {
    return fail(ErrorKind::Unsupported, "{}: recordings with the file layout cannot be read from a pipe", name);
  }
  if (!file) return fail(file.error().kind, "{}: {}", name, file.error().message);
  auto state = std::make_unique<State>(std::move(name), file->order);
  state->header.version = file->version;
  state->header.header_size = file->size;
  state->header.captured_on = static_cast<i64>(status->st_mtime);
  Input input{std::move(fd), seekable, kPipeHeaderSize, ~u64{0}};
  if (seekable) input.end = static_cast<u64>(status->st_size);
  const auto opened = file->pipe ? state->open_pipe(std::move(input)) : state->open_file(*file, std::move(input));
  if (!opened) return fail(opened.error().kind, "{}: {}", state->path, opened.error().message);
  return Reader(std::move(state));
}

// Reads the records that describe the recording, up to the first kernel record, and keeps them for next().
Result<> Reader::State::open_pipe(Input input) {
  header.layout = Layout::Pipe;
  header.data_offset = kPipeHeaderSize;
  stream.add_input(std::move(input));
  read_ahead();
  if (ahead.empty() && stream.error()) return std::unexpected(*stream.error());
  return {};
}

void Reader::State::read_ahead() {
  StreamRecord record;
  while (ahead.size() < kMaxAhead && take(record)) {
    ++record.chunk->references;
    apply(record);
    if (!record.view.payload.empty()) payloads_ahead[record.view.offset] = std::move(payload);
    record.view.payload = {};
    ahead.push_back(record);
    // The record's payload may be unread yet, so reading ahead must stop here.
    if (static_cast<u32>(record.view.type) < static_cast<u32>(abi::RecordType::UserTypeStart) ||
        record.view.compressed || stream.payload_size() != 0)
      break;
  }
}

Result<> Reader::State::open_file(const FileHeader& file, Input input) {
  const int fd = input.fd.get();
  const u64 file_size = input.end;
  auto events = read_evlist(fd, file);
  if (!events) return std::unexpected(events.error());
  evlist = std::move(*events);
  header.attr_size = file.attr_size;
  header.data_offset = file.data.offset;
  header.data_size = file.data.size;
  if (header.data_offset > file_size) {
    return fail(ErrorKind::Malformed, "records start at offset {:#x}, past the end of the file ({} bytes)",
                header.data_offset, file_size);
  }
  const u64 present = file_size - header.data_offset;
  if (header.data_size > present) account.missing_bytes = header.data_size - present;
  if (header.data_size == 0 && !table_follows(fd, file, file_size)) {
    header.unfinished = account.unfinished = true;
    header.data_size = present;
  } else {
    PEREGRINE_TRY(read_features(fd, file, file_size, header));
    // The recorder was killed: its last records are beyond the data size in the header.
    if (file.has(kReservedFeature) || (!file.has_features() && file.data.size != 0 && header.data_size < present)) {
      header.unfinished = account.unfinished = true;
      header.data_size = present;
    }
  }
  header.data_size = std::min(header.data_size, present);
  complete_evlist(header.features, evlist);
  name_by_simpleperf(header, evlist);
  input.at = header.data_offset;
  input.end = header.data_offset + header.data_size;
  stream.add_input(std::move(input));
  // simpleperf writes the tracepoint formats, and therefore the event names, in a record at the start.
  const bool nameless = std::ranges::any_of(evlist, &Event::is_nameless_tracepoint);
  if (nameless && !header.has(FeatureId::TracingData)) read_ahead();
  return {};
}

bool Reader::State::take(StreamRecord& out) {
  release_held();
  return stream.next(out);
}

// Applies header records before the caller sees them, so that the header and events are always current.
void Reader::State::apply(StreamRecord& out) {
  if (static_cast<u32>(out.view.type) < static_cast<u32>(abi::RecordType::UserTypeStart)) return;
  if (before_change && out.view.type != abi::RecordType::FinishedRound && out.view.type != abi::RecordType::Auxtrace)
    before_change();
  if (header.layout == Layout::Pipe && begins_with_old_feature(out.view)) stream.use_old_numbers();
  if (const auto feature = old_feature(out.view.type); stream.old_numbers() && feature) {
    add_feature(*feature, out.view.body(), header);
    return;
  }
  if (is_tracing_data(out.view) && stream.payload_size() > kLargestValue) {
    account.bad_header_record.add(out.view.offset, out.view.bytes.size());
    return;
  }
  if (is_tracing_data(out.view)) {
    held = out.chunk;
    ++held->references;
    payload = stream.take_payload();
    out.view.payload = payload;
  }
  if (apply_header_record(out.view, header, evlist) == Applied::Malformed) {
    account.bad_header_record.add(out.view.offset, out.view.bytes.size());
  }
}

void Reader::State::release_held() {
  if (held != nullptr) stream.pool().release(*held);
  held = nullptr;
}

bool Reader::State::advance(StreamRecord& out) {
  if (!ahead.empty()) {
    release_held();
    out = ahead.front();
    ahead.pop_front();
    held = out.chunk;  // takes over the reference from open_pipe()
    if (const auto found = payloads_ahead.find(out.view.offset); found != payloads_ahead.end()) {
      payload = std::move(found->second);
      out.view.payload = payload;
      payloads_ahead.erase(found);
    }
    return true;
  }
  if (!take(out)) return false;
  apply(out);
  return true;
}

Result<bool> Reader::next(abi::RecordView& record) {
  StreamRecord next;
  if (state_->advance(next)) {
    record = next.view;
    return true;
  }
  if (state_->stream.error()) return std::unexpected(*state_->stream.error());
  return false;
}

Result<std::vector<std::byte>> Reader::read_feature(u32 id) const {
  const Header& header = state_->header;
  const auto section = std::ranges::find(header.sections, id, &FeatureSection::id);
  if (section == header.sections.end()) {
    if (auto kept = header.kept.find(id); kept != header.kept.end()) return kept->second;
    if (auto encoded = encode_feature(id, header.features, header.order)) return std::move(*encoded);
    return fail(ErrorKind::NotFound, "{}: the recording has no feature {}", state_->path, feature_name(id));
  }
  if (section->size > kLargestValue) {
    return fail(ErrorKind::Unsupported, "{}: feature {} is too large ({} bytes)", state_->path, feature_name(id),
                section->size);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(section->size));
  const auto got = pread_full(state_->stream.input(0).fd.get(), bytes.data(), bytes.size(), section->offset);
  if (!got) return std::unexpected(got.error());
  bytes.resize(*got);
  return bytes;
}

Result<> Reader::stream_feature(u32 id, const std::function<Result<>(Bytes)>& take) const {
  constexpr u64 kPiece = u64{1} << 20;
  const auto section = std::ranges::find(state_->header.sections, id, &FeatureSection::id);
  if (section == state_->header.sections.end() || section->size <= kPiece) {
    const auto bytes = read_feature(id);
    if (!bytes) return std::unexpected(bytes.error());
    return take(*bytes);
  }
  std::vector<std::byte> piece(kPiece);
  for (u64 at = 0; at < section->size;) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, section->size - at));
    const auto got = pread_full(state_->stream.input(0).fd.get(), piece.data(), size, section->offset + at);
    if (!got) return std::unexpected(got.error());
    if (*got != size) return fail(ErrorKind::Malformed, "{}: truncated feature {}", state_->path, feature_name(id));
    PEREGRINE_TRY(take(Bytes(piece).first(size)));
    at += size;
  }
  return {};
}

Result<std::vector<std::byte>> Reader::read_preamble() const {
  constexpr u64 kMost = u64{64} << 20;
  const Header& header = state_->header;
  if (header.layout == Layout::Pipe) {
    FileHeader pipe;
    pipe.order = header.order;
    pipe.pipe = true;
    return encode_file_header(pipe);
  }
  std::vector<std::byte> bytes;
  if (header.header_size < kFileHeaderSize || header.data_offset > kMost) return bytes;
  bytes.resize(static_cast<std::size_t>(header.data_offset));
  const auto got = pread_full(state_->stream.input(0).fd.get(), bytes.data(), bytes.size(), 0);
  if (!got) return std::unexpected(got.error());
  if (*got != bytes.size() || !holds_events(bytes)) bytes.clear();
  return bytes;
}

u64 Reader::payload_size() const { return state_->ahead.empty() ? state_->stream.payload_size() : 0; }

Bytes Reader::next_payload() { return state_->ahead.empty() ? state_->stream.next_payload() : Bytes(); }

Result<std::vector<std::byte>> Reader::read_payload(const abi::RecordView& record) const {
  const Input& input = state_->stream.input(0);
  if (!input.seekable)
    return fail(ErrorKind::Unsupported, "{}: payload already consumed (input is a pipe)", state_->path);
  if (record.type != abi::RecordType::Auxtrace) return std::vector<std::byte>();
  const u64 start = record.offset + record.bytes.size(), size = abi::payload_size(record);
  if (start > input.end || size > input.end - start) {
    return fail(ErrorKind::Malformed, "{}: AUXTRACE at offset {:#x} extends past the end of the file", state_->path,
                record.offset);
  }
  if (size > kLargestValue) return fail(ErrorKind::Unsupported, "{}: AUXTRACE of {} bytes", state_->path, size);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  const auto got = pread_full(input.fd.get(), bytes.data(), bytes.size(), start);
  if (!got) return std::unexpected(got.error());
  bytes.resize(*got);
  return bytes;
}

}  // namespace peregrine::data
