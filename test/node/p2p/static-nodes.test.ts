/** Tests of static nodes from lists and callers. */
import { expect, test } from "@jest/globals";
import { mapKey } from "../../../node/bytes/hex.ts";
import type { NodeUrl } from "../../../node/p2p/node-url.ts";
import { StaticNodes } from "../../../node/p2p/static-nodes.ts";

const urlOf = (n: number, host = "h"): NodeUrl => ({
  id: new Uint8Array(64).fill(n),
  host,
  tcpPort: n,
  udpPort: n,
  tcpPorts: [n],
  type: "unknown",
});

/** Static nodes over a dialer that keeps the first URL of each node, as the real one does. */
function someStaticNodes() {
  const dialled = new Map<string, NodeUrl>();
  const nodes = new StaticNodes({
    add(url) {
      if (!dialled.has(mapKey(url.id))) dialled.set(mapKey(url.id), url);
    },
    remove: (id) => dialled.delete(mapKey(id)),
  });
  return { nodes, dialled: () => [...dialled.values()].map(({ host, tcpPort }) => `${host}:${tcpPort}`) };
}

test("a replaced list adds its new nodes and drops those that left; a moved node is dialled at its new address", () => {
  const { nodes, dialled } = someStaticNodes();
  nodes.replace([urlOf(1), urlOf(2), urlOf(3)]);
  nodes.replace([urlOf(1), urlOf(3, "moved"), urlOf(4)]);
  expect(dialled()).toEqual(["h:1", "moved:3", "h:4"]);
  nodes.replace([]);
  expect(dialled()).toEqual([]);
});

test("a node that a caller added stays when the list no longer has it; one that a caller removed is gone", () => {
  const { nodes, dialled } = someStaticNodes();
  nodes.replace([urlOf(1), urlOf(2)]);
  nodes.add(urlOf(2));
  nodes.add(urlOf(3));
  expect([nodes.remove(urlOf(1).id), nodes.remove(urlOf(9).id)]).toEqual([true, false]);
  nodes.replace([urlOf(1), urlOf(2)]);
  expect(dialled()).toEqual(["h:2", "h:3"]);
  nodes.replace([]);
  expect(dialled()).toEqual(["h:2", "h:3"]);
  nodes.remove(urlOf(2).id);
  nodes.replace([urlOf(2)]);
  nodes.replace([]);
  expect(dialled()).toEqual(["h:3"]);
});
