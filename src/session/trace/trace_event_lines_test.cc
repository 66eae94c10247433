// Lines of a trace other than system calls: other events, page faults, and call chains below lines.
#include "session/trace/trace_event_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/arch/registers.h"
#include "abi/record.h"
#include "event/field/trace_format.h"
#include "event/spec.h"
#include "output/sink.h"
#include "output/text/format/script_text.h"
#include "support/byte_buffer.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::ResolvedProgram;
using ::testing::HasSubstr;
using Kind = TraceEventLines::Kind;

constexpr u32 kShopOrder = 301, kEnterClose = 302, kStatRuntime = 303;

std::string format_text(std::string_view name, u32 id, std::string_view fields, std::string_view print) {
  return fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n{}\n"
      "print fmt: {}\n",
      name, id, fields, print);
}

// shop:order with a buyer, a state (an enum) and an amount; the entry of close(); the run time of a thread.
TracingData three_formats() {
  TracingData data;
  data.order = ByteOrder::Little;
  data.systems = {{"shop",
                   {format_text("order", kShopOrder,
                                "\tfield:char buyer[8];\toffset:8;\tsize:8;\tsigned:0;\n"
                                "\tfield:enum order_state state;\toffset:16;\tsize:4;\tsigned:0;\n"
                                "\tfield:u32 amount;\toffset:20;\tsize:4;\tsigned:0;\n",
                                "\"%s wants %u\", REC->buyer, REC->amount")}},
                  {"syscalls",
                   {format_text("sys_enter_close", kEnterClose,
                                "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
                                "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n",
                                "\"fd: 0x%08lx\", ((unsigned long)(REC->fd))")}},
                  {"sched",
                   {format_text("sched_stat_runtime", kStatRuntime,
                                "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                "\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n",
                                "\"\"")}}};
  return *decode_tracing_data(encode_tracing_data(data));
}

abi::EventAttr tracepoint_attr(u64 id) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  attr.config = id;
  return attr;
}

class OrderStates final : public Enumerations {
 public:
  std::vector<Enumerator> of(std::string_view type) override {
    return type == "enum order_state" ? std::vector<Enumerator>{{"OPEN", 0}, {"PAID", 1}, {"LOST", -1}}
                                      : std::vector<Enumerator>();
  }
};

class TraceEventLinesTest : public ::testing::Test {
 protected:
  abi::Sample sample(const ByteBuffer& raw) {
    raw_ = raw.bytes();
    abi::Sample sample;
    sample.pid = ResolvedProgram::kPid;
    sample.tid = ResolvedProgram::kTid;
    sample.time = 5'000'000;
    sample.misc = abi::misc_bit::User;
    sample.raw = raw_;
    return sample;
  }
  abi::Sample order(std::string_view buyer, u32 state, u32 amount) {
    return sample(ByteBuffer().zeros(8).text(buyer).zeros(8 - buyer.size()).put32(state).put32(amount));
  }
  std::size_t add(std::string_view name, const abi::EventAttr& attr) {
    lines_.add(name, attr, &tracing_, false);
    return lines_.size() - 1;
  }
  // Lines without time and thread, as far as the request has none.
  std::string line(std::size_t event, const abi::Sample& sample) {
    EXPECT_TRUE(lines_.put(event, sample, ByteOrder::Little, place(), false));
    return printed();
  }
  std::string printed() {
    printer_.flush();
    return out_.take();
  }
  TraceEventLines::Place place() { return {program_.resolver, program_.context()}; }
  static TraceRequest bare_lines() {
    TraceRequest request;
    request.style.show_time = request.style.show_thread = false;
    return request;
  }

  ResolvedProgram program_;
  TraceRequest request_ = bare_lines();
  Sink out_;
  TracePrinter printer_{request_, out_, false, false, abi::Arch::X86};
  TraceEventLines lines_{request_, printer_};
  TracingData tracing_ = three_formats();
  std::vector<std::byte> raw_;
};

TEST_F(TraceEventLinesTest, HaveTheFieldsOfAnEventThatAreNotZero) {
  const std::size_t event = add("shop:order", tracepoint_attr(kShopOrder));
  EXPECT_EQ(line(event, order("ann", 1, 30)), "shop:order(buyer: \"ann\", state: 1, amount: 30)\n");
  EXPECT_EQ(line(event, order("bob", 0, 0)), "shop:order(buyer: \"bob\")\n");
}

TEST_F(TraceEventLinesTest, HaveThePrintFormatOnRequest) {
  request_.own_format = true;
  const std::size_t event = add("shop:order", tracepoint_attr(kShopOrder));
  EXPECT_EQ(line(event, order("ann", 1, 30)), "shop:order(ann wants 30)\n");
}

