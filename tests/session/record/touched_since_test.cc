#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/record/touched.h"

namespace trellis::touched_since_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CycleRecord record_of(std::vector<PodId> pods, std::vector<GangId> gangs) {
  CycleRecord record;
  record.pods.grow(8);
  record.gangs.grow(8);
  record.touched = {
      .everything = false, .pods = std::move(pods), .gangs = std::move(gangs), .nodes = {}};
  return record;
}

TEST(TouchedSince, TheFirstTimeItIsEverything) {
  TouchedSince touched;
  touched.add(record_of({PodId(1)}, {}));
  Touched first = touched.take();
  EXPECT_TRUE(first.everything);
  EXPECT_THAT(first.pods, IsEmpty());
  EXPECT_FALSE(touched.take().everything);
}

TEST(TouchedSince, EachOnceAndInOrder) {
  TouchedSince touched;
  touched.take();
  touched.add(record_of({PodId(3), PodId(7)}, {GangId(2)}));
  touched.add(record_of({PodId(1), PodId(3)}, {}));
  Touched since = touched.take();
  EXPECT_FALSE(since.everything);
  EXPECT_THAT(since.pods, ElementsAre(PodId(1), PodId(3), PodId(7)));
  EXPECT_THAT(since.gangs, ElementsAre(GangId(2)));
  EXPECT_THAT(touched.take().pods, IsEmpty());
  touched.add(record_of({PodId(3)}, {}));
  EXPECT_THAT(touched.take().pods, ElementsAre(PodId(3)));
}

TEST(TouchedSince, OneRecordOfEverythingMakesItEverything) {
  TouchedSince touched;
  touched.take();
  touched.add(record_of({PodId(3)}, {}));
  touched.add(CycleRecord());
  touched.add(record_of({PodId(4)}, {}));
  Touched since = touched.take();
  EXPECT_TRUE(since.everything);
  EXPECT_THAT(since.pods, IsEmpty());
  touched.add(record_of({PodId(5)}, {}));
  EXPECT_THAT(touched.take().pods, ElementsAre(PodId(5)));
}

}  // namespace
}  // namespace trellis::touched_since_test
