#include "script/dlfilter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "machine/source/source_table.h"
#include "support/resolved_program.h"
#include "support/temporary_folder.h"

namespace peregrine::script {
namespace {

using support::ResolvedProgram;
using ::testing::ElementsAre;

// A filter that keeps even addresses, and copies the answers to its queries about the sample to the buffer at the
// address in its first argument.
constexpr const char* kFilter = R"(
#include <perf/perf_dlfilter.h>
#include <stdio.h>
#include <stdlib.h>
struct perf_dlfilter_fns perf_dlfilter_fns;
static char *out;
int start(void **data, void *ctx) {
  int count;
  char **arguments = perf_dlfilter_fns.args(ctx, &count);
  if (count != 1) return -1;
  *data = out = (char *)strtoull(arguments[0], 0, 16);
  return 0;
}
int stop(void *data, void *ctx) { out[0] = data == out ? 'S' : '?'; return 0; }
int filter_event_early(void *data, const struct perf_dlfilter_sample *s, void *ctx) {
  return s->pid == 99 ? -1 : s->cpu == 7;
}
int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx) {
  const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx);
  const struct perf_dlfilter_al *target = perf_dlfilter_fns.resolve_addr(ctx);
  struct perf_dlfilter_al inner = {.size = sizeof inner};
  const int found = perf_dlfilter_fns.resolve_address(ctx, 0x401104, &inner);
  unsigned char code[3] = "";
  const int got = perf_dlfilter_fns.object_code(ctx, s->ip, code, 2);
  snprintf(data, 400, "%s %s %d %s+%x %d %s %d %d %.2s %lld %lld %d %s %d", s->event, al->comm, s->cpu, al->sym,
           al->symoff, found, inner.sym, (int)al->buildid_size, got, code, (long long)s->time,
           (long long)s->period, (int)s->raw_callchain_nr, target ? "target" : "-",
           (int)perf_dlfilter_fns.attr(ctx)->size);
  return s->ip & 1;
}
const char *filter_description(const char **more) { *more = "All of it."; return "even addresses"; }
)";

// Requires a C compiler, because a filter is a user's shared object.
class DlFilterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder.write("filter.c", kFilter);
    const std::string include = std::string(PEREGRINE_FIXTURES) + "/../../include";
    const std::string command = fmt::format("cc -shared -fPIC -I '{}' -o '{}' '{}' 2>'{}'", include,
                                            folder.path("filter.so"), folder.path("filter.c"), folder.path("err"));
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no C compiler: " << folder.text("err");
  }
  std::unique_ptr<DlFilter> open() {
    auto filter = DlFilter::open(folder.path("filter.so"), {fmt::format("{}", fmt::ptr(said.data()))});
    EXPECT_TRUE(filter) << filter.error().message;
    return std::move(*filter);
  }
  ReplaySample replayed() {
    context = program.context();
    return {.sample = sample, .context = context, .event = 0, .period = 250, .moment = 2, .file_offset = 0};
  }
  static abi::Sample user_sample(u64 ip) {
    abi::Sample sample;
    sample.fields = abi::sample_bit::Time | abi::sample_bit::Cpu;
    sample.misc = abi::misc_bit::User;
    sample.ip = ip;
    sample.pid = ResolvedProgram::kPid;
    sample.tid = ResolvedProgram::kTid;
    sample.time = 1000;
    sample.cpu = 3;
    return sample;
  }

  TemporaryFolder folder;
  std::array<char, 400> said{};
  ResolvedProgram program{"ab"};
  SourceTable sources{program.machine.dsos(), true};
  ReplayAnswers answers{program.machine.dsos(), sources, abi::Arch::X86, 127,
                        [](std::string_view) { return std::nullopt; }};
  abi::Sample sample = user_sample(ResolvedProgram::kMapped);
  Resolver::Context context{};
  data::Event event;
};

TEST_F(DlFilterTest, TheObjectSeesTheSampleAndAsksAboutItsAddresses) {
  const auto filter = open();
  ASSERT_TRUE(filter->start(answers));
  const ReplaySample whole = replayed();
  answers.take(whole, program.resolver);
  EXPECT_EQ(filter->ask(whole, event, "cycles:u"), DlFilter::Answer::Keep);
  EXPECT_STREQ(said.data(), "cycles:u shell 3 outer+0 0 inner 8 2 ab 1000 250 0 - 128");
}

