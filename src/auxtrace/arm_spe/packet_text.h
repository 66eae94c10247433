// SPE packets as text, as in linux-perf's raw dump (-D): "LD GP-REG", "EV RETIRED L1D-ACCESS".
#pragma once
#include <string>

#include "auxtrace/arm_spe/packet.h"

namespace peregrine {

std::string spe_packet_text(const SpePacket& packet);

}  // namespace peregrine
