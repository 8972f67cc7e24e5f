/** The objects of a Node: what keeps them safe and what must fit together. */
import { expect, test } from "@jest/globals";
import { type Draft, readNode } from "../../../operator/api/resource.ts";
import { volumeClaim } from "../../../operator/build/claim.ts";
import { networkPolicy } from "../../../operator/build/network-policy.ts";
import { nodeKeySecret } from "../../../operator/build/secrets.ts";
import { peerService, rpcService } from "../../../operator/build/services.ts";
import { statefulSet } from "../../../operator/build/stateful-set.ts";

const PARTS = { nodeImage: "knit:1", gatewayImage: "operator:1", digest: "d" };

function aNode(spec: object = {}) {
  const metadata = { name: "first", namespace: "demo", uid: "u", resourceVersion: "1" };
  return readNode({ metadata, spec: { type: "endpoint", network: { name: "n" }, ...spec } });
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly [kind: string]: unknown }[];
  readonly securityContext: object;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly securityContext: object;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly subPath?: string }[];
}

function podOf(draft: Draft): PodSpec {
  return (draft["spec"] as { template: { spec: PodSpec } }).template.spec;
}

const owners = (draft: Draft): number => draft.metadata.ownerReferences?.length ?? 0;

const named = (draft: Draft | undefined): string[] =>
  (draft?.["spec"] as { ports: { targetPort: string }[] } | undefined)?.ports.map(
    ({ targetPort }) => targetPort,
  ) ?? [];

test("every container is locked down, and mounts volumes that there are", () => {
  const pod = podOf(statefulSet(aNode(), PARTS));
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
  const volumes = new Set(pod.volumes.map(({ name }) => name));
  for (const { name, securityContext, volumeMounts } of [...pod.initContainers, ...pod.containers]) {
    const locked = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    };
    expect([name, securityContext]).toEqual([name, locked]);
    for (const mount of volumeMounts)
      expect([mount.name, volumes.has(mount.name)]).toEqual([mount.name, true]);
  }
});

test("the gateway sees the socket, its certificate and how full the volume is, not the chain, nor the node key", () => {
  const gateway = podOf(statefulSet(aNode(), PARTS)).initContainers.find(({ name }) => name === "gateway");
  expect(gateway?.image).toBe("operator:1");
  expect(gateway?.volumeMounts.map(({ name, subPath = "" }) => `${name}/${subPath}`)).toEqual([
    "socket/",
    "certificates/",
    "data/.disk",
  ]);
});

test("the gateway is a sidecar: it outlives the node, and clients of the node do not depend on it", () => {
  const gateway = podOf(statefulSet(aNode(), PARTS)).initContainers.at(-1);
  expect(gateway).toMatchObject({ name: "gateway", restartPolicy: "Always" });
  expect(gateway).not.toHaveProperty("readinessProbe");
  expect(gateway).not.toHaveProperty("startupProbe");
});

test("a Node's own image, Secret and genesis are used where they are named", () => {
  const pod = podOf(
    statefulSet(
      aNode({
        image: "mine:2",
        nodeKeySecret: { name: "my-key", key: "k" },
        network: { name: "n", genesis: { configMap: { name: "my-genesis", key: "g" } } },
      }),
      PARTS,
    ),
  );
  const images = [...pod.initContainers, ...pod.containers].map(({ image }) => image);
  expect(images).toEqual(["mine:2", "operator:1", "mine:2"]);
  expect(pod.volumes).toContainEqual(
    expect.objectContaining({
      secret: expect.objectContaining({ secretName: "my-key", items: [{ key: "k", path: "nodekey" }] }),
    }),
  );
  expect(pod.volumes).toContainEqual(
    expect.objectContaining({
      configMap: { name: "my-genesis", items: [{ key: "g", path: "genesis.json" }] },
    }),
  );
});

test("Services name ports that the pod has, and only those that are served", () => {
  const node = aNode({ api: { ws: { enabled: true } } });
  const { initContainers, containers } = podOf(statefulSet(node, PARTS));
  const ports = [...initContainers, ...containers].flatMap(({ ports: each = [] }) =>
    each.map(({ name }) => name),
  );
  expect(named(peerService(node)).filter((name) => !ports.includes(name))).toEqual([]);
  expect(named(rpcService(node))).toEqual(["http", "ws"]);
  expect(named(rpcService(aNode()))).toEqual(["http"]);
  expect(rpcService(aNode({ api: { http: { enabled: false } } }))).toBeUndefined();
});

test("only the operator's pods are let to the gateway", () => {
  const { ingress } = networkPolicy(aNode(), "knit-system")["spec"] as {
    ingress: { from?: unknown; ports: { port: number }[] }[];
  };
  const open = ingress
    .filter(({ from }) => from === undefined)
    .flatMap(({ ports }) => ports.map(({ port }) => port));
  expect(open).toEqual([32_323, 61_001, 7_444, 8_551]);
  const guarded = ingress.filter(({ from }) => from !== undefined);
  expect(guarded.map(({ ports }) => ports[0]?.port)).toEqual([7_443]);
  expect(JSON.stringify(guarded)).toContain('"kubernetes.io/metadata.name":"knit-system"');
});

test("volume and key have no owner, unless they are to go with the Node", () => {
  expect([volumeClaim(aNode()), nodeKeySecret(aNode(), "k")].map(owners)).toEqual([0, 0]);
  const node = aNode({ whenDeleted: "Delete" });
  expect([volumeClaim(node), nodeKeySecret(node, "k")].map(owners)).toEqual([1, 1]);
});
