/** Changed parts of a pod template, as people read them. */
import { expect, test } from "@jest/globals";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { changedParts, partsText } from "../../../operator/build/template-changes.ts";
import { aMember, PARTS } from "../../support/a-member.ts";

const inputs = (spec: object, settings = "a", more: object = {}) => ({
  template: podTemplate(aMember(spec), { ...PARTS, ...more }),
  settings,
});

test("parts are named by their path, containers and volumes by name", () => {
  const spec = { image: "mine:2", podTemplate: { labels: { team: "chain" }, env: [{ name: "A" }] } };
  expect(changedParts(inputs({}), inputs(spec, "b", { digest: "other" }))).toEqual([
    "metadata.labels.team",
    "spec.initContainers[genesis].image",
    "spec.containers[node].image",
    "spec.containers[node].env[A]",
    "settings file",
  ]);
  expect(changedParts(inputs({}), inputs({}))).toEqual([]);
});

test("a text has eight of them and the number of the others", () => {
  expect(partsText("a b c d e f g h i j".split(" "))).toBe("a, b, c, d, e, f, g, h and 2 more");
});
