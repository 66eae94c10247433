#include "symbol/lookup/symbol_source.h"

namespace peregrine {

std::string_view describe(MissReason reason) {
  switch (reason) {
    case MissReason::None:
      return "used";
    case MissReason::Absent:
      return "no such file";
    case MissReason::Denied:
      return "permission denied";
    case MissReason::Untrusted:
      return "belongs to another user";
    case MissReason::Unreadable:
      return "read failed";
    case MissReason::NotRegular:
      return "not a regular file";
    case MissReason::NotElf:
      return "not an ELF file";
    case MissReason::BadCompression:
      return "cannot be decompressed";
    case MissReason::BuildIdMismatch:
      return "build-id differs";
    case MissReason::CrcMismatch:
      return "checksum differs from the debug link";
    case MissReason::NoSymbols:
      return "contains no symbols";
    case MissReason::HiddenAddresses:
      return "addresses are hidden";
    case MissReason::NotOnServer:
      return "not found on the servers";
    case MissReason::NoServer:
      return "no server reachable";
    case MissReason::NotNeeded:
      return "not needed";
  }
  return "";
}

}  // namespace peregrine
