#include "output/profile/pprof.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "support/profile_words.h"

namespace peregrine {
namespace {

using support::ProfileWords;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string unzipped(std::string_view bytes) {
  constexpr int kWindow = 15, kGzip = 16;
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, kWindow + kGzip), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text(std::size_t{1} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END) << "the check sum and the size are right";
  EXPECT_EQ(stream.avail_in, 0u);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

// A protobuf message by field number, as seen by a reader that knows only the wire format.
class ProtoMessage {
 public:
  explicit ProtoMessage(std::string_view bytes) : bytes_(bytes) {
    while (!bytes.empty()) {
      const u64 tag = varint(bytes);
      Value value{.field = static_cast<unsigned>(tag >> 3), .number = varint(bytes), .text = {}};
      if ((tag & 7) == 2) {
        EXPECT_LE(value.number, bytes.size()) << "a length beyond the message";
        value.text = bytes.substr(0, value.number);
        bytes.remove_prefix(value.text.size());
      } else {
        EXPECT_EQ(tag & 7, 0u) << "neither a number nor bytes";
      }
      values_.push_back(value);
    }
  }
  // The last value of the field, as protobuf requires; 0 if it is missing.
  u64 number(unsigned field) const {
    u64 found = 0;
    for (const Value& value : values_)
      if (value.field == field) found = value.number;
    return found;
  }
  std::vector<std::string_view> texts(unsigned field) const {
    std::vector<std::string_view> found;
    for (const Value& value : values_)
      if (value.field == field) found.push_back(value.text);
    return found;
  }
  std::vector<ProtoMessage> messages(unsigned field) const {
    std::vector<ProtoMessage> found;
    for (const std::string_view text : texts(field)) found.emplace_back(text);
    return found;
  }
  std::vector<u64> packed(unsigned field) const {
    std::vector<u64> numbers;
    for (std::string_view text : texts(field))
      while (!text.empty()) numbers.push_back(varint(text));
    return numbers;
  }

