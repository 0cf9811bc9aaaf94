// Runs a fuzzer without libFuzzer: on every file of a corpus, and on mutations of them that are the same in every run.
// Usage: replay_NAME CORPUS_FOLDER MUTATIONS. With ILT_FUZZ_KEEP set, the last input stays in
// TMPDIR/ilt-fuzz-last.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"

using Bytes = std::vector<std::uint8_t>;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Only some fuzzers have their own.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t max_size, unsigned seed);

namespace {

constexpr std::size_t max_growth = 4096;

ilt::SplitMix64 rng(1);
std::vector<Bytes> corpus;

std::size_t at_most(std::size_t bound) {
  return static_cast<std::size_t>(rng.below(bound + 1));
}

void splice(Bytes& bytes) {
  const Bytes& other = corpus[rng.below(corpus.size())];
  const std::size_t from = at_most(other.size());
  const std::size_t length = std::min<std::size_t>(at_most(64), other.size() - from);
  const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
  const auto to = static_cast<std::ptrdiff_t>(at_most(bytes.size()));
  bytes.insert(bytes.begin() + to, begin, begin + static_cast<std::ptrdiff_t>(length));
}

void remove(Bytes& bytes) {
  const std::size_t from = at_most(bytes.size());
  const std::size_t length = std::min<std::size_t>(at_most(32), bytes.size() - from);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(from);
  bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
}

// Digits become numbers at limits, other bytes any byte.
void change(Bytes& bytes) {
  if (bytes.empty()) return;
  const std::size_t at = rng.below(bytes.size());
  if (bytes[at] < '0' || bytes[at] > '9') {
    bytes[at] = static_cast<std::uint8_t>(rng.next());
    return;
  }
  static const std::array<std::string, 5> numbers = {"0", "-1", "4294967296", "9223372036854775807", "1e999"};
  const std::string& number = numbers[rng.below(numbers.size())];
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), number.begin(), number.end());
}

void mutate(Bytes& bytes) {
  for (std::size_t count = 1 + at_most(3); count > 0; --count) {
    const std::uint64_t kind = rng.below(3);
    if (kind == 0) splice(bytes);
    if (kind == 1) remove(bytes);
    if (kind == 2) change(bytes);
  }
}

// What is kept is there when the input crashes the fuzzer.
void run(const Bytes& bytes) {
  static const std::string path = (std::filesystem::temp_directory_path() / "ilt-fuzz-last").string();
  if (std::getenv("ILT_FUZZ_KEEP") != nullptr) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void run_mutation(const Bytes& original) {
  Bytes bytes = original;
  if (LLVMFuzzerCustomMutator == nullptr) {
    mutate(bytes);
  } else {
    bytes.resize(original.size() + max_growth);
    bytes.resize(
        LLVMFuzzerCustomMutator(bytes.data(), original.size(), bytes.size(), static_cast<unsigned>(rng.next())));
  }
  run(bytes);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  Bytes bytes(data, data + size);
  mutate(bytes);
  bytes.resize(std::min(bytes.size(), max_size));
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER MUTATIONS\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s holds no files\n", argv[1]);
    return 1;
  }
  const long mutations = std::atol(argv[2]);
  for (const Bytes& bytes : corpus) run(bytes);
  for (long i = 0; i < mutations; ++i) run_mutation(corpus[static_cast<std::size_t>(i) % corpus.size()]);
  std::printf("%zu inputs and %ld mutations of them\n", corpus.size(), mutations);
  return 0;
}
