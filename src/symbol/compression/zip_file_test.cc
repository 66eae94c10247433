#include "symbol/compression/zip_file.h"

#include <gtest/gtest.h>

#include <span>

#include "support/byte_buffer.h"
#include "support/packed_bytes.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using support::ByteBuffer;

// A member as described by an archive; stored by default.
struct ArchiveMember {
  std::string name;
  std::string data;  // same as stored
  u64 size = data.size();
  u16 method = 0, flags = 0;
  std::string extra = {};  // of the local header, which may differ from the directory's
};

ArchiveMember deflated_member(std::string name, std::string_view text) {
  const support::Packed packed = support::bare_deflate(std::as_bytes(std::span(text)));
  return {.name = std::move(name),
          .data = {reinterpret_cast<const char*>(packed.data()), packed.size()},
          .size = text.size(),
          .method = 8};
}

// The fields that both headers of a member have: flags, method, time, CRC, sizes and the length of the name.
void put_member(ByteBuffer& out, const ArchiveMember& member) {
  out.put16(member.flags).put16(member.method).put32(0).put32(0);
  out.put32(member.data.size()).put32(member.size).put16(member.name.size());
}

std::string archive(const std::vector<ArchiveMember>& members, std::string_view comment = "",
                    std::string_view before = "") {
  ByteBuffer out;
  out.text(before);
  std::vector<u64> offsets;
  for (const ArchiveMember& member : members) {
    offsets.push_back(out.size());
    put_member(out.put32(0x04034b50).put16(20), member);
    out.put16(member.extra.size()).text(member.name).text(member.extra).text(member.data);
  }
  const u64 directory = out.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    put_member(out.put32(0x02014b50).put16(20).put16(20), members[i]);
    out.put16(4).put16(2).put16(0).put16(0).put32(0).put32(offsets[i]).text(members[i].name).text("more").text("ok");
  }
  const u64 size = out.size() - directory;
  out.put32(0x06054b50).put16(0).put16(0).put16(members.size()).put16(members.size());
  out.put32(size).put32(directory).put16(comment.size()).text(comment);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

class ZipArchive : public ::testing::Test {
 protected:
  Result<ZipFile> open(const std::string& bytes) const { return ZipFile::open(folder_.write("x.zip", bytes)); }
  // The text of a member, or the error without the path of the archive.
  std::string read(const std::string& bytes, std::string_view name) const {
    auto zip = open(bytes);
    if (!zip) return without_path(zip.error().message);
    const ZipMember* member = zip->find(name);
    if (member == nullptr) return "absent";
    auto data = zip->read(*member);
    if (!data) return without_path(data.error().message);
    return {reinterpret_cast<const char*>(data->data()), data->size()};
  }
  std::string without_path(const std::string& message) const {
    EXPECT_TRUE(message.starts_with(folder_.path("x.zip"))) << message;
    return message.substr(folder_.path("x.zip").size());
  }
  TemporaryFolder folder_;
};

