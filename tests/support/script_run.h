// ScriptRun: runs a user's script in the plug-in for its language, for tests of what its handlers receive.
//
// An interpreter can be started once per process and leaves threads and exit handlers behind, so each run is a child
// process. The plug-ins are in lib/peregrine next to the folder of the test program, as with the installed
// program; a build without plug-ins has nothing to test: skip if is_available() is false.
#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/concurrency/own_process.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "support/byte_buffer.h"
#include "support/temporary_folder.h"

namespace peregrine::script {

// Answers set by the test.
class CannedAnswers final : public Answers {
 public:
  std::vector<ChainFrame> frames;
  std::map<u32, PlaceAnswer> places_of_frames;  // by frame id
  PlaceAnswer code_place;
  std::map<u64, PlaceAnswer> places;  // by address
  std::vector<std::byte> instruction_bytes;
  SourceAnswer source_answer;
  std::map<std::string, std::string, std::less<>> settings;

  std::string comm() override { return "shell"; }
  std::span<const ChainFrame> chain() override { return frames; }
  PlaceAnswer frame(FrameId frame) override { return places_of_frames[frame.value]; }
  PlaceAnswer code() override { return code_place; }
  PlaceAnswer place(u64 address) override { return places[address]; }
  std::string registers(const abi::Registers& registers) override {
    return registers.values.empty() ? "" : fmt::format("first:{:#x}", registers.values[0]);
  }
  std::string data_source(u64 word) override { return fmt::format("source {:#x}", word); }
  Bytes instruction() override { return instruction_bytes; }
  SourceAnswer source(u64, bool with_text) override {
    SourceAnswer answer = source_answer;
    if (!with_text) answer.text.clear();
    return answer;
  }
  std::string_view syscall_name(u32 number) override { return number == 1 ? "write" : ""; }
  std::optional<std::string> setting(std::string_view key) override {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : std::optional(found->second);
  }
};

class ScriptRun {
 public:
  // The result of a run. `text` is stdout; `mistakes` stderr.
  struct Outcome {
    std::string text, mistakes;
    bool loaded = false, started = false;
    Ended ended;
  };

  explicit ScriptRun(Language language) : language_(language) {}

  CannedAnswers answers;
  std::vector<std::string> arguments;  // after the script's name
  ByteOrder order = ByteOrder::Little;
  std::span<const abi::RecordedField> fields = abi::kRecordedFields;

  static std::string plug_ins() {
    const std::string program = own_program();
    return program.substr(0, program.rfind('/')) + "/../lib/peregrine";
  }
  bool is_available() const {
    const char* const file = language_ == Language::Python ? "/script_python.so" : "/script_perl.so";
    return ::access((plug_ins() + file).c_str(), R_OK) == 0;
  }

  // `calls` receives the started interpreter, between enter() and leave().
  Outcome run(std::string_view script, const std::function<void(Interpreter&)>& calls = {}) {
    const std::string file = folder_.write(language_ == Language::Python ? "script.py" : "script.pl", script);
    ::fflush(nullptr);  // otherwise the child would write buffered output again
    const pid_t child = ::fork();
    if (child == 0) run_here(file, calls);
    int status = 0;
    ::waitpid(child, &status, 0);
    Outcome outcome{.text = folder_.text("out"), .mistakes = folder_.text("err")};
    int interrupted = 0, broken = 0, started = 0;
    outcome.loaded = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                     std::sscanf(folder_.text("ended").c_str(), "%d %d %d %d", &outcome.ended.code, &interrupted,
                                 &broken, &started) == 4;
    outcome.started = started != 0;
    outcome.ended.interrupted = interrupted != 0;
    outcome.ended.broken_file = broken != 0;
    return outcome;
  }