// Enums are those of the running kernel: names would be wrong for a recording of another kernel.
TEST_F(TraceEventLinesTest, NameEnumeratorsOfTheRunningKernel) {
  OrderStates states;
  const TracedEvent own("shop:order", tracepoint_attr(kShopOrder), &tracing_, request_, &states, nullptr);
  const auto text_of = [&](u32 state) {
    ScriptText text;
    own.put(text, printer_, order("ann", state, 0), ByteOrder::Little);
    return std::string(text.view());
  };
  EXPECT_EQ(text_of(1), "shop:order(buyer: \"ann\", state: PAID)\n");
  EXPECT_EQ(text_of(0), "shop:order(buyer: \"ann\", state: OPEN)\n") << "a name is worth showing for 0 too";
  EXPECT_EQ(text_of(0xffffffff), "shop:order(buyer: \"ann\", state: LOST)\n") << "-1 in 32 bits";
  EXPECT_EQ(text_of(7), "shop:order(buyer: \"ann\", state: 7)\n");
}

TEST_F(TraceEventLinesTest, OfSystemCallsHaveTheArgumentsOfTheCall) {
  const std::size_t event = add("syscalls:sys_enter_close", tracepoint_attr(kEnterClose));
  EXPECT_THAT(line(event, sample(ByteBuffer().zeros(8).put32(3).put32(0).put64(5))),
              HasSubstr("syscalls:sys_enter_close(fd: 5"));
}

TEST_F(TraceEventLinesTest, HaveNoFieldsWithoutAFormat) {
  const std::size_t event = add("shop:gone", tracepoint_attr(999));
  EXPECT_EQ(line(event, order("ann", 1, 30)), "shop:gone()\n");
  abi::EventAttr cycles;
  EXPECT_EQ(line(add("cycles", cycles), order("ann", 1, 30)), "cycles()\n");
}

TEST_F(TraceEventLinesTest, LeaveOutFieldsBeyondTheRecord) {
  const std::size_t event = add("shop:order", tracepoint_attr(kShopOrder));
  EXPECT_EQ(line(event, sample(ByteBuffer().zeros(8).text("ann").zeros(5).put32(1))),
            "shop:order(buyer: \"ann\", state: 1)\n");
  EXPECT_EQ(line(event, sample(ByteBuffer())), "shop:order()\n");
}

TEST_F(TraceEventLinesTest, KnowWhatAnEventIsFor) {
  abi::EventAttr minor, major;
  minor.type = major.type = static_cast<u32>(abi::EventType::Software);
  minor.config = static_cast<u64>(abi::SoftwareEvent::MinorFaults);
  major.config = static_cast<u64>(abi::SoftwareEvent::MajorFaults);
  EXPECT_EQ(lines_.kind(add("my faults", minor)), Kind::MinorFault);
  EXPECT_EQ(lines_.kind(add("major-faults", major)), Kind::MajorFault);
  EXPECT_TRUE(lines_.is_fault(0) && lines_.is_fault(1));
  EXPECT_EQ(lines_.kind(add("raw_syscalls:sys_enter", tracepoint_attr(1))), Kind::Enter);
  EXPECT_EQ(lines_.kind(add("raw_syscalls:sys_exit", tracepoint_attr(2))), Kind::Leave);
  EXPECT_EQ(lines_.kind(add("sched:sched_stat_runtime", tracepoint_attr(3))), Kind::Other) << "unless --sched";
  request_.sched = true;
  EXPECT_EQ(lines_.kind(add("sched:sched_stat_runtime", tracepoint_attr(3))), Kind::Runtime);
  EXPECT_FALSE(lines_.is_fault(5));
}

TEST_F(TraceEventLinesTest, OfPageFaultsSayWhereAndForWhat) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Software);
  attr.config = static_cast<u64>(abi::SoftwareEvent::MajorFaults);
  abi::Sample fault = sample(ByteBuffer());
  fault.ip = ResolvedProgram::kInner + 4;
  fault.addr = 0x10;
  EXPECT_THAT(line(add("major-faults", attr), fault), HasSubstr("majfault [inner+0x4] => 0x10 (?.)\n"));
}

TEST_F(TraceEventLinesTest, HaveTheirCallersBelow) {
  const std::size_t event = add("shop:order", tracepoint_attr(kShopOrder));
  abi::Sample called = order("ann", 0, 0);
  const std::vector<u64> chain{abi::kContextUser, ResolvedProgram::kInner + 4, ResolvedProgram::kMapped + 8};
  called.callchain = chain;
  const std::string indent(39, ' ');
  const std::string inner = fmt::format("{}inner ({})\n", indent, program_.file()),
                    outer = fmt::format("{}outer ({})\n", indent, program_.file());
  EXPECT_EQ(line(event, called), "shop:order(buyer: \"ann\")\n" + inner + outer);
  request_.max_stack = 1;
  EXPECT_EQ(line(event, called), "shop:order(buyer: \"ann\")\n" + inner);
}

