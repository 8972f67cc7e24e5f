/** Siblings in memory: who is named to a replica without blocks, with which certificate, and who may be asked. */
import { X509Certificate } from "node:crypto";
import { expect, test } from "@jest/globals";
import { readMeta } from "../../../operator/api/resource.ts";
import { SIBLINGS_FILE } from "../../../operator/build/settings.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster, idOf } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);

/** Names in the file of a replica. */
function siblingsOf(member: string): readonly string[] | undefined {
  const map = cluster.get("ConfigMap", `${member}-settings`) as { data: Record<string, string> } | undefined;
  const text = map?.data[SIBLINGS_FILE];
  return text === undefined
    ? undefined
    : (JSON.parse(text) as { siblings: { host: string }[] }).siblings.map(({ host }) => host);
}

async function putPair(): Promise<void> {
  cluster.putRunning("core", ["proxy"]);
  cluster.putRunning("proxy", ["core"]);
  await once("core");
  await once("proxy");
}

const FROM = { bootstrap: { from: "Sibling" } };

test("a replica without blocks is given those that are ready and synced, validators last", async () => {
  await putPair();
  cluster.putNode("reader", { type: "endpoint", ...FROM });
  await once("reader");
  expect(siblingsOf("reader")).toEqual(["proxy-peer.demo.svc", "core-peer.demo.svc"]);
  cluster.tell("proxy", { height: 500 });
  await once("reader");
  expect(siblingsOf("reader")).toEqual(["proxy-peer.demo.svc"]); // the core node is behind
});

test("a named Node is the only one that is asked", async () => {
  await putPair();
  cluster.putNode("reader", { type: "endpoint", bootstrap: { node: "core" } });
  await once("reader");
  expect(siblingsOf("reader")).toEqual(["core-peer.demo.svc"]);
});

test("in a network without blocks nobody is, and no Node without the field has a file", async () => {
  await putPair();
  for (const name of ["core", "proxy"] as const) cluster.tell(name, { height: 0 });
  cluster.putNode("reader", { type: "endpoint", ...FROM });
  await once("reader");
  expect([siblingsOf("reader"), siblingsOf("proxy")]).toEqual([[], undefined]);
});

test("a replica with blocks names none, whatever becomes of the others", async () => {
  await putPair();
  cluster.putRunning("endpoint", ["core"]);
  cluster.putNode("endpoint", { ...cluster.node("endpoint").spec, ...FROM });
  expect(idOf("endpoint")).not.toBe("");
  await once("endpoint");
  await once("endpoint");
  expect(siblingsOf("endpoint")).toEqual([]);
});

test("a replica with blocks whose claim is gone names them again, until it has reported blocks", async () => {
  await putPair();
  cluster.putRunning("endpoint", ["core"]);
  cluster.putNode("endpoint", { ...cluster.node("endpoint").spec, ...FROM });
  await once("endpoint");
  await once("endpoint");
  expect([siblingsOf("endpoint"), cluster.node("endpoint").status.height]).toEqual([[], 5]);
  const claim = cluster.get("PersistentVolumeClaim", "endpoint-data");
  for (const key of ["Pod demo/endpoint-0", "PersistentVolumeClaim demo/endpoint-data"])
    cluster.objects.delete(key);
  deps.applier.forget("PersistentVolumeClaim", { meta: readMeta(claim), object: claim });
  for (let pass = 0; pass < 2; pass++) {
    await once("endpoint");
    expect(siblingsOf("endpoint")).toEqual(["proxy-peer.demo.svc", "core-peer.demo.svc"]);
  }
  expect(cluster.get("PersistentVolumeClaim", "endpoint-data")).toBeDefined();
  expect(cluster.events.filter((event) => event.includes("endpoint VolumeReplaced"))).toHaveLength(1);
  cluster.putRunning("endpoint", ["core"]);
  cluster.putNode("endpoint", { ...cluster.node("endpoint").spec, ...FROM });
  await once("endpoint");
  await once("endpoint");
  expect(siblingsOf("endpoint")).toEqual([]);
});

test("its certificate is a reader's, which is kept, and others get none", async () => {
  await putPair();
  cluster.putNode("reader", { type: "endpoint", ...FROM });
  await once("reader");
  const secret = (name: string) =>
    cluster.get("Secret", `${name}-gateway`) as { data: Record<string, string> };
  const text = secret("reader").data["reader.crt"] ?? "";
  const certificate = new X509Certificate(Buffer.from(text, "base64"));
  expect(certificate.subject).toBe("CN=reader.reader.demo.gateway.knit.dev");
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  await once("reader");
  expect(secret("reader").data["reader.crt"]).toBe(text);
  expect(secret("proxy").data).not.toHaveProperty("reader.crt");
});

test("only Nodes that may be asked let replicas of the network to their gateways", async () => {
  await putPair();
  const isOpen = (name: string): boolean =>
    JSON.stringify(cluster.get("NetworkPolicy", name)).includes('"knit.dev/network":"net"}}');
  await once("core");
  expect(isOpen("core")).toBe(false);
  cluster.putNode("reader", { type: "endpoint", bootstrap: { node: "core" } });
  for (const name of ["core", "proxy"]) await once(name);
  expect([isOpen("core"), isOpen("proxy")]).toEqual([true, false]);
  cluster.putNode("reader", { type: "endpoint", ...FROM });
  await once("proxy");
  expect(isOpen("proxy")).toBe(true);
});