 private:
  struct Value {
    unsigned field = 0;
    u64 number = 0;  // the length, if there is a text
    std::string_view text;
  };
  static u64 varint(std::string_view& bytes) {
    u64 value = 0;
    for (unsigned shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= u64{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "a number that does not end";
    return value;
  }
  std::string_view bytes_;
  std::vector<Value> values_;
};

// A profile as read by pprof. Field numbers are those of profile.proto.
class ReadProfile {
 public:
  explicit ReadProfile(const Profile& profile) : bytes_(print(profile)), message(bytes_) {
    for (const std::string_view text : message.texts(6)) strings.emplace_back(text);
  }
  std::string string(u64 at) const { return at < strings.size() ? strings[at] : "no such string"; }
  // "cpu-clock/nanoseconds"
  std::string kind(const ProtoMessage& type) const { return string(type.number(1)) + '/' + string(type.number(2)); }
  std::vector<std::string> kinds() const {
    std::vector<std::string> found;
    for (const ProtoMessage& type : message.messages(1)) found.push_back(kind(type));
    return found;
  }
  ProtoMessage with_id(unsigned field, u64 id) const {
    for (const ProtoMessage& one : message.messages(field))
      if (one.number(1) == id) return one;
    ADD_FAILURE() << "no field " << field << " has the id " << id;
    return ProtoMessage({});
  }
  // "work:12 <- main:3", innermost first; functions inlined into another are joined to it with "+".
  std::string stack(const ProtoMessage& sample) const {
    std::string text;
    for (const u64 id : sample.packed(1)) {
      if (!text.empty()) text += " <- ";
      std::string_view between;
      for (const ProtoMessage& line : with_id(4, id).messages(4)) {
        text += fmt::format("{}{}:{}", between, string(with_id(5, line.number(1)).number(2)), line.number(2));
        between = "+";
      }
    }
    return text;
  }
  // "comm=load"
  std::vector<std::string> labels(const ProtoMessage& sample) const {
    std::vector<std::string> found;
    for (const ProtoMessage& label : sample.messages(3))
      found.push_back(string(label.number(1)) + '=' +
                      (label.number(2) != 0 ? string(label.number(2)) : std::to_string(label.number(3))));
    return found;
  }

 private:
  static std::string print(const Profile& profile) {
    Sink out;
    print_pprof(out, profile);
    return unzipped(out.text());
  }
  std::string bytes_;

 public:
  ProtoMessage message;
  std::vector<std::string> strings;
};

TEST(Pprof, ASampleHasItsStackValuesAndLabels) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 8), {"main@m.c:3", "work@w.c:12"}, 250);
  const ReadProfile read(words.profile);
  EXPECT_THAT(read.kinds(), ElementsAre("samples/count", "cpu-clock/nanoseconds"));
  const auto samples = read.message.messages(2);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(read.stack(samples[0]), "work:12 <- main:3");
  EXPECT_THAT(samples[0].packed(2), ElementsAre(1, 250));
  EXPECT_THAT(read.labels(samples[0]), ElementsAre("comm=load", "pid=7", "tid=8"));
}

TEST(Pprof, SamplesOfAThreadAndStackAreSummedByEvent) {
  ProfileWords words;
  words.profile.events.push_back({.name = "faults", .nanoseconds = false, .instant = false, .samples = 0, .period = 0});
  words.profile.events.push_back({.name = "silent", .nanoseconds = false, .instant = false, .samples = 0, .period = 0});
  const u32 load = words.thread("load", 7, 7), other = words.thread("load", 7, 9);
  words.sample(load, {"main"}, 10);
  words.sample(other, {"main"}, 1);
  words.sample(load, {"main"}, 20);
  words.sample(load, {"main"}, 4, 0, 1);
  words.sample(load, {"main", "work"}, 5);
  const ReadProfile read(words.profile);
  EXPECT_THAT(read.kinds(), ElementsAre("samples/count", "cpu-clock/nanoseconds", "faults/count"))
      << "an event without samples is left out";
  std::vector<std::vector<u64>> values;
  for (const ProtoMessage& sample : read.message.messages(2)) values.push_back(sample.packed(2));
  EXPECT_THAT(values, UnorderedElementsAre(ElementsAre(3, 30, 4), ElementsAre(1, 1, 0), ElementsAre(1, 5, 0)));
}

// profile.proto: the last line of a location is the function that the preceding ones are inlined into.
TEST(Pprof, InlinedFunctionsAreLinesOfTheLocationOfTheirCaller) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main@m.c:3", "work@w.c:5", "i:mid@w.h:8", "i:min@w.h:9"}, 1);
  words.sample(load, {"i:lone@l.h:2", "work@w.c:6"}, 1);
  const ReadProfile read(words.profile);
  const auto samples = read.message.messages(2);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_THAT((std::vector{read.stack(samples[0]), read.stack(samples[1])}),
              UnorderedElementsAre("min:9+mid:8+work:5 <- main:3", "work:6 <- lone:2"))
      << "an outermost frame has no caller to be in";
}

TEST(Pprof, FramesWithoutASymbolAreTheirDso) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {"?", "k:sys"}, 1);
  const ReadProfile read(words.profile);
  EXPECT_EQ(read.stack(read.message.messages(2)[0]), "sys:0 <- [prog]:0");
}

TEST(Pprof, ASampleWithoutAStackKeepsItsWeight) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {}, 3);
  const ReadProfile read(words.profile);
  const ProtoMessage sample = read.message.messages(2).at(0);
  EXPECT_THAT(sample.packed(1), IsEmpty());
  EXPECT_THAT(sample.packed(2), ElementsAre(1, 3));
}

// `pprof` treats the first mapping as the program.
TEST(Pprof, TheFirstMappingIsTheProgramOfTheBusiestThread) {
  ProfileWords words;
  words.profile.dsos = {
      {.name = "libc.so.6", .path = "/lib/libc.so.6", .build_id = ""},
      {.name = "[kernel.kallsyms]", .path = "[kernel.kallsyms]", .build_id = ""},
      {.name = "idle", .path = "/bin/idle", .build_id = ""},
      {.name = "a-long-name-of-a-program", .path = "/opt/a-long-name-of-a-program", .build_id = "ab12"}};
  words.sample(words.thread("idle", 6, 6), {"main"}, 1);
  const u32 busy = words.thread("a-long-name-of-", 7, 7);  // comms have 15 bytes
  words.sample(busy, {"main"}, 1);
  words.sample(busy, {"main"}, 1);
  const ReadProfile read(words.profile);
  const auto mappings = read.message.messages(3);
  std::vector<std::string> paths;
  for (const ProtoMessage& mapping : mappings) paths.push_back(read.string(mapping.number(5)));
  EXPECT_THAT(paths, ElementsAre("/opt/a-long-name-of-a-program", "/lib/libc.so.6", "[kernel.kallsyms]", "/bin/idle"));
  EXPECT_EQ(read.string(mappings[0].number(6)), "ab12");
  EXPECT_EQ(mappings[1].number(6), 0u) << "no build-id";
  for (const unsigned resolved : {7u, 8u, 9u, 10u}) EXPECT_EQ(mappings[0].number(resolved), 1u) << resolved;
}