TEST_F(DlFilterTest, OneDropsTheSampleAndANegativeNumberEndsTheRun) {
  const auto filter = open();
  ASSERT_TRUE(filter->start(answers));
  const ReplaySample whole = replayed();
  answers.take(whole, program.resolver);
  EXPECT_TRUE(filter->has_early());
  EXPECT_EQ(filter->ask_early(whole, event, "cycles"), DlFilter::Answer::Keep);
  sample.ip += 1;
  EXPECT_EQ(filter->ask(whole, event, "cycles"), DlFilter::Answer::Drop);
  sample.cpu = 7;
  EXPECT_EQ(filter->ask_early(whole, event, "cycles"), DlFilter::Answer::Drop);
  sample.pid = 99;
  EXPECT_EQ(filter->ask_early(whole, event, "cycles"), DlFilter::Answer::Fail);
}

// A filter that keeps its context and queries it later must not access a sample that is gone.
TEST_F(DlFilterTest, NothingIsAnsweredOutsideOfACall) {
  const auto filter = open();
  ASSERT_TRUE(filter->start(answers));
  perf_dlfilter_al al{};
  u32 length = 5, line = 5;
  std::array<char, 4> buffer{};
  EXPECT_EQ(filter->resolve_ip(), nullptr);
  EXPECT_EQ(filter->resolve_addr(), nullptr);
  EXPECT_EQ(filter->resolve_address(ResolvedProgram::kMapped, al), -1);
  EXPECT_EQ(filter->instruction(&length), nullptr);
  EXPECT_EQ(length, 0u);
  EXPECT_EQ(filter->source_line(&line), nullptr);
  EXPECT_EQ(filter->attr(), nullptr);
  EXPECT_EQ(filter->object_code(ResolvedProgram::kMapped, buffer.data(), 4), 0);
}

TEST_F(DlFilterTest, StopIsCalledOnceWithTheObjectsOwnData) {
  const auto filter = open();
  ASSERT_TRUE(filter->stop()) << "not started, nothing to stop";
  EXPECT_EQ(said[0], 0);
  ASSERT_TRUE(filter->start(answers));
  EXPECT_TRUE(filter->stop());
  EXPECT_EQ(said[0], 'S');
  said[0] = 0;
  EXPECT_TRUE(filter->stop());
  EXPECT_EQ(said[0], 0);
}

TEST_F(DlFilterTest, AnObjectMayRefuseItsArguments) {
  auto filter = DlFilter::open(folder.path("filter.so"), {"0", "one too many"});
  ASSERT_TRUE(filter);
  EXPECT_FALSE((*filter)->start(answers));
  int count = 0;
  char** const arguments = (*filter)->arguments(&count);
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(arguments[1], "one too many");
  EXPECT_EQ(arguments[2], nullptr);
}

TEST_F(DlFilterTest, TheDescriptionIsItsFirstLine) {
  EXPECT_EQ(*DlFilter::describe(folder.path("filter.so")), "even addresses");
}

// The sink forwards what the object keeps, and stops after a failure.
TEST_F(DlFilterTest, TheSinkPassesOnWhatIsKept) {
  class Kept : public ReplaySink {
   public:
    void sample(const ReplaySample& kept, Resolver&, unsigned) override { ips.push_back(kept.sample.ip); }
    std::vector<u64> ips;
  } kept;
  const auto filter = open();
  ASSERT_TRUE(filter->start(answers));
  data::Evlist evlist;
  evlist.add(event);
  const std::vector<std::string> names{"cycles"};
  SampleFilter options;
  options.cpus = {3};
  FilteredSink sink(kept, *filter, answers, evlist, names, options);
  int calls = 0;
  sink.set_output([&] { ++calls; }, {});
  const auto give = [&](u64 ip, u32 cpu, u32 pid) {
    sample = user_sample(ip);
    sample.cpu = cpu;
    sample.pid = pid;
    sink.sample(replayed(), program.resolver, 0);
  };
  give(0x401000, 3, 40);
  give(0x401001, 3, 40);  // odd
  give(0x401002, 2, 40);  // not the option's CPU
  give(0x401004, 3, 40);
  EXPECT_FALSE(sink.failed());
  EXPECT_TRUE(sink.end_batch());
  give(0x401006, 3, 99);
  give(0x401008, 3, 40);
  EXPECT_TRUE(sink.failed());
  EXPECT_FALSE(sink.end_batch());
  EXPECT_THAT(kept.ips, ElementsAre(0x401000, 0x401004));
  EXPECT_EQ(calls, 5) << "output is flushed before each call";
}

TEST(DlFilterFiles, MustBeSharedObjects) {
  const TemporaryFolder folder;
  const std::string text = folder.write("filter.so", "no object");
  const auto opened = DlFilter::open(text, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(opened.error().message, fmt::format("dlopen failed for: '{}'", text));
  EXPECT_FALSE(DlFilter::describe(folder.path("missing.so")));
}

TEST(DlFilterFiles, AnyOtherLibraryIsNoFilter) {
  const auto described = DlFilter::describe("libm.so.6");
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(described.error().message, "libm.so.6: not a filter");
}

}  // namespace
}  // namespace peregrine::script
