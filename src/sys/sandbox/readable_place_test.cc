#include "sys/sandbox/readable_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "support/machine.h"

namespace peregrine {
namespace {

std::set<std::string> readable_places(const testing::Machine& machine) {
  std::set<std::string> places;
  ReadFailures failures;
  for_each_readable_place(machine.root(), "", failures, [&](std::string place) { places.insert(std::move(place)); });
  EXPECT_TRUE(failures.list().empty());
  return places;
}

// Whether the rules allow reading this path, i.e. it or a folder above it is allowed.
bool may_read(const std::set<std::string>& places, std::string path) {
  for (; !path.empty(); path.resize(path.rfind('/')))
    if (places.contains(path)) return true;
  return places.contains("/");
}

TEST(ReadablePlaces, AFolderWithoutSecretsIsAllowedAsAWhole) {
  const testing::Machine machine;
  machine.write("/usr/lib/libc.so = ELF");
  machine.write("/opt/tool/bin/tool = ELF");
  const auto places = readable_places(machine);
  EXPECT_TRUE(places.contains("/usr"));
  EXPECT_TRUE(places.contains("/opt"));
  EXPECT_FALSE(places.contains("/usr/lib")) << "one rule suffices";
}

TEST(ReadablePlaces, AllowsNeighboursOfASecretOneByOne) {
  const testing::Machine machine;
  for (const char* file : {"/home/ann/src/main.c", "/home/ann/.ssh/id_ed25519", "/home/ann/.config/gh/hosts.yml",
                           "/home/ann/.config/htop/htoprc", "/root/.gnupg/key", "/root/perf.data"})
    machine.write(std::string(file) + " = x");
  const auto places = readable_places(machine);
  EXPECT_TRUE(may_read(places, "/home/ann/src/main.c"));
  EXPECT_TRUE(may_read(places, "/home/ann/.config/htop/htoprc"));
  EXPECT_TRUE(may_read(places, "/root/perf.data"));
  for (const char* secret : {"/home/ann/.ssh/id_ed25519", "/home/ann/.config/gh/hosts.yml", "/root/.gnupg/key"})
    EXPECT_FALSE(may_read(places, secret)) << secret;
  EXPECT_FALSE(may_read(places, "/home/ann/made-later")) << "only what was there";
}

TEST(ReadablePlaces, OfTheSystemOnlyWhatLibrariesNeed) {
  const testing::Machine machine;
  for (const char* file :
       {"/etc/shadow", "/etc/passwd", "/etc/ssl/certs/ca.pem", "/etc/ssl/private/key.pem", "/dev/null", "/dev/sda",
        "/run/user/1000/bus", "/run/utmp", "/var/mail/ann", "/var/lib/dpkg/status", "/var/lib/sss/secret"})
    machine.write(std::string(file) + " = x");
  const auto places = readable_places(machine);
  for (const char* readable :
       {"/etc/passwd", "/etc/ssl/certs/ca.pem", "/dev/null", "/run/utmp", "/var/lib/dpkg/status"})
    EXPECT_TRUE(may_read(places, readable)) << readable;
  for (const char* secret : {"/etc/shadow", "/etc/ssl/private/key.pem", "/dev/sda", "/dev/mem", "/run/user/1000/bus",
                             "/var/mail/ann", "/var/lib/sss/secret"})
    EXPECT_FALSE(may_read(places, secret)) << secret;
}

// A link to a secret would expose it; its target is judged separately at its real location.
TEST(ReadablePlaces, LinksAreNotAllowed) {
  const testing::Machine machine;
  machine.write("/home/ann/.ssh/key = x");
  machine.write("/home/ann/notes = x");
  std::filesystem::create_directory_symlink("/home/ann/.ssh", machine.root().path("/home/ann/keys"));
  std::filesystem::create_directory_symlink("/usr/bin", machine.root().path("/bin"));
  const auto places = readable_places(machine);
  EXPECT_FALSE(may_read(places, "/home/ann/keys"));
  EXPECT_FALSE(may_read(places, "/bin"));
  EXPECT_TRUE(may_read(places, "/home/ann/notes"));
}

TEST(ReadablePlaces, AHugeFolderIsAllowedAsAWhole) {
  const testing::Machine machine;
  machine.write("/home/ann/.ssh/key = x");
  const std::string home = machine.root().path("/home/ann/");
  for (int i = 0; i < 4096; ++i) std::ofstream(home + std::to_string(i));
  EXPECT_FALSE(may_read(readable_places(machine), "/home/ann/.ssh/key")) << "up to 4,096 entries one by one";
  std::ofstream(home + "one more");
  EXPECT_TRUE(readable_places(machine).contains("/home/ann"));
}

}  // namespace
}  // namespace peregrine
