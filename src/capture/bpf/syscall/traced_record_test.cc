// Records as written by SyscallTracer's BPF programs, and what the reader of calls receives.
#include "capture/bpf/syscall/traced_record.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {
namespace {

constexpr u32 kTracedPid = 100, kTracedTid = 101;

// Keeps copies of what it receives; the pieces and callers themselves are borrowed.
class KeptCalls final : public CallReader {
 public:
  struct Piece {
    u8 argument;
    bool cut;
    std::string bytes;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  struct Call {
    TracedCall call;
    std::vector<Piece> pieces;
    std::optional<CallerStack> caller;
  };
  struct Name {
    i32 pid, tid;
    std::string comm;
  };

  bool call(const TracedCall& call) override {
    Call& kept = calls.emplace_back(Call{call, {}, {}});
    for (unsigned i = 0; i < call.pieces; ++i) {
      const CapturedPiece& piece = call.piece[i];
      kept.pieces.push_back(
          {piece.argument, piece.cut, {reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size()}});
    }
    if (call.caller != nullptr) kept.caller = *call.caller;
    return calls.size() < most;
  }
  bool interrupted(const TracedCall&) override { return true; }
  void name(i32 pid, i32 tid, std::string_view comm) override { names.push_back({pid, tid, std::string(comm)}); }

  std::vector<Call> calls;
  std::vector<Name> names;
  std::size_t most = ~std::size_t{0};  // stops reading after that many
};

// A record in memory, aligned as in the ring.
class TracedBytes {
 public:
  template <class Head>
  explicit TracedBytes(const Head& head) {
    append(&head, sizeof head);
  }
  TracedBytes& append(const void* data, std::size_t size) {
    const std::size_t at = size_;
    size_ += size;
    words_.resize((size_ + 7) / 8);
    if (size != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.data()) + at, data, size);
    return *this;
  }
  TracedBytes& text(std::string_view text) { return append(text.data(), text.size()); }
  TracedBytes& words(std::initializer_list<u64> words) { return append(words.begin(), words.size() * sizeof(u64)); }
  // A captured piece, padded as the programs do.
  TracedBytes& piece(u8 argument, std::string_view bytes, bool cut = false) {
    const captured_piece head{
        .bytes = static_cast<u16>(bytes.size()), .argument = argument, .cut = static_cast<u8>(cut ? 1 : 0)};
    append(&head, sizeof head).text(bytes);
    constexpr char kPadding[8] = {};
    return append(kPadding, (8 - size_ % 8) % 8);
  }
  Bytes bytes() const { return std::as_bytes(std::span(words_)).first(size_); }

 private:
  std::vector<u64> words_;
  std::size_t size_ = 0;
};

traced_call plain_call() {
  traced_call call{};
  call.kind = kTracedCall;
  call.number = 257;
  call.pid = kTracedPid;
  call.tid = kTracedTid;
  call.start = 5000;
  call.duration = 70;
  call.result = 3;
  for (u64 i = 0; i < kArguments; ++i) call.arguments[i] = 10 + i;
  return call;
}

traced_caller plain_caller(u8 kind, std::size_t bytes, u32 tid = kTracedTid) {
  return {.kind = kind, .bytes = static_cast<u32>(bytes), .pid = kTracedPid, .tid = tid};
}

class TracedRecordTest : public ::testing::Test {
 protected:
  bool deliver(const TracedBytes& record) { return deliver_traced(record.bytes(), delivery_); }
  const KeptCalls::Call& last() const { return kept_.calls.back(); }

