#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/kube/lead/lease.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::lease_name_test {
namespace {

using testing::MatchesRegex;

TEST(LeaseName, EachShardHasItsOwn) {
  EXPECT_EQ(lease_name(""), "trellis");
  EXPECT_EQ(lease_name("east-1"), "trellis-east-1");
}

TEST(LeaseName, WhatNoObjectMayBeCalledIsReplacedAndKeptApart) {
  EXPECT_THAT(lease_name("East_1"), MatchesRegex("trellis-east-1-[0-9a-f]{8}"));
  EXPECT_NE(lease_name("East_1"), lease_name("East.1"));
  EXPECT_THAT(lease_name("A"), MatchesRegex("trellis-a-[0-9a-f]{8}"));
}

TEST(LeaseName, TheNamespaceIsThePodsElseTheControlPlanes) {
  test::TemporaryFolder folder;
  EXPECT_EQ(lease_namespace(folder.path()), "kube-system");
  folder.write("namespace", "batch\n");
  EXPECT_EQ(lease_namespace(folder.path()), "batch");
}

}  // namespace
}  // namespace trellis::lease_name_test
