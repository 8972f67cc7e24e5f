/** A genesis: the recorded one, made again as it was, or none. */
import { expect, test } from "@jest/globals";
import { type GenesisView, planGenesis } from "../../../operator/plan/genesis.ts";

const ONE = { digest: "1", time: 1, validators: [], forks: undefined };
const OTHER = { ...ONE, digest: "2" };
const NODES = [{ name: "core", digest: "1" }];

const conditionText = (more: Partial<GenesisView>): string => {
  const plan = planGenesis({
    network: "net",
    configMap: "net-genesis",
    recorded: undefined,
    found: undefined,
    rebuilt: undefined,
    nodes: [],
    isMade: true,
    isAllowed: false,
    ...more,
  });
  return plan.do === "stop" ? plan.message.slice(0, plan.message.indexOf(". ")) : plan.do;
};

test.each<[string, Partial<GenesisView>, string]>([
  ["a first one is made", {}, "make"],
  ["one that people keep is waited for", { isMade: false }, "wait"],
  ["one that is there is used", { found: ONE }, "use"],
  ["the recorded one is used", { found: ONE, recorded: ONE }, "use"],
  [
    "another one is refused",
    { found: OTHER, recorded: ONE },
    "the ConfigMap net-genesis contains another genesis than the recorded one",
  ],
  ["another one is used when that is allowed", { found: OTHER, recorded: ONE, isAllowed: true }, "use"],
  ["one that is gone is made again", { recorded: ONE, rebuilt: ONE }, "rebuild"],
  [
    "one that cannot be made again as it was is asked for",
    { recorded: ONE, rebuilt: OTHER },
    "the ConfigMap net-genesis with the genesis is missing, and this release cannot recreate it with the digest 1",
  ],
  ["another one is made when that is allowed", { recorded: ONE, rebuilt: OTHER, isAllowed: true }, "make"],
  [
    "one that people keep and is gone is asked for",
    { recorded: ONE, isMade: false },
    "the ConfigMap net-genesis with the genesis is missing",
  ],
  [
    "a Network that was made again makes none for Nodes that have one",
    { nodes: NODES },
    "core started with another genesis",
  ],
  [
    "it takes none that its Nodes do not have",
    { nodes: NODES, found: OTHER },
    "core started with another genesis",
  ],
  ["it takes the one that its Nodes have", { nodes: NODES, found: ONE }, "use"],
])("%s", (_what, more, wanted) => {
  expect(conditionText(more)).toBe(wanted);
});
