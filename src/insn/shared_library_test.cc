#include "insn/shared_library.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

namespace peregrine {
namespace {

TEST(SharedLibrary, HasItsFunctions) {
  const auto library = SharedLibrary::open("libc.so.6", "libc6");
  ASSERT_TRUE(library) << library.error().message;
  pid_t (*own_pid)() = nullptr;
  ASSERT_TRUE(library->find("getpid", own_pid));
  ASSERT_NE(own_pid, nullptr);
  EXPECT_EQ(own_pid(), ::getpid());
}

TEST(SharedLibrary, NamesAFunctionThatItLacks) {
  const auto library = SharedLibrary::open("libc.so.6", "libc6");
  ASSERT_TRUE(library) << library.error().message;
  void (*function)() = nullptr;
  const auto found = library->find("peregrine_has_no_such_function", function);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(found.error().message, "libc.so.6 has no function peregrine_has_no_such_function");
}

TEST(SharedLibrary, TellsWhichPackageIsMissing) {
  const auto library = SharedLibrary::open("libperegrine_none.so.9", "libnone9");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::Unsupported);
  EXPECT_TRUE(library.error().message.starts_with("cannot load libperegrine_none.so.9")) << library.error().message;
  EXPECT_EQ(library.error().hint, "install it (Debian: apt install libnone9), or pass an objdump with --objdump");
}

}  // namespace
}  // namespace peregrine