TEST(Pprof, TheFirstEventIsShownByDefault) {
  ProfileWords words;
  words.profile.command = "perf record ./load";
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main"}, 300, 1'000);
  words.sample(load, {"main"}, 100, 5'000);
  const ReadProfile read(words.profile);
  EXPECT_EQ(read.kind(read.message.messages(11).at(0)), "cpu-clock/nanoseconds");
  EXPECT_EQ(read.message.number(12), 200u) << "the mean period";
  EXPECT_EQ(read.string(read.message.number(14)), "cpu-clock");
  EXPECT_EQ(read.string(read.message.number(13)), "perf record ./load");
  EXPECT_EQ(read.message.number(10), 4'000u) << "ns from the first sample to the last";
}

TEST(Pprof, StringsAreUniqueUtf8AndTheFirstIsEmpty) {
  ProfileWords words;
  words.sample(words.thread("lo\x1b\xff"
                            "ad",
                            7, 7),
               {"größe", "a\xc0\xaf", "größe"}, 1);
  const ReadProfile read(words.profile);
  ASSERT_FALSE(read.strings.empty());
  EXPECT_EQ(read.strings[0], "");
  EXPECT_EQ(std::set<std::string>(read.strings.begin(), read.strings.end()).size(), read.strings.size());
  EXPECT_EQ(read.stack(read.message.messages(2)[0]), "größe:0 <- a\\xc0\\xaf:0 <- größe:0");
  EXPECT_EQ(read.labels(read.message.messages(2)[0])[0], "comm=lo\\x1b\\xffad");
}

TEST(Pprof, EachReferenceIsToAnEntryThatExists) {
  ProfileWords words;
  for (u32 at = 0; at < 20; ++at) {
    const u32 thread = words.thread(at % 2 == 0 ? "load" : "idle", 7, 7 + at % 3);
    const std::string name = "f" + std::to_string(at % 7) + "@m.c:" + std::to_string(at % 4 + 1);
    words.sample(thread, {"main", name, "i:min@m.h:2", "k:sys", "?", name}, at);
  }
  const ReadProfile read(words.profile);
  std::set<u64> locations, functions, mappings;
  for (const ProtoMessage& mapping : read.message.messages(3)) EXPECT_TRUE(mappings.insert(mapping.number(1)).second);
  for (const ProtoMessage& function : read.message.messages(5)) {
    EXPECT_TRUE(functions.insert(function.number(1)).second);
    EXPECT_LT(function.number(2), read.strings.size());
    EXPECT_LT(function.number(4), read.strings.size());
  }
  for (const ProtoMessage& location : read.message.messages(4)) {
    EXPECT_TRUE(locations.insert(location.number(1)).second);
    EXPECT_TRUE(mappings.contains(location.number(2)));
    for (const ProtoMessage& line : location.messages(4)) EXPECT_TRUE(functions.contains(line.number(1)));
  }
  EXPECT_FALSE(locations.contains(0)) << "0 means none";
  EXPECT_FALSE(functions.contains(0));
  EXPECT_FALSE(mappings.contains(0));
  for (const ProtoMessage& sample : read.message.messages(2)) {
    EXPECT_EQ(sample.packed(2).size(), read.kinds().size());
    for (const u64 id : sample.packed(1)) EXPECT_TRUE(locations.contains(id));
  }
}

TEST(Pprof, AProfileWithoutSamplesIsValid) {
  const ReadProfile read(ProfileWords().profile);
  EXPECT_THAT(read.kinds(), ElementsAre("samples/count"));
  EXPECT_THAT(read.message.messages(2), IsEmpty());
  EXPECT_THAT(read.message.messages(11), IsEmpty());
}

}  // namespace
}  // namespace peregrine
