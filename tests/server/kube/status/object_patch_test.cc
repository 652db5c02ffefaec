#include "server/kube/status/object_patch.h"

#include <gtest/gtest.h>

namespace trellis::object_patch_test {
namespace {

Json json(const char* text) { return Json::parse(text); }

TEST(ObjectPatch, AMergePatchMakesOneOfTheOther) {
  for (auto [before, after, patch] :
       {std::tuple(R"({"a":1})", R"({"a":1})", R"({})"),
        std::tuple(R"({"a":1,"b":2})", R"({"b":3})", R"({"a":null,"b":3})"),
        std::tuple(R"({"a":{"b":{"c":1,"d":2}}})", R"({"a":{"b":{"c":1}}})",
                   R"({"a":{"b":{"d":null}}})"),
        std::tuple(R"({"a":[1,2]})", R"({"a":[1]})", R"({"a":[1]})"),
        std::tuple(R"({"a":[1]})", R"({"a":{"0":1}})", R"({"a":{"0":1}})"),
        std::tuple(R"({"a":{"0":{"x":1}}})", R"({"a":{"0":{"x":2}}})", R"({"a":{"0":{"x":2}}})")}) {
    Json made = merge_patch_between(json(before), json(after));
    EXPECT_EQ(made, json(patch));
    Json applied = json(before);
    applied.merge_patch(made);
    EXPECT_EQ(applied, json(after));
  }
}

TEST(ObjectPatch, PartsAreWrittenApart) {
  Json before = json(
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"spec":{"x":1},"status":{"y":1}})");
  Json after = before;
  after["spec"]["x"] = 2;
  after["status"]["y"] = 2;
  LiveObject object{.path = "/p/a", .has_status = true, .text = {}};
  auto status = patch_request(object, before, after, WritePart::Status, Guard::SameObject);
  EXPECT_EQ(status->target, "/p/a/status");
  EXPECT_EQ(status->body, R"({"status":{"y":2},"metadata":{"uid":"u"}})");
  auto rest = patch_request(object, before, after, WritePart::Start, Guard::SameVersion);
  EXPECT_EQ(rest->target, "/p/a");
  EXPECT_EQ(rest->body, R"({"spec":{"x":2},"metadata":{"uid":"u","resourceVersion":"7"}})");
  object.has_status = false;
  EXPECT_EQ(patch_request(object, before, after, WritePart::Status, Guard::SameObject)->target,
            "/p/a");
  after["status"] = before["status"];
  EXPECT_FALSE(patch_request(object, before, after, WritePart::Status, Guard::SameObject));
}

}  // namespace
}  // namespace trellis::object_patch_test
