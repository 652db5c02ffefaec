#include "server/objects/pods_fingerprint.h"

#include <gtest/gtest.h>

namespace trellis::pods_fingerprint_test {
namespace {

TEST(PodsFingerprint, TheOrderDoesNotMatter) {
  PodsFingerprint one;
  one.add("default", "a");
  one.add("kube-system", "b");
  PodsFingerprint other;
  other.add("kube-system", "b");
  other.add("default", "a");
  EXPECT_EQ(one.text(), other.text());
  other.add("default", "c");
  EXPECT_NE(one.text(), other.text());
}

TEST(PodsFingerprint, NamespaceAndNameAreKeptApart) {
  PodsFingerprint one;
  one.add("ab", "c");
  PodsFingerprint other;
  other.add("a", "bc");
  EXPECT_NE(one.text(), other.text());
}

// The project's own: three pods of its test data.
TEST(PodsFingerprint, IsThatOfTheProject) {
  PodsFingerprint three;
  for (const char* name : {"jaeger-dpgjk", "nginx-rt684", "envoy-g9m22"}) {
    three.add("production", name);
  }
  EXPECT_EQ(three.text(), "pfp0v001607b76a0e9d3aeb4");
}

// xxh64 of nothing.
TEST(PodsFingerprint, NoPods) { EXPECT_EQ(PodsFingerprint().text(), "pfp0v001ef46db3751d8e999"); }

}  // namespace
}  // namespace trellis::pods_fingerprint_test
