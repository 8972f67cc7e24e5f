/** Tests of the pod template: the part of a Node, and the part of its Network. */
import { describe, expect, test } from "@jest/globals";
import { readNetwork } from "../../../operator/api/resource.ts";
import { withNetworkDefaults } from "../../../operator/build/network-defaults.ts";
import { podTemplate, statefulSet } from "../../../operator/build/stateful-set.ts";
import { inputDigest, lastAppliedTemplate, templateDigest } from "../../../operator/build/template.ts";
import { aMember, aNode, META, PARTS } from "../../support/a-member.ts";

const digest = (spec: object, id = "k"): string => inputDigest(aMember(spec), id);

describe("the template", () => {
  test.each([
    ["image", { image: "mine:2" }],
    ["a setting", { settings: { verbosity: "4" } }],
    ["the port for peers", { p2p: { port: 4000 } }],
    ["the gateway's image", { gateway: { image: "g:2" } }],
    ["where the pod goes", { scheduling: { spread: "None" } }],
  ])("has another digest for another %s", (_what, spec) => {
    expect(digest(spec)).not.toBe(digest({}));
  });

  test.each([
    ["size", { storage: { size: "20Gi" } }],
    ["peers", { peers: { urls: [], types: ["core"] } }],
    ["schedule", { maintenance: { trieCache: { schedule: "0 3 * * *" } } }],
    ["pause", { suspend: true }],
    ["number of replicas", { replicas: 3 }],
    ["monitoring", { monitoring: { intervalSeconds: 5 } }],
  ])("has the same digest for another %s", (_what, spec) => {
    expect(digest(spec)).toBe(digest({}));
  });

  test("has another digest for another key", () => {
    expect(digest({}, "other")).not.toBe(digest({}));
  });

  test("is found again in the StatefulSet that was written", () => {
    const template = podTemplate(aMember(), PARTS);
    const written = lastAppliedTemplate(statefulSet(aMember(), template));
    expect(written).toEqual(template);
    expect(templateDigest(written)).toBe("d");
    expect(lastAppliedTemplate({ metadata: { annotations: { "knit.dev/template": "{" } } })).toBeUndefined();
  });
});

test("what a Node does not say, its Network does, an amount and a setting at a time", () => {
  const defaults = {
    image: "theirs:1",
    resources: { requests: { cpu: "1", memory: "1Gi" } },
    storageClassName: "fast",
    settings: { verbosity: "2", gcmode: "archive" },
  };
  const spec = { networkId: 9, genesis: { configMap: { name: "g", key: "k" } }, defaults };
  const network = readNetwork({ metadata: META, spec });
  const plain = { resources: { requests: { cpu: "2" } }, settings: { verbosity: "4" } };
  const own = {
    ...plain,
    image: "mine:1",
    storage: { className: "slow" },
    network: { name: "n", networkId: 8 },
  };
  expect(withNetworkDefaults(aNode(plain), network).spec).toMatchObject({
    image: "theirs:1",
    network: { name: "n", networkId: 9, genesis: { configMap: { name: "g", key: "k" } } },
    resources: { requests: { cpu: "2", memory: "1Gi" } },
    storage: { className: "fast" },
    settings: { verbosity: "4", gcmode: "archive" },
  });
  expect(withNetworkDefaults(aNode(own), network).spec).toMatchObject({
    image: "mine:1",
    network: { networkId: 8 },
    storage: { className: "slow" },
  });
  expect(withNetworkDefaults(aNode(own), undefined)).toEqual(aNode(own));
});
