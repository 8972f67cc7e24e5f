/** The picture of the mesh: networks, replicas with their state, and each pair of peers once. */
import { expect, test } from "@jest/globals";
import { readNode } from "../../../operator/api/resource.ts";
import { meshGraph } from "../../../operator/kubectl/graph.ts";
import { listNodes } from "../../../operator/kubectl/read.ts";

const urlOf = (digit: string) => `kni://${digit.repeat(128)}@host:32323?discport=0`;

/** A Node as the API server has it; `members` is its status. */
function rawNode(name: string, type: string, members: readonly object[]) {
  return {
    metadata: { name, namespace: "demo", uid: name, resourceVersion: "1" },
    spec: { type, network: { name: "net" } },
    status: { members },
  };
}

const CORE = rawNode("core", "core", [
  { name: "core", ready: true, height: 42, url: urlOf("a"), mesh: [urlOf("b"), urlOf("f")] },
]);
const PROXY = rawNode("proxy", "proxy", [
  { name: "proxy", ready: true, height: 42, url: urlOf("b"), mesh: [urlOf("a")] },
  { name: "proxy-m1", ready: false, reason: "NodeSilent", url: urlOf("c"), mesh: [urlOf("a")] },
]);

test("a network is a box, a replica a vertex with its state, and two peers one line; others are left out", () => {
  expect(meshGraph([CORE, PROXY].map(readNode))).toBe(
    [
      "flowchart LR",
      '  subgraph n0["demo/net"]',
      '    m0["core: core, block 42"]',
      '    m1["proxy: proxy, block 42"]',
      '    m2["proxy-m1: proxy, no height, NodeSilent"]:::unready',
      "  end",
      "  m0 --- m1",
      "  m0 --- m2",
      "  classDef unready stroke:#c00,stroke-dasharray: 4",
      "",
    ].join("\n"),
  );
});

test("all pages are read, in the namespace that is asked for, and a Node of another version is left out", async () => {
  const places: unknown[] = [];
  const pages = [[CORE, { metadata: PROXY.metadata, spec: { type: "king" } }], [PROXY]];
  const client = {
    page: async ({ namespace }: { readonly namespace: string | undefined }, next: string | undefined) => {
      places.push(namespace);
      const index = Number(next ?? "0");
      return { items: pages[index] ?? [], resourceVersion: "1", next: index === 0 ? "1" : undefined };
    },
  };
  const nodes = await listNodes(client, "demo");
  expect(nodes.map(({ meta }) => meta.name)).toEqual(["core", "proxy"]);
  expect(places).toEqual(["demo", "demo"]);
});
