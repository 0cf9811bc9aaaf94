// From a stored model to a decoder, and back to the tensors of a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/decoder.h"
#include "weights/export.h"
#include "weights/model_source.h"

namespace ilt {

// What config.json describes, with the prefix that the names of the source's tensors have.
DecoderSpec read_spec(const ModelSource& source);

// Builds the decoder that config.json describes and reads its weights, converted to fp32. Throws format where a tensor
// is missing, has another shape or type, or belongs to nothing.
std::unique_ptr<Decoder> load_decoder(const ModelSource& source, at::Device device);

// Whether a stored tensor is none that is trained: it follows from config.json or from another tensor.
bool is_recomputed(const DecoderSpec& spec, const std::string& name);

// The same decoder without memory for its weights, after the same checks of names and shapes.
std::unique_ptr<Decoder> describe_decoder(const ModelSource& source);

// Weights (fp32, under their checkpoint names) for export, in the types that `source` stores them in (or save_dtype, if
// given). The values are read when they are asked for.
std::vector<ExportTensor> export_tensors(const std::vector<NamedTensor>& weights, const ModelSource& source,
                                         const std::string& save_dtype);

}  // namespace ilt
