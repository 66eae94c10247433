#include "abi/bpf_output/opened_file.h"

#include <gtest/gtest.h>

namespace peregrine::abi {
namespace {

TEST(OpenedFile, ReadsWhatItWrote) {
  ByteWriter out;
  encode_opened_file({.descriptor = 3, .device = 254u << 20, .inode = 77, .path = "/tmp/x"}, out);
  const auto file = decode_opened_file(out.bytes(), kHostOrder);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->descriptor, 3);
  EXPECT_EQ(file->device, 254u << 20);
  EXPECT_EQ(file->inode, 77u);
  EXPECT_EQ(file->path, "/tmp/x");
}

TEST(OpenedFile, RejectsAPathWithoutItsEnd) {
  ByteWriter out;
  encode_opened_file({.path = "/tmp/x"}, out);
  EXPECT_FALSE(decode_opened_file(out.bytes().first(out.size() - 1), kHostOrder));
  EXPECT_FALSE(decode_opened_file(out.bytes().first(10), kHostOrder));
}

}  // namespace
}  // namespace peregrine::abi
