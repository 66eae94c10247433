#include "output/trace_dat/stack_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace peregrine {
namespace {

// A user_stack has room for this many addresses.
constexpr std::size_t kUserDepth = 8, kKernelDepth = 127;

std::string_view name_of(bool user) { return user ? "user_stack" : "kernel_stack"; }

const TraceFormat* find_format(bool user, const TracingData& tracing) {
  const auto found = std::ranges::find_if(tracing.formats, [user](const TraceFormat& format) {
    return format.system == "ftrace" && format.name == name_of(user);
  });
  return found == tracing.formats.end() ? nullptr : &*found;
}

}  // namespace

StackIds stack_ids(const TracingData& tracing) {
  StackIds ids;
  if (const TraceFormat* format = find_format(false, tracing)) ids.kernel = static_cast<u16>(format->id);
  if (const TraceFormat* format = find_format(true, tracing)) ids.user = static_cast<u16>(format->id);
  return ids;
}

std::vector<std::byte> stack_event(const StackEvent& stack, const StackIds& ids) {
  ByteWriter out(stack.order);
  out.put16(stack.user ? ids.user : ids.kernel).put16(0);
  out.put32(stack.tid);
  const auto addresses =
      stack.addresses.first(std::min(stack.addresses.size(), stack.user ? kUserDepth : kKernelDepth));
  out.put32(stack.user ? stack.pid : static_cast<u32>(addresses.size()));
  out.align(stack.long_size);
  const auto put = [&](u64 address) {
    if (stack.long_size == 8)
      out.put64(address);
    else
      out.put32(static_cast<u32>(address));
  };
  for (const u64 address : addresses) put(address);
  for (std::size_t i = addresses.size(); stack.user && i < kUserDepth; ++i) put(0);
  return out.take();
}

void add_stack_formats(TracingData& tracing) {
  const u32 size = tracing.long_size == 4 ? 4 : 8;
  const StackIds ids;
  for (const bool user : {false, true}) {
    if (find_format(user, tracing) != nullptr) continue;
    tracing.ftrace_formats.push_back(
        fmt::format("name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                    "\tfield:{};\toffset:8;\tsize:4;\tsigned:{};\n\tfield:unsigned long "
                    "caller[8];\toffset:{};\tsize:{};\tsigned:0;\n"
                    "\nprint fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n",
                    name_of(user), user ? ids.user : ids.kernel, user ? "unsigned int tgid" : "int size", user ? 0 : 1,
                    (12 + size - 1) / size * size, 8 * size));
  }
}

}  // namespace peregrine