TEST_F(ZipArchive, HoldsStoredAndDeflatedMembers) {
  const std::string long_text(50'000, 'x');
  const std::string bytes = archive({{.name = "plain", .data = "as it is"},
                                     deflated_member("lib/x.so", long_text),
                                     {.name = "padded", .data = "aligned", .extra = std::string(3000, '\0')},
                                     {.name = "empty", .data = ""},
                                     deflated_member("empty too", "")});
  const auto zip = open(bytes);
  ASSERT_TRUE(zip) << zip.error().message;
  ASSERT_EQ(zip->members().size(), 5u);
  EXPECT_EQ(zip->members()[1].name, "lib/x.so");
  EXPECT_EQ(zip->members()[1].size, 50'000u);
  EXPECT_LT(zip->members()[1].packed_size, 1000u);
  EXPECT_EQ(read(bytes, "plain"), "as it is");
  EXPECT_EQ(read(bytes, "lib/x.so"), long_text);
  EXPECT_EQ(read(bytes, "padded"), "aligned");
  EXPECT_EQ(read(bytes, "empty"), "");
  EXPECT_EQ(read(bytes, "empty too"), "");
  EXPECT_EQ(read(bytes, "lib/X.so"), "absent");
  EXPECT_EQ(read(bytes, "lib"), "absent");
}

TEST_F(ZipArchive, MayBeEmptyHaveACommentAndFollowAProgram) {
  EXPECT_TRUE(open(archive({}))->members().empty());
  EXPECT_EQ(read(archive({{.name = "a", .data = "text"}}, "a comment"), "a"), "text");
  EXPECT_EQ(read(archive({{.name = "a", .data = "text"}}, std::string(65535, 'c')), "a"), "text");
  EXPECT_EQ(read(archive({{.name = "a", .data = "text"}}, "", "#!/bin/sh\n"), "a"), "text");
}

TEST_F(ZipArchive, IsNoneWithoutItsEnd) {
  const std::string bytes = archive({{.name = "a", .data = "text"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto zip = open(bytes.substr(0, size));
    ASSERT_FALSE(zip) << size;
    EXPECT_EQ(zip.error().kind, ErrorKind::Malformed);
    EXPECT_EQ(without_path(zip.error().message), ": not a zip file");
  }
}

TEST_F(ZipArchive, RefusesMembersThatItCannotUnpack) {
  const auto read_as = [&](ArchiveMember member) {
    member.name = "a";
    return read(archive({std::move(member)}), "a");
  };
  const ArchiveMember good = deflated_member("a", "text");
  const auto changed = [&](auto change) {
    ArchiveMember member = good;
    change(member);
    return read_as(member);
  };
  EXPECT_EQ(changed([](ArchiveMember&) {}), "text");
  EXPECT_EQ(changed([](ArchiveMember& m) { m.flags = 1; }), "!/a: unsupported compression: must be stored or deflated")
      << "encrypted";
  EXPECT_EQ(changed([](ArchiveMember& m) { m.method = 14; }),
            "!/a: unsupported compression: must be stored or deflated")
      << "LZMA";
  EXPECT_EQ(changed([](ArchiveMember& m) { m.size = 5; }), "!/a: does not decompress to 5 bytes");
  EXPECT_EQ(changed([](ArchiveMember& m) { m.size = 3; }), "!/a: does not decompress to 3 bytes");
  EXPECT_EQ(changed([](ArchiveMember& m) { m.size = 1u << 30; }), "!/a: invalid size");
  EXPECT_EQ(changed([](ArchiveMember& m) { m.size = (1u << 30) + 1; }), "!/a: too large");
  EXPECT_EQ(changed([](ArchiveMember& m) { m.data = "\xff\xff\xff"; }), "!/a: damaged deflated data");
}

TEST_F(ZipArchive, ChecksEachOffsetAndSize) {
  const std::string good = archive({{.name = "a", .data = "text"}});
  const std::size_t end = good.size() - 22, directory = end - 46 - 1 - 6;
  const auto changed = [&](std::size_t at, u8 value) {
    std::string bytes = good;
    bytes.at(at) = static_cast<char>(value);
    return read(bytes, "a");
  };
  EXPECT_EQ(changed(0, 'Q'), "!/a: no member begins there");
  EXPECT_EQ(changed(directory, 'Q'), ": damaged zip directory");
  EXPECT_EQ(changed(directory + 29, 0xff), ": truncated zip directory") << "a name that is longer than the directory";
  EXPECT_EQ(changed(directory + 45, 0xff), ": zip entry extends past the end of the file") << "where the member begins";
  EXPECT_EQ(changed(directory + 22, 0xff), ": zip entry extends past the end of the file") << "its packed size";
  EXPECT_EQ(changed(end + 10, 2), ": damaged zip directory") << "one member more";
  EXPECT_EQ(changed(end + 10, 0), "absent");
  EXPECT_EQ(changed(end + 15, 0xff), ": zip directory is too large");
  EXPECT_EQ(changed(end + 19, 0xff), ": zip entry extends past the end of the file") << "where the directory begins";
}

TEST_F(ZipArchive, MustBeARegularFile) {
  const auto directory = ZipFile::open(folder_.path());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message, folder_.path() + ": not a regular file");
  EXPECT_EQ(ZipFile::open(folder_.path("absent")).error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