 private:
  [[noreturn]] void run_here(const std::string& file, const std::function<void(Interpreter&)>& calls) {
    for (const auto& [number, name] : {std::pair(STDOUT_FILENO, "out"), std::pair(STDERR_FILENO, "err")}) {
      const int opened = ::open(folder_.path(name).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      ::dup2(opened, number);
    }
    Setup setup{.file = file, .arguments = {file}, .order = order, .answers = answers, .fields = fields};
    setup.arguments.insert(setup.arguments.end(), arguments.begin(), arguments.end());
    auto loaded = load_interpreter(plug_ins(), language_, setup);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
      ::_exit(1);
    }
    Interpreter& interpreter = **loaded;
    const bool started = interpreter.start();
    if (started) {
      const bool entered = interpreter.enter();
      if (entered && calls) calls(interpreter);
      interpreter.leave();
      if (interpreter.ended().code == 0) interpreter.finish();
    }
    const Ended ended = interpreter.ended();
    folder_.write("ended", fmt::format("{} {:d} {:d} {:d}", ended.code, ended.interrupted, ended.broken_file, started));
    loaded->reset();
    ::fflush(nullptr);
    ::_exit(0);  // memory that interpreters keep until then is not leaked
  }

  Language language_;
  TemporaryFolder folder_;
};

// town:knock: common fields of 8 bytes, then who (char[8]), level (s16), pair (u16[2]), door (u8[2]), size (u32).
inline EventPlan knock_plan() {
  EventPlan plan;
  plan.name = "town:knock";
  plan.handler = "town__knock";
  plan.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  plan.fields = {{.name = "who", .kind = FieldKind::Text, .offset = 8, .size = 8, .element = 1},
                 {.name = "level", .kind = FieldKind::Signed, .is_signed = true, .offset = 16, .size = 2},
                 {.name = "pair", .kind = FieldKind::List, .offset = 18, .size = 4, .element = 2},
                 {.name = "door", .kind = FieldKind::Bytes, .offset = 22, .size = 2, .element = 1},
                 {.name = "size", .kind = FieldKind::Unsigned, .offset = 24, .size = 4}};
  plan.shared.pid = FieldPlan{.name = "common_pid", .offset = 4, .size = 4};
  plan.shared.flags = FieldPlan{.name = "common_flags", .offset = 2, .size = 1};
  plan.shared.preempt_count = FieldPlan{.name = "common_preempt_count", .offset = 3, .size = 1};
  return plan;
}

inline std::vector<std::byte> knock_record(support::Endian order = support::Endian::Little) {
  support::ByteBuffer record(order);
  record.put16(77).put(9, 1).put(2, 1).put32(4711).text("ann").zeros(5).put16(0xfffe).put16(1).put16(65535);
  return record.put(0xde, 1).put(0x1f, 1).put32(4'000'000'000).bytes();
}

inline EventPlan cycles_plan() {
  EventPlan plan;
  plan.name = "cycles:u";
  plan.attr_bytes.resize(128);
  return plan;
}

// A sample of event 0, with the fields that `fields` marks as valid.
struct Taken {
  abi::Sample sample;
  Resolver::Context context{};

  Taken() {
    sample.fields = abi::sample_bit::Time | abi::sample_bit::Cpu | abi::sample_bit::Ip;
    sample.time = 12'000'000'345;
    sample.cpu = 3;
    sample.pid = 40;
    sample.tid = 41;
    sample.ip = 0x401010;
    sample.period = 1;
  }
  ReplaySample replayed() const {
    return {.sample = sample, .context = context, .event = 0, .period = sample.period, .moment = 0, .file_offset = 0};
  }
};

// The plug-in is part of the same build, but may be disabled.
class ScriptsOf : public ::testing::Test {
 protected:
  explicit ScriptsOf(Language language) : run(language) {}
  void SetUp() override {
    if (!run.is_available()) GTEST_SKIP() << "this build has no plug-in for the language";
  }

  // The script's output for one sample of the event.
  std::string said(std::string_view script, const EventPlan& plan, const Taken& taken) {
    last = run.run(script, [&](Interpreter& interpreter) {
      if (interpreter.add_event(plan)) interpreter.sample(taken.replayed());
    });
    return last.text;
  }
  std::string knocked(std::string_view script, const std::vector<std::byte>& record) {
    Taken taken;
    taken.sample.raw = record;
    return said(script, knock_plan(), taken);
  }

  ScriptRun run;
  ScriptRun::Outcome last;
};

}  // namespace peregrine::script
