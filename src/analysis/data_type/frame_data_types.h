// FrameDataTypes: one worker's cache of DataTypeTable answers, by the resolver's frames.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "analysis/data_type/data_access.h"
#include "analysis/data_type/data_type_table.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class FrameDataTypes {
 public:
  struct Answer {
    DataTypeId id;  // invalid: not yet looked up
    UnknownType why = UnknownType::None;
    DataTypeTable::Texts texts;
  };
  const Answer& find(DataTypeTable& table, Resolver& resolver, FrameId frame) {
    if (frame.value >= known_.size()) known_.resize(std::max<std::size_t>(resolver.frame_count(), frame.value + 1));
    Answer& answer = known_[frame.value];
    if (!answer.id) {
      answer.id = table.find(resolver.at(frame));
      answer.why = table.at(answer.id).why;
      answer.texts = table.texts(answer.id);
    }
    return answer;
  }

 private:
  std::vector<Answer> known_;
};

}  // namespace peregrine
