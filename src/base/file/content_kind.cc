#include "base/file/content_kind.h"

#include <cstddef>

namespace peregrine {
namespace {

using namespace std::string_view_literals;

struct ContentRow {
  ContentKind kind;
  std::size_t offset;
  std::string_view magic;
  std::string_view name;
};
constexpr ContentRow kContents[] = {
    {ContentKind::Program, 0, "\177ELF"sv, "a program or binary"},
    {ContentKind::Script, 0, "#!"sv, "a script"},
    {ContentKind::Library, 0, "!<arch>\n"sv, "a library or package"},
    {ContentKind::Zip, 0, "PK\3\4"sv, "a zip archive"},
    {ContentKind::SevenZip, 0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {ContentKind::Gzip, 0, "\x1f\x8b\x08"sv, "a gzip file"},
    {ContentKind::Bzip2, 0, "BZh"sv, "a bzip2 file"},
    {ContentKind::Xz, 0, "\3757zXZ\0"sv, "an xz file"},
    {ContentKind::Zstd, 0, "\x28\xb5\x2f\xfd"sv, "a zstd file"},
    {ContentKind::TraceDat, 0, "\x17\x08\x44tracing"sv, "a trace.dat file"},
    {ContentKind::Blktrace, 0, "\x07tae"sv, "a blktrace file"},  // version 7, little-endian
    {ContentKind::Blktrace, 0, "eat\x07"sv, "a blktrace file"},
    // Last, because any bytes may precede its magic, including those above.
    {ContentKind::Tar, 257, "ustar"sv, "a tar archive"},
};

}  // namespace

ContentKind content_kind(Bytes beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  for (const ContentRow& row : kContents)
    if (text.size() >= row.offset && text.substr(row.offset).starts_with(row.magic)) return row.kind;
  return ContentKind::Other;
}

std::string_view content_name(ContentKind kind) {
  for (const ContentRow& row : kContents)
    if (row.kind == kind) return row.name;
  return "a file";
}

}  // namespace peregrine
