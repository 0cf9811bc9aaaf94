// Data sets together: one numbering, samples left out and held out, blocks of documents.
#include "data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "data/load.h"
#include "text/support.h"

namespace ilt {
namespace {

using testing::ElementsAre;

// Sample i has lengths[i] tokens, all of them `first` + i.
std::shared_ptr<Dataset> make(std::int32_t first, const std::vector<int>& lengths) {
  auto dataset = std::make_shared<Dataset>();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::vector<std::int32_t> ids(static_cast<std::size_t>(lengths[i]), first + static_cast<std::int32_t>(i));
    dataset->add(ids, ids);
  }
  return dataset;
}

std::vector<std::int32_t> firsts(const Corpus& corpus) {
  std::vector<std::int32_t> found;
  for (std::int64_t i = 0; i < corpus.size(); ++i) found.push_back(corpus.at(i).ids.front());
  return found;
}

TEST(Corpus, NumbersDataSetsEndToEnd) {
  Corpus corpus;
  corpus.add(make(0, {2, 3}));
  corpus.add(make(10, {4}), 0.5);
  EXPECT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.num_tokens(), 9);
  EXPECT_THAT(firsts(corpus), ElementsAre(0, 1, 10));
  EXPECT_EQ(corpus.parts()[1].begin, 2);
  EXPECT_EQ(corpus.parts()[1].weight, 0.5);
  EXPECT_THROW(corpus.at(3), Error);
  EXPECT_THROW(corpus.at(-1), Error);
}

TEST(Corpus, LeavesOutWhatIsTooLong) {
  Corpus corpus;
  corpus.add(make(0, {2, 9, 3}));
  corpus.add(make(10, {9, 9, 1}));
  EXPECT_EQ(corpus.drop_longer(3), 3);
  EXPECT_THAT(firsts(corpus), ElementsAre(0, 2, 12));
  EXPECT_EQ(corpus.drop_longer(3), 0);
}

TEST(Corpus, HoldsOutTheSameForTheSameSeed) {
  const auto split = [](double fraction, std::uint64_t seed) {
    Corpus training;
    training.add(make(0, std::vector<int>(100, 2)));
    training.add(make(100, std::vector<int>(50, 2)));
    const auto held = firsts(training.hold_out(fraction, seed));
    return std::pair(firsts(training), held);
  };
  const auto [training, held] = split(0.1, 3);
  EXPECT_EQ(held.size(), 15);
  std::set<std::int32_t> all(training.begin(), training.end());
  all.insert(held.begin(), held.end());
  EXPECT_EQ(all.size(), 150);
  EXPECT_EQ(training.size(), 135);
  EXPECT_TRUE(std::ranges::is_sorted(training));
  EXPECT_EQ(split(0.1, 3).second, held);
  EXPECT_NE(split(0.1, 4).second, held);
  EXPECT_EQ(split(0.0001, 3).second.size(), 1);
}

TEST(Blocks, KeepTheBoundsOfDocuments) {
  Dataset dataset;
  const std::vector<std::int32_t> ids = {1, 1, 1, 2, 2, 3, 3, 3, 3, 3};
  dataset.add(std::span(ids).first(3), std::span(ids).first(3));
  dataset.add(std::span(ids).subspan(3, 2), std::span(ids).subspan(3, 2));
  dataset.add(std::span(ids).subspan(5), std::span(ids).subspan(5));
  dataset.cut_into_blocks(4);
  ASSERT_EQ(dataset.size(), 3);
  EXPECT_THAT(dataset.at(0).ids, ElementsAre(1, 1, 1, 2));
  EXPECT_THAT(dataset.segments(0), ElementsAre(3, 1));
  EXPECT_THAT(dataset.at(1).ids, ElementsAre(2, 3, 3, 3));
  EXPECT_THAT(dataset.segments(1), ElementsAre(1, 3));
  EXPECT_THAT(dataset.segments(2), ElementsAre(2));
  // The first token of a piece is nobody's target.
  EXPECT_EQ(dataset.supervised(0), 2);
  EXPECT_EQ(dataset.supervised(1), 2);
  EXPECT_EQ(dataset.supervised(2), 1);
  EXPECT_THROW(dataset.add(ids, ids), Error);
}

TEST(Blocks, TakeDocumentsOfAnyLength) {
  const test::ScratchFolder folder;
  const std::string document = R"({"document": ")" + std::string(3000, 'a') + "\"}\n";
  const auto tokenizer = Tokenizer::load(test::data_folder() / "model");
  const std::vector paths{folder.write("rows.jsonl", document + document)};
  EXPECT_THROW(load_dataset(paths, tokenizer, nullptr, {.max_seq_len = 64}), Error);
  Dataset dataset = load_dataset(paths, tokenizer, nullptr, {.max_seq_len = 64, .whole_documents = true});
  const std::int64_t tokens = dataset.num_tokens();
  dataset.cut_into_blocks(64);
  std::int64_t in_blocks = 0;
  for (std::int64_t i = 0; i < dataset.size(); ++i) in_blocks += dataset.length(i);
  EXPECT_EQ(in_blocks, tokens);
  EXPECT_EQ(dataset.size(), (tokens + 63) / 64);
}

}  // namespace
}  // namespace ilt
