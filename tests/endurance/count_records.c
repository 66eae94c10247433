// count_records FILE...: walks the records of perf.data files as their headers bound them, without any of our code, and prints
// the sums: "samples N forks N exits N lost N lost_samples N bytes N". Compressed records are not looked into. Of LOST_SAMPLES records
// those of tracepoints count: what the kernel counts for the event beside them are lost records of other kinds.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLost = 2, kExit = 4, kFork = 7, kSample = 9, kLostSamples = 13, kTracingData = 66, kAuxTrace = 71 };

struct Sums {
  uint64_t of_type[256];
  uint64_t lost, lost_samples, bytes;
};

// The ids of a file's tracepoints: attr, then {offset, size} of its ids.
struct Ids {
  uint64_t id[4096];
  size_t count;
};

static void read_ids(FILE* file, const uint64_t* header, struct Ids* ids) {
  ids->count = 0;
  for (uint64_t at = 0; at + header[2] <= header[4]; at += header[2]) {
    uint32_t type = 0;
    uint64_t place[2] = {0, 0};
    fseek(file, (long)(header[3] + at), SEEK_SET);
    if (fread(&type, sizeof type, 1, file) != 1) return;
    fseek(file, (long)(header[3] + at + header[2] - sizeof place), SEEK_SET);
    if (fread(place, sizeof place, 1, file) != 1 || type != 2) continue;
    fseek(file, (long)place[0], SEEK_SET);
    const size_t room = sizeof ids->id / sizeof *ids->id - ids->count, wanted = place[1] / sizeof(uint64_t);
    ids->count += fread(ids->id + ids->count, sizeof(uint64_t), wanted < room ? wanted : room, file);
  }
}

static int has(const struct Ids* ids, uint64_t id) {
  for (size_t i = 0; i < ids->count; ++i)
    if (ids->id[i] == id) return 1;
  return 0;
}

static int fail(const char* path, const char* why) {
  fprintf(stderr, "count_records: '%s': %s\n", path, why);
  return 1;
}

static int walk(const char* path, struct Sums* sums) {
  FILE* const file = fopen(path, "rb");
  if (!file) return fail(path, "cannot be opened");
  uint64_t header[13];  // magic, size, attr_size, attrs, data, types, features
  if (fread(header, sizeof header, 1, file) != 1 || memcmp(header, "PERFILE2", 8) != 0) return fail(path, "no header");
  const uint64_t end = header[5] + header[6];
  static unsigned char body[65536];
  static struct Ids ids;
  read_ids(file, header, &ids);
  uint64_t at = header[5];
  fseek(file, (long)at, SEEK_SET);
  while (at < end) {
    struct { uint32_t type; uint16_t misc, size; } record;
    if (fread(&record, sizeof record, 1, file) != 1) return fail(path, "ends before its data does");
    if (record.size < sizeof record) return fail(path, "a record shorter than its header");
    if (fread(body, 1, record.size - sizeof record, file) != record.size - sizeof record) return fail(path, "a record is cut");
    at += record.size;
    if (record.type < 256) ++sums->of_type[record.type];
    uint64_t value;
    if (record.type == kLost) memcpy(&value, body + 8, 8), sums->lost += value;
    if (record.type == kLostSamples && record.size >= 24) {
      uint64_t id;  // PERF_SAMPLE_IDENTIFIER comes last
      memcpy(&value, body, 8);
      memcpy(&id, body + record.size - sizeof record - 8, 8);
      if (has(&ids, id)) sums->lost_samples += value;
    }
    uint32_t payload = 0;
    if (record.type == kTracingData) memcpy(&payload, body, 4);
    if (record.type == kAuxTrace) memcpy(&value, body, 8), payload = (uint32_t)value;
    if (payload != 0) fseek(file, payload, SEEK_CUR), at += payload;
  }
  if (at != end) return fail(path, "the last record goes past the end of the data");
  fseek(file, 0, SEEK_END);
  sums->bytes += (uint64_t)ftell(file);
  fclose(file);
  return 0;
}

int main(int argc, char** argv) {
  static struct Sums sums;
  for (int i = 1; i < argc; ++i)
    if (walk(argv[i], &sums)) return 1;
  printf("samples %" PRIu64 " forks %" PRIu64 " exits %" PRIu64 " lost %" PRIu64 " lost_samples %" PRIu64 " bytes %" PRIu64 "\n",
         sums.of_type[kSample], sums.of_type[kFork], sums.of_type[kExit], sums.lost, sums.lost_samples, sums.bytes);
  return 0;
}
