#include "framework/pod_terms.h"

#include <gtest/gtest.h>

namespace trellis::pod_terms_test {
namespace {

TEST(PodTermSelectors, NameSpacesMayBeListedInAnyOrder) {
  StringTable strings;
  StrId first = strings.intern("first");
  StrId second = strings.intern("second");
  StrId third = strings.intern("third");
  PodTerm term;
  term.pods.name_spaces = {third, first, second, first};
  settle(term, first, {});
  for (StrId name_space : {first, second, third}) {
    EXPECT_TRUE(selects(term.pods, name_space, {}, {}, strings));
  }
  EXPECT_FALSE(selects(term.pods, strings.intern("other"), {}, {}, strings));
}

}  // namespace
}  // namespace trellis::pod_terms_test