  KeptCalls kept_;
  TracedDelivery delivery_{.reader = &kept_, .callers = {}};
};

TEST_F(TracedRecordTest, DeliversACall) {
  EXPECT_TRUE(deliver(TracedBytes(plain_call())));
  ASSERT_EQ(kept_.calls.size(), 1u);
  const TracedCall& call = last().call;
  EXPECT_EQ(call.set, abi::syscall_set(abi::kHostArch));
  EXPECT_EQ(call.number, 257u);
  EXPECT_EQ(call.pid, 100);
  EXPECT_EQ(call.tid, 101);
  EXPECT_EQ(call.start, 5000u);
  EXPECT_EQ(call.duration, 70u);
  EXPECT_EQ(call.end(), 5070u);
  EXPECT_EQ(call.result, 3);
  EXPECT_FALSE(call.failed());
  EXPECT_EQ(call.arguments, (std::array<u64, kMostArguments>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(call.pieces, 0u);
  EXPECT_FALSE(last().caller);
}

TEST_F(TracedRecordTest, TakesTheFlagsApart) {
  struct Case {
    u8 flags;
    bool compat, continued, unended;
  };
  for (const Case& each : {Case{0, false, false, false}, Case{kTracedCompat, true, false, false},
                           Case{kTracedContinued, false, true, false}, Case{kTracedUnended, false, false, true},
                           Case{kTracedContinued | kTracedUnended, false, true, true}}) {
    SCOPED_TRACE(int{each.flags});
    traced_call call = plain_call();
    call.flags = each.flags;
    deliver(TracedBytes(call));
    EXPECT_EQ(last().call.set, abi::syscall_set(abi::kHostArch, each.compat));
    EXPECT_EQ(last().call.continued, each.continued);
    EXPECT_EQ(last().call.unended, each.unended);
  }
}

// -ENOENT from a 32-bit process is 0xfffffffe in a 64-bit register.
TEST_F(TracedRecordTest, ExtendsTheSignOfNarrowResults) {
  traced_call call = plain_call();
  call.result = 0xfffffffe;
  deliver(TracedBytes(call));
  EXPECT_EQ(last().call.result, 0xfffffffe) << "mmap(2) of a 64-bit process may return it";
  EXPECT_FALSE(last().call.failed());
  call.flags = kTracedCompat;
  deliver(TracedBytes(call));
  EXPECT_EQ(last().call.result, -2);
  EXPECT_TRUE(last().call.failed());
}

TEST_F(TracedRecordTest, SplitsThePayloadIntoPieces) {
  TracedBytes record(plain_call());
  record.piece(1, "/etc/passwd").piece(2, "", true).piece(4, "12345678", true);
  deliver(record);
  EXPECT_EQ(last().pieces,
            (std::vector<KeptCalls::Piece>{{1, false, "/etc/passwd"}, {2, true, ""}, {4, true, "12345678"}}));
  EXPECT_EQ(last().call.piece_of(4), &last().call.piece[2]);
  EXPECT_EQ(last().call.piece_of(3), nullptr);
}

TEST_F(TracedRecordTest, DropsAPieceThatIsCutOff) {
  TracedBytes whole(plain_call());
  whole.piece(1, "abcd").piece(2, "0123456789");
  constexpr std::size_t kPieces[] = {8, 16};  // their sizes including header and padding
  ASSERT_EQ(whole.bytes().size(), sizeof(traced_call) + kPieces[0] + kPieces[1]);
  for (std::size_t size = sizeof(traced_call); size <= whole.bytes().size(); ++size) {
    SCOPED_TRACE(size);
    ASSERT_TRUE(deliver_traced(whole.bytes().first(size), delivery_));
    const std::size_t payload = size - sizeof(traced_call);
    EXPECT_EQ(last().call.pieces, payload < kPieces[0] ? 0u : payload < kPieces[0] + kPieces[1] ? 1u : 2u);
  }
}

TEST_F(TracedRecordTest, TakesNoMorePiecesThanACallHasRoomFor) {
  TracedBytes record(plain_call());
  const std::size_t room = TracedCall().piece.size();
  for (std::size_t i = 0; i < room + 3; ++i) record.piece(static_cast<u8>(i), "x");
  deliver(record);
  ASSERT_EQ(last().pieces.size(), room);
  EXPECT_EQ(last().pieces.back().argument, room - 1);
}

TEST_F(TracedRecordTest, DeliversNamesUpToTheirEnd) {
  traced_name name{.kind = kTracedName, .pid = kTracedPid, .tid = kTracedTid};
  std::memcpy(name.comm, "bash\0junk", 9);
  deliver(TracedBytes(name));
  std::memcpy(name.comm, "0123456789abcdef", sizeof name.comm);
  deliver(TracedBytes(name));
  ASSERT_EQ(kept_.names.size(), 2u);
  EXPECT_EQ(kept_.names[0].pid, 100);
  EXPECT_EQ(kept_.names[0].tid, 101);
  EXPECT_EQ(kept_.names[0].comm, "bash");
  EXPECT_EQ(kept_.names[1].comm, "0123456789abcdef") << "a name may fill its field";
}

TEST_F(TracedRecordTest, GivesACallerToTheNextCallOfItsThread) {
  deliver(TracedBytes(plain_caller(kTracedFrames, 24)).words({0x401000, 0x402000, 0x403000}));
  traced_call other = plain_call();
  other.tid = kTracedTid + 1;
  deliver(TracedBytes(other));
  EXPECT_FALSE(last().caller) << "another thread's";
  deliver(TracedBytes(plain_call()));
  ASSERT_TRUE(last().caller);
  EXPECT_EQ(last().caller->frames, (std::vector<u64>{0x401000, 0x402000, 0x403000}));
  EXPECT_TRUE(last().caller->registers.empty());
  EXPECT_TRUE(last().caller->stack.empty());
  deliver(TracedBytes(plain_call()));
  EXPECT_FALSE(last().caller) << "a caller is for one call";
}

TEST_F(TracedRecordTest, SeparatesTheRegistersFromTheStack) {
  std::vector<u64> registers(kStackRegisters);
  for (std::size_t i = 0; i < registers.size(); ++i) registers[i] = 1000 + i;
  const std::size_t size = kStackRegisters * sizeof(u64);
  TracedBytes record(plain_caller(kTracedStack, size + 5));
  record.append(registers.data(), size).text("stack and what was in the buffer before");
  deliver(record);
  deliver(TracedBytes(plain_call()));
  ASSERT_TRUE(last().caller);
  EXPECT_EQ(last().caller->registers, registers);
  EXPECT_TRUE(last().caller->frames.empty());
  ASSERT_EQ(last().caller->stack.size(), 5u) << "no more than the record says";
  EXPECT_EQ(last().caller->stack[0], std::byte{'s'});
}

TEST_F(TracedRecordTest, TrustsNoSizeBeyondTheRecord) {
  deliver(TracedBytes(plain_caller(kTracedFrames, 1u << 30)).words({0x401000}).text("tail"));
  deliver(TracedBytes(plain_call()));
  ASSERT_TRUE(last().caller);
  EXPECT_EQ(last().caller->frames, (std::vector<u64>{0x401000})) << "whole words only";
  // A stack record that is too short for its registers has no stack.
  deliver(TracedBytes(plain_caller(kTracedStack, 8)).words({0x402000}));
  deliver(TracedBytes(plain_call()));
  ASSERT_TRUE(last().caller);
  EXPECT_TRUE(last().caller->stack.empty());
}

TEST_F(TracedRecordTest, IgnoresRecordsThatAreTooShort) {
  const TracedBytes call(plain_call());
  for (const std::size_t size : {std::size_t{1}, sizeof(traced_caller) - 1})
    EXPECT_TRUE(deliver_traced(call.bytes().first(size), delivery_)) << size;
  EXPECT_TRUE(kept_.calls.empty());
  EXPECT_TRUE(delivery_.callers.empty());
}

TEST_F(TracedRecordTest, StopsWhenTheReaderHasEnough) {
  kept_.most = 2;
  EXPECT_TRUE(deliver(TracedBytes(plain_call())));
  EXPECT_FALSE(deliver(TracedBytes(plain_call())));
}

TEST(TracedSum, KeepsTheThreadOnlyIfSumsAreByThread) {
  const call_key key{.tid = 101, .number = 257, .error = 2, .cgroup = 9};
  const call_sum sum{.calls = 5, .errors = 2, .total = 700, .least = 100, .most = 300};
  const CallSum by_thread = call_sum_of(key, sum, true), together = call_sum_of(key, sum, false);
  EXPECT_EQ(by_thread.tid, 101);
  EXPECT_EQ(together.tid, 0) << "the key has the CPU there";
  EXPECT_EQ(together.cgroup, 9u);
  EXPECT_EQ(together.number, 257u);
  EXPECT_EQ(together.error, 2);
  EXPECT_EQ(together.calls, 5u);
  EXPECT_EQ(together.errors, 2u);
  EXPECT_EQ(together.total, 700u);
  EXPECT_EQ(together.least, 100u);
  EXPECT_EQ(together.most, 300u);
}

TEST(TracedSum, NumbersOf32BitProcessesFollowTheOthers) {
  for (const u32 number : {0u, 5u, u32{kTracedCalls} - 1}) {
    const call_key wide{.number = static_cast<u16>(number)};
    const call_key narrow{.number = static_cast<u16>(number + kTracedCalls)};
    EXPECT_EQ(call_sum_of(wide, {}, true).number, number);
    EXPECT_EQ(call_sum_of(wide, {}, true).set, abi::syscall_set(abi::kHostArch));
    EXPECT_EQ(call_sum_of(narrow, {}, true).number, number);
    EXPECT_EQ(call_sum_of(narrow, {}, true).set, abi::syscall_set(abi::kHostArch, true));
  }
}

// The square of one second in ns exceeds 32 bits but fits in 64; a sum of many exceeds 64.
TEST(TracedSum, JoinsBothHalvesOfTheSquares) {
  call_sum sum{};
  sum.squares_low = 7;
  sum.squares_high = u64{1} << 40;
  EXPECT_DOUBLE_EQ(call_sum_of({}, sum, true).squares, 0x1p72 + 7);
  sum = {};
  sum.squares_low = ~u64{0};  // carries may be pending
  EXPECT_DOUBLE_EQ(call_sum_of({}, sum, true).squares, 0x1p64);
}

}  // namespace
}  // namespace peregrine
