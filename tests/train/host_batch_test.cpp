// What a host's batch takes, and that it stays as it was where it refuses something.
#include "train/host_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace ilt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Ids = std::vector<std::int32_t>;
using Weights = std::vector<float>;

TEST(HostBatch, KeepsSamplesWithLabelsAndWeights) {
  HostBatch batch;
  batch.add(Ids{5, 6, 7}, {}, {});
  batch.add(Ids{1, 2}, Ids{-100, 9}, Weights{0, -0.5F});
  EXPECT_EQ(batch.size(), 2);
  EXPECT_EQ(batch.tokens(), 5);
  EXPECT_THAT(batch.at(0).labels, ElementsAre(5, 6, 7));
  EXPECT_THAT(batch.at(0).weights, ElementsAre(1, 1, 1));
  EXPECT_THAT(batch.at(1).ids, ElementsAre(1, 2));
  EXPECT_THAT(batch.at(1).labels, ElementsAre(-100, 9));
  EXPECT_THAT(batch.at(1).weights, ElementsAre(0, -0.5F));
  batch.clear();
  EXPECT_EQ(batch.size(), 0);
  EXPECT_EQ(batch.tokens(), 0);
}

TEST(HostBatch, RefusesWhatIsNoSample) {
  HostBatch batch;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT([&] { batch.add({}, {}, {}); }, ThrowsMessage<Error>(HasSubstr("without tokens")));
  EXPECT_THAT([&] { batch.add(Ids{1, -1}, {}, {}); }, ThrowsMessage<Error>(HasSubstr("token id -1 at position 1")));
  EXPECT_THAT([&] { batch.add(Ids{1, 2}, Ids{1, -7}, {}); }, ThrowsMessage<Error>(HasSubstr("label -7 at position 1")));
  EXPECT_THAT([&] { batch.add(Ids{1, 2}, {}, Weights{nan, 1}); }, ThrowsMessage<Error>(HasSubstr("weight nan")));
  EXPECT_EQ(batch.size(), 0);
  EXPECT_EQ(batch.tokens(), 0);
}

TEST(HostBatch, NamesWhatIsBeyondTheVocabulary) {
  HostBatch batch;
  batch.add(Ids{1, 9}, Ids{1, 10}, {});
  batch.require_within(11);
  EXPECT_THAT([&] { batch.require_within(10); }, ThrowsMessage<Error>(HasSubstr("label 10 at position 1")));
  EXPECT_THAT([&] { batch.require_within(9); }, ThrowsMessage<Error>(HasSubstr("token id 9 at position 1")));
}

}  // namespace
}  // namespace ilt
