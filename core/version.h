// The engine's version: in packages, cache keys and reports.
#pragma once

namespace tlm {
inline constexpr char kEngineVersion[] = "0.1.0";
}