TEST_F(TraceEventLinesTest, CanBeLimitedToDeepStacks) {
  const std::vector<u64> chain{abi::kContextUser, ResolvedProgram::kInner, ResolvedProgram::kMapped};
  EXPECT_TRUE(lines_.is_deep_enough(chain, place()));
  request_.min_stack = 2;
  EXPECT_TRUE(lines_.is_deep_enough(chain, place())) << "the marker is no caller";
  request_.min_stack = 3;
  EXPECT_FALSE(lines_.is_deep_enough(chain, place()));
  EXPECT_TRUE(lines_.is_deep_enough({}, place())) << "nothing is known of its depth";
}

TEST_F(TraceEventLinesTest, EndAtTheNumberThatTheEventAllows) {
  EventSpec spec;
  spec.name = "shop:order";
  spec.terms.max_events = 2;
  request_.events = {spec};
  const std::size_t limited = add("shop:order", tracepoint_attr(kShopOrder)), other = add("cycles", {});
  EXPECT_TRUE(lines_.take(limited));
  EXPECT_TRUE(lines_.take(limited));
  EXPECT_FALSE(lines_.take(limited));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(lines_.take(other));
}

TEST_F(TraceEventLinesTest, OfPageFaultsAreOnlyCountedInASummary) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Software);
  attr.config = static_cast<u64>(abi::SoftwareEvent::MinorFaults);
  const std::size_t fault = add("minor-faults", attr), other = add("cycles", {});
  EXPECT_TRUE(lines_.take(fault));
  request_.summary = true;
  EXPECT_FALSE(lines_.take(fault));
  EXPECT_TRUE(lines_.take(other));
  lines_.add_fault(fault, 41);
  ASSERT_EQ(printer_.summary().blocks().size(), 1u);
  EXPECT_EQ(printer_.summary().blocks()[0].minor_faults, 1u);
  EXPECT_EQ(printer_.summary().blocks()[0].major_faults, 0u);
}

TEST_F(TraceEventLinesTest, BeginAndEndAtTheSwitchingEvents) {
  request_.switch_on = "shop:order";
  request_.switch_off = "cycles";
  const std::size_t on = add("shop:order", tracepoint_attr(kShopOrder)), off = add("cycles", {}),
                    other = add("faults", {});
  EXPECT_FALSE(lines_.discards(other)) << "before the switches are known";
  ASSERT_TRUE(lines_.use_switches());
  EXPECT_TRUE(lines_.discards(other));
  EXPECT_TRUE(lines_.discards(std::nullopt)) << "a system call";
  EXPECT_TRUE(lines_.discards(on)) << "it is not shown itself";
  EXPECT_FALSE(lines_.discards(other));
  EXPECT_FALSE(lines_.discards(std::nullopt));
  EXPECT_TRUE(lines_.discards(off));
  EXPECT_TRUE(lines_.discards(other));
}

TEST_F(TraceEventLinesTest, NeedTheSwitchingEvents) {
  request_.switch_off = "shop:gone";
  add("shop:order", tracepoint_attr(kShopOrder));
  const auto used = lines_.use_switches();
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(used.error().message, "no event \"shop:gone\" found");
}

TEST_F(TraceEventLinesTest, AddTheRunTimesOfThreads) {
  request_.sched = true;
  const std::size_t event = add("sched:sched_stat_runtime", tracepoint_attr(kStatRuntime));
  for (const u64 runtime : {3'000'000, 4'000'000})
    lines_.add_runtime(event, sample(ByteBuffer().zeros(8).put32(77).put32(0).put64(runtime)), ByteOrder::Little);
  lines_.add_runtime(add("cycles", {}), sample(ByteBuffer()), ByteOrder::Little);
  printer_.summary().add_fault(77, false);  // a thread with some activity, so that it is listed
  ASSERT_EQ(printer_.summary().blocks().size(), 1u);
  EXPECT_EQ(printer_.summary().blocks()[0].tid, 77);
  EXPECT_EQ(printer_.summary().blocks()[0].runtime, 7'000'000u);
}

TEST_F(TraceEventLinesTest, AreSafeForATerminal) {
  EXPECT_EQ(lines_.name(add("shop\x1b[2J", {})).find('\x1b'), std::string::npos);
  printer_.name(40, 41, "a\x1bname");
  EXPECT_EQ(std::string(printer_.comm(41)).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace peregrine
