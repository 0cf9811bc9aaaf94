// ilt.h: the model families.
#include "model/families/family.h"

#include "capi/guard.h"

const char* ilt_model_families_json(void) noexcept {
  try {
    static const auto* const text = [] {
      ilt::Json families = ilt::Json::array();
      for (const ilt::Family& f : ilt::known_families())
        families.push_back({{"architecture", f.architecture}, {"model_type", f.model_type}, {"models", f.models}});
      return new std::string(families.dump(2));
    }();
    return text->c_str();
  } catch (...) {
    return "[]";
  }
}
