#include "session/ftrace/ftrace_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace peregrine {
namespace {

constexpr std::string_view kText =
    " 0)               |  vfs_read() {\n"
    " 0)   2.000 us    |    rw_verify_area();\n"
    "CPU:1 [LOST 17 EVENTS]\n"
    " 0)   9.000 us    |  } /* vfs_read */\n"
    " 1)   1.000 us    |  rw_verify_area();\n";

// The output for a text that arrives in chunks of that size.
std::string read_in_pieces(FtraceMode mode, std::string_view text, std::size_t size) {
  const FtraceRequest request{.mode = mode};
  Sink out;
  FtraceReader reader(request, {}, out);
  std::string pending;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    pending += text.substr(0, size);
    reader.take(pending);
  }
  reader.finish();
  EXPECT_EQ(reader.lost(), 17u);
  return out.take();
}

TEST(FtraceReader, GivesTheSameHoweverTheTextIsCut) {
  for (const FtraceMode mode : {FtraceMode::Trace, FtraceMode::Latency, FtraceMode::Profile}) {
    const std::string whole = read_in_pieces(mode, kText, kText.size());
    for (const std::size_t size : {1u, 2u, 7u, 40u, 41u}) EXPECT_EQ(read_in_pieces(mode, kText, size), whole) << size;
  }
  EXPECT_EQ(read_in_pieces(FtraceMode::Trace, kText, 3), kText);
}

TEST(FtraceReader, KeepsALineWithoutAnEnd) {
  const FtraceRequest request;
  Sink out;
  FtraceReader reader(request, {}, out);
  std::string pending = "a\nb";
  reader.take(pending);
  EXPECT_EQ(pending, "b");
  pending += "c\nd";
  reader.take(pending);
  EXPECT_EQ(pending, "d");
  EXPECT_EQ(out.take(), "a\nbc\n");
}

}  // namespace
}  // namespace peregrine
