/** Keys: the recorded address is kept, whatever the Secret says, unless a person allows another. */
import { expect, test } from "@jest/globals";
import { type KeyView, planKey } from "../../../operator/plan/node-key.ts";

const view = (more: Partial<KeyView>): KeyView => ({
  node: "core",
  secret: "core-nodekey",
  recorded: "0xaa",
  found: "0xaa",
  isAllowed: false,
  pod: "recorded",
  ...more,
});

const conditionTexts = (more: Partial<KeyView>): readonly string[] => {
  const plan = planKey(view(more));
  return typeof plan === "string" ? [plan] : [plan.reason, plan.pod];
};

test.each<[string, Partial<KeyView>, readonly string[]]>([
  ["a first key is made", { recorded: undefined, found: undefined }, ["make"]],
  ["a first key that is there is used", { recorded: undefined }, ["use"]],
  ["the recorded key is used", {}, ["use"]],
  ["a lost key leaves the pod that has read it", { found: undefined }, ["NodeKeyLost", "stays"]],
  ["a lost key lets no pod begin", { found: undefined, pod: "absent" }, ["NodeKeyLost", "ends"]],
  ["another key leaves the pod with the recorded one", { found: "0xbb" }, ["NodeKeyChanged", "stays"]],
  ["another key ends the pod that took it", { found: "0xbb", pod: "other" }, ["NodeKeyChanged", "ends"]],
  ["another key lets no pod begin", { found: "0xbb", pod: "absent" }, ["NodeKeyChanged", "ends"]],
  ["the recorded key ends a pod that read another one", { pod: "misread" }, ["NodeKeyChanged", "ends"]],
  ["a misread key is no reason before one is recorded", { recorded: undefined, pod: "misread" }, ["use"]],
  ["a spoilt key is another one", { found: "" }, ["NodeKeyChanged", "stays"]],
  ["a new key is made when that is allowed", { found: undefined, isAllowed: true }, ["make"]],
  ["another key is used when that is allowed", { found: "0xbb", isAllowed: true }, ["use"]],
  ["a spoilt key is used by nobody", { found: "", isAllowed: true }, ["NodeKeyChanged", "stays"]],
])("%s", (_what, more, wanted) => {
  expect(conditionTexts(more)).toEqual(wanted);
});

test("the message names the Secret, the address and the command that gives it up", () => {
  expect(planKey(view({ found: undefined }))).toMatchObject({
    message: expect.stringMatching(
      /Secret core-nodekey .* of 0xaa .*kubectl annotate --overwrite kn core knit\.dev\/allow-new-key=/,
    ),
  });
});
