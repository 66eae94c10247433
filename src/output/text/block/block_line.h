// BlockLine: prints an event of block I/O as blkparse does, in its default layout or in formats of the user (-f, -F).
//
//   254,0    1       17     0.002151000  1225  Q  WS 3417048 + 8 [jbd2/vda-8]
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/block/block_event.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// The letters of an action: "Q", "UT"; "?" for an unknown one.
std::string_view block_action_letters(const abi::BlktraceRecord& record);

// A format string with %a, %-12C, \n; blkparse's manual page lists the letters.
class BlockFormat {
 public:
  // Errors: Usage, an unknown letter.
  static Result<BlockFormat> parse(std::string_view text);
  // `time`: ns since the first event. `took`: ns since the request's step before; %u shows it in µs.
  void print(const BlockEvent& event, u64 time, std::optional<u64> took, Sink& out) const;

 private:
  struct Piece {
    std::string text;  // printed before the field
    char field = 0;    // 0: none
    std::size_t width = 0;
    bool left = false;
  };
  std::vector<Piece> pieces_;
};

class BlockLine {
 public:
  explicit BlockLine(Sink& out) : out_(out) {}

  // -f: all actions; -F: "Q,%5T.%9t %p\n". Errors: Usage.
  Result<> use_format(std::string_view format);
  Result<> use_action_format(std::string_view action_and_format);

  // Times count from the first of these.
  void see(const abi::BlktraceRecord& record);
  // ns since the first event.
  u64 time_of(const abi::BlktraceRecord& record) const;
  // Prints nothing for records that blkparse keeps to itself: names of processes, data of drivers. `took`: as above,
  // also shown by the default layout; nothing: not known, or not requested.
  void print(const BlockEvent& event, std::optional<u64> took = {});

 private:
  Sink& out_;
  std::optional<BlockFormat> format_;
  std::map<std::string, BlockFormat, std::less<>> by_action_;
  u64 start_ = 0;
  bool started_ = false;
};

}  // namespace peregrine
