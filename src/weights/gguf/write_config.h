// A config.json as the metadata of a GGUF file.
#pragma once

#include "base/json.h"
#include "weights/gguf/architecture.h"
#include "weights/gguf/rope.h"
#include "weights/gguf/writer.h"

namespace ilt {

// The architecture that holds a model of this config.json (one that a model family has read). Throws unsupported where
// there is none.
const GgufArchitecture& gguf_architecture_for(const Json& config);

// Adds general.architecture and the architecture's numbers. Whether they say all that config.json says is for the
// caller to see, who can read them back.
void write_gguf_config(GgufHead& head, const GgufArchitecture& architecture, const Json& config, const GgufRope& rope);

// Before the other numbers: of a file that holds weights as `type`.
void write_gguf_general(GgufHead& head, const GgufArchitecture& architecture, const std::string& name,
                        GgufTensorType type);

}  // namespace ilt
