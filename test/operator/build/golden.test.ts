/**
 * Pod templates of releases, kept as files: this version neither changes them nor their settings by itself, so that an
 * upgrade of the operator recreates no pod. `KNIT_GOLDEN=VERSION npm test -- test/operator/build/golden` writes the files
 * of a release, once, when it is made; a file that fails is never edited.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

const DIRECTORY = new URL("golden/", import.meta.url);

/** Manifests of users, and the objects of the release for them. */
interface Golden {
  readonly name: "core" | "proxy" | "endpoint";
  readonly network: object;
  readonly spec: object;
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

const GENESIS = { genesis: { create: { chainId: 7, validators: ["core"] } } };

/** Nodes with few fields and with many. */
const NODES: Readonly<Record<string, Omit<Golden, "objects">>> = {
  core: { name: "core", network: GENESIS, spec: { type: "core" } },
  proxy: { name: "proxy", network: GENESIS, spec: { type: "proxy" } },
  endpoint: {
    name: "endpoint",
    network: { ...GENESIS, networkId: 9, defaults: { settings: { verbosity: "2" } } },
    spec: {
      type: "endpoint",
      image: "mine:1",
      api: { ws: { enabled: true }, hosts: ["rpc.example"] },
      p2p: { port: 4_000, maxPeers: 10 },
      resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { memory: "2Gi" } },
      storage: { size: "20Gi", autoGrow: { limit: "40Gi" } },
      settings: { gcmode: "archive" },
      maintenance: { trieCache: { onShutdown: false } },
      gateway: { image: "gateway:1" },
    },
  },
};

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

/** The objects that decide about the pod, without what the server adds. */
function objectsOf(name: string): Golden["objects"] {
  const kinds = [
    ["StatefulSet", name],
    ["ConfigMap", `${name}-settings`],
  ] as const;
  return kinds.map(([kind, of]) => {
    const { metadata, ...rest } = cluster.get(kind, of) ?? {};
    const { labels, annotations, ownerReferences, namespace } = metadata as Record<string, unknown>;
    return { ...rest, metadata: { name: of, namespace, labels, annotations, ownerReferences } };
  });
}

async function run({ name, network, spec }: Omit<Golden, "objects">): Promise<void> {
  cluster.putNetwork(network);
  cluster.putRunning(name, []);
  cluster.putNode(name, { ...spec, nodeKeySecret: { name: `${name}-own` } });
  await reconcile(cluster.node(name), deps);
}

const release = process.env["KNIT_GOLDEN"];
if (release !== undefined)
  test.each(Object.keys(NODES))(`writes ${release}/%s`, async (label) => {
    const given = NODES[label];
    if (given === undefined) throw new Error(label);
    await run(given);
    mkdirSync(new URL(`${release}/`, DIRECTORY), { recursive: true });
    const text = JSON.stringify({ ...given, objects: objectsOf(given.name) }, undefined, 2);
    writeFileSync(new URL(`${release}/${label}.json`, DIRECTORY), `${text}\n`, { flag: "wx" });
  });

const files = readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".json"),
);

test("there are templates of a release", () => expect(files.length).toBeGreaterThanOrEqual(3));

test.each(files)("%s: an upgrade to this version recreates no pod", async (file) => {
  const golden = JSON.parse(readFileSync(new URL(file, DIRECTORY), "utf8")) as Golden;
  for (const object of golden.objects) cluster.put(object as Parameters<FakeCluster["put"]>[0]);
  const podsAndSettings = () =>
    objectsOf(golden.name).map(({ spec, data }) =>
      JSON.stringify(
        (spec as { template?: object })?.template ??
          (data as Record<string, string> | undefined)?.["knit.yaml"],
      ),
    );
  const before = podsAndSettings();
  await run(golden);
  expect(cluster.node(golden.name).status.rollout).toBeUndefined();
  expect(podsAndSettings()).toEqual(before);
});
