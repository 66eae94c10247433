#include "data/writer/copy_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/header/pipe_records.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kDataSizeAt = 48, kFeaturesAt = 72;  // offsets in the file header

}  // namespace

Result<> CopyWriter::write(Bytes bytes) {
  auto written = write_all(fd_.get(), bytes.data(), bytes.size());
  if (written) return {};
  Error error = std::move(written.error());
  error.message = fmt::format("{}: {}", name_, error.message);
  return std::unexpected(std::move(error));
}

Result<> CopyWriter::append(Bytes records) {
  PEREGRINE_TRY(write(records));
  file_.data.size += records.size();
  return {};
}

Result<> CopyWriter::begin(Bytes preamble) {
  auto found = decode_file_header(preamble);
  if (!found) return std::unexpected(found.error());
  if (found->pipe != pipe_) return fail(ErrorKind::Usage, "{}: preamble has a different layout", name_);
  file_ = *found;
  file_.data = {preamble.size(), 0};
  if (!pipe_) copied_header_.assign(preamble.begin(), preamble.begin() + kFileHeaderSize);
  return write(preamble);
}

Result<> CopyWriter::begin(const Evlist& evlist, std::span<const FeatureBytes> features) {
  file_.order = evlist.order();
  file_.pipe = pipe_;
  return pipe_ ? begin_pipe(evlist, features) : begin_file(evlist);
}

// header | ids of each event | attrs, all padded to the largest size | records
Result<> CopyWriter::begin_file(const Evlist& evlist) {
  u32 attr_size = abi::kAttrSizeMin;
  for (const Event& event : evlist) attr_size = std::max(attr_size, event.attr.size);
  ByteWriter ids(file_.order), attrs(file_.order);
  for (const Event& event : evlist) {
    abi::EventAttr attr = event.attr;
    attr.size = attr_size;
    abi::encode_attr(attr, attrs, file_.order);
    attrs.put64(kFileHeaderSize + ids.size()).put64(8 * event.ids.size());
    for (const u64 id : event.ids) ids.put64(id);
  }
  file_.attr_size = attr_size + 16;
  file_.attrs = {kFileHeaderSize + ids.size(), attrs.size()};
  file_.data = {file_.attrs.offset + file_.attrs.size, 0};
  PEREGRINE_TRY(write(encode_file_header(file_)));
  PEREGRINE_TRY(write(ids.bytes()));
  return write(attrs.bytes());
}

// magic | HEADER_ATTR, names | HEADER_FEATURE | TRACING_DATA, BUILD_ID | records
Result<> CopyWriter::begin_pipe(const Evlist& evlist, std::span<const FeatureBytes> features) {
  ByteWriter opening(file_.order);
  opening.append(Bytes(encode_file_header(file_)));
  for (const Event& event : evlist) put_header_attr(event, event.attr.size, opening);
  for (const Event& event : evlist) {
    if (!event.ids.empty() || evlist.size() == 1) put_event_name(event, opening);
  }
  for (const auto& [id, bytes] : features) {
    if (!feature_has(id, feature_trait::NotInPipe)) put_header_feature(id, bytes, opening);
  }
  put_last_feature(opening);
  for (const auto& [id, bytes] : features) {
    if (id == static_cast<u32>(FeatureId::TracingData)) put_tracing_data(bytes, opening);
    if (id == static_cast<u32>(FeatureId::BuildId)) put_build_ids(bytes, opening);
  }
  file_.data = {opening.size(), 0};
  return write(opening.bytes());
}

// records | table of {offset, size}, one per feature | the features
Result<> CopyWriter::begin_features(std::span<const FeatureSize> sizes) {
  file_.features = {};
  u64 at = place() + 16 * sizes.size();
  ByteWriter table(file_.order);
  for (const auto& [id, size] : sizes) {
    file_.set(id);
    table.put64(at).put64(size);
    at += size;
  }
  return write(table.bytes());
}

// In a copied header, only the data size changes, and the features if they differ.
std::vector<std::byte> CopyWriter::header() const {
  std::vector<std::byte> bytes = encode_file_header(file_);
  if (copied_header_.empty()) return bytes;
  const auto found = decode_file_header(copied_header_);
  const bool same_features = found && found->features == file_.features;
  const auto keep = [&](std::size_t from, std::size_t to) {
    std::copy_n(copied_header_.begin() + static_cast<std::ptrdiff_t>(from), to - from,
                bytes.begin() + static_cast<std::ptrdiff_t>(from));
  };
  keep(0, kDataSizeAt);
  keep(kDataSizeAt + 8, same_features ? kFileHeaderSize : kFeaturesAt);
  return bytes;
}

Result<> CopyWriter::end() {
  if (pipe_) return {};
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return fail_errno(name_);
  return write(header());
}

}  // namespace peregrine::data
