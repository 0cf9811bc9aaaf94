// ilt.hpp alone, before any other header, and once more.
#include "ilt.hpp"

#include "ilt.hpp"

ilt::Config configuration() {
  return {};
}
