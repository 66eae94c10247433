// The paths of traced calls; tests/live covers the BPF programs and what is read from /proc.
#include "capture/sampling/file_name_sampler.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/types.h"
#include "event/syscall/call.h"

namespace peregrine {
namespace {

struct Piece {
  u8 argument = 0;
  std::string_view bytes;
  bool cut = false;
};

std::string_view path_in(std::initializer_list<Piece> pieces) {
  TracedCall call;
  for (const Piece& piece : pieces)
    call.piece[call.pieces++] = {piece.argument, piece.cut, std::as_bytes(std::span(piece.bytes))};
  return opened_path(call);
}

constexpr std::string_view kHow("\0\0\b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);

TEST(OpenedPath, IsTheFirstOrSecondArgument) {
  EXPECT_EQ(path_in({{0, "/etc/passwd"}}), "/etc/passwd") << "open";
  EXPECT_EQ(path_in({{1, "notes"}}), "notes") << "openat";
  EXPECT_EQ(path_in({{1, "notes"}, {2, kHow}}), "notes") << "openat2";
}

TEST(OpenedPath, MayBeReadAfterTheOtherArguments) { EXPECT_EQ(path_in({{2, kHow}, {1, "notes"}}), "notes"); }

TEST(OpenedPath, IsUnknownIfItWasCutOrNotRead) {
  EXPECT_EQ(path_in({{1, "/a/long/pa", true}, {2, kHow}}), "") << "not the bytes of struct open_how";
  EXPECT_EQ(path_in({{2, kHow}}), "");
  EXPECT_EQ(path_in({{1, ""}, {2, kHow}}), "");
  EXPECT_EQ(path_in({}), "");
}

}  // namespace
}  // namespace peregrine
