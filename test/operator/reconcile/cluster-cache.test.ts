/** The cluster cache: Nodes as they were seen or written, and the Nodes that a change affects. */
import { beforeEach, expect, test } from "@jest/globals";
import { type NodeResource, readMeta } from "../../../operator/api/resource.ts";
import type { CachedObject } from "../../../operator/kube/cached-object.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { AddressBook } from "../../../operator/reconcile/address-book.ts";
import { ClusterCache } from "../../../operator/reconcile/cluster-cache.ts";

let cache: ClusterCache;
let seen: Map<string, CachedObject>;
let warnings: number;

beforeEach(() => {
  warnings = 0;
  seen = new Map();
  const log = { ...silentLog, warn: () => void warnings++ };
  cache = new ClusterCache({ log, addresses: new AddressBook() });
  cache.addInformer("node", {
    synced: Promise.resolve(),
    get: (key) => seen.get(key),
    list: (namespace) =>
      [...seen.values()].filter(({ meta }) => meta.namespace === (namespace ?? meta.namespace)),
    [Symbol.asyncDispose]: async () => undefined,
  });
});

function aNode(name: string, version: number, status: object = {}, network = "net"): object {
  const metadata = { name, namespace: "demo", uid: `uid-${name}`, resourceVersion: String(version) };
  return { metadata, spec: { type: "proxy", network: { name: network } }, status };
}

function cachedObject(object: object): CachedObject {
  return { meta: readMeta(object), object };
}

function put(...objects: object[]): void {
  for (const object of objects) seen.set(`demo/${readMeta(object).name}`, cachedObject(object));
}

/** The same Node with other metadata. */
function aVersion(version: number, metadata: object, height = 1): CachedObject {
  const node = aNode("a", version, { height }) as { metadata: object };
  return cachedObject({ ...node, metadata: { ...node.metadata, ...metadata } });
}

/** The status of a node at this address. */
const at = (url: string, height: number) => ({ height, members: [{ name: "a", ready: true, url }] });

const heightOf = (node: NodeResource | undefined): number | undefined => node?.status.height;

test("what was written counts before it is seen, and what is seen later counts again", () => {
  put(aNode("a", 5, { height: 1 }));
  cache.recordWrite(aNode("a", 7, { height: 2 }));
  expect(heightOf(cache.node("demo/a"))).toBe(2);
  put(aNode("a", 6, { height: 3 })); // seen late: it is older than the write
  expect(heightOf(cache.node("demo/a"))).toBe(2);
  put(aNode("a", 8, { height: 4 }));
  expect(heightOf(cache.node("demo/a"))).toBe(4);
});

test("a Node that is gone is not kept up by what was written of it", () => {
  cache.recordWrite(aNode("a", 7));
  expect(cache.node("demo/a")).toBeUndefined();
});

test("a Node that cannot be read is left alone, and said once for each version of it", () => {
  const broken = { ...aNode("a", 5), spec: { type: "king" } };
  put(broken, aNode("b", 6));
  cache.peersAffectedBy(seen.get("demo/a"), undefined);
  expect(cache.nodes().map(({ meta }) => meta.name)).toEqual(["b"]);
  expect([cache.node("demo/a"), warnings]).toEqual([undefined, 1]);
});

test("a network hears of a Node that is reached elsewhere, done or gone, and of no other change", () => {
  const [before, higher] = [aNode("a", 1, at("kni://x", 1)), aNode("a", 2, at("kni://x", 2))];
  const moved = aNode("a", 3, at("kni://y", 2));
  put(before, aNode("b", 1), aNode("c", 1, {}, "other"));
  expect(cache.peersAffectedBy(cachedObject(higher), cachedObject(before))).toEqual([]);
  expect(cache.peersAffectedBy(cachedObject(moved), cachedObject(higher))).toEqual(["demo/a", "demo/b"]);
  seen.delete("demo/a");
  expect(cache.peersAffectedBy(undefined, cachedObject(moved))).toEqual(["demo/b"]);
});

test("a Node is not looked at again because of figures that were recorded of it", () => {
  const status = {
    ...at("kni://x", 1),
    members: [{ name: "a", ready: true, height: 1, disk: { usedBytes: 5 } }],
  };
  const later = { height: 2, members: [{ name: "a", ready: true, height: 2, disk: { usedBytes: 6 } }] };
  const [first, figures] = [cachedObject(aNode("a", 1, status)), cachedObject(aNode("a", 2, later))];
  const grown = { ...later, members: [{ ...later.members[0], disk: { usedBytes: 6, requestedBytes: 9 } }] };
  const others = [
    aNode("a", 3, { ...later, observedGeneration: 2 }),
    aNode("a", 3, grown),
    { ...aNode("a", 3, later), spec: { type: "core", network: { name: "net" } } },
  ].map(cachedObject);
  expect(cache.isChanged(figures, first)).toBe(false);
  expect(others.map((other) => cache.isChanged(other, figures))).toEqual([true, true, true]);
  expect([cache.isChanged(first, undefined), cache.isChanged(undefined, first)]).toEqual([true, true]);
});

test("of a Node it is asked what its spec, its annotations and its end say, not its status", () => {
  const first = aVersion(1, { generation: 1 });
  expect(cache.isRequestChanged(aVersion(2, { generation: 1 }, 2), first)).toBe(false);
  const others = [
    { generation: 2 },
    { generation: 1, annotations: { "knit.dev/run": "migrate" } },
    { generation: 1, deletionTimestamp: "2026-01-01T00:00:00Z" },
  ].map((metadata) => aVersion(2, metadata));
  expect(others.map((other) => cache.isRequestChanged(other, first))).toEqual([true, true, true]);
});

test("nodes of another namespace hear of a Node that names it", () => {
  const spec = { type: "proxy", network: { name: "net" }, peers: { namespaces: ["there"] } };
  const here = { ...aNode("a", 1), spec };
  const there = aNode("b", 1) as { metadata: object };
  seen.set("there/b", cachedObject({ ...there, metadata: { ...there.metadata, namespace: "there" } }));
  expect(cache.peersAffectedBy(cachedObject(here), undefined)).toEqual(["there/b"]);
});
