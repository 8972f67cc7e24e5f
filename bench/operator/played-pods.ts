/**
 * Plays the pods of all StatefulSets: each gets a pod with a loopback address of its own, where the real gateway
 * stands in front of a played node. This process is their controller, scheduler and kubelet.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { V1Pod, V1PodSpec } from "@kubernetes/client-node";
import type { DraftOf } from "../../operator/api/resource.ts";
import { identityOf } from "../../operator/build/identity.ts";
import { openGateway } from "../../operator/gateway/gateway.ts";
import type { CachedObject } from "../../operator/kube/cached-object.ts";
import type { KubeClient } from "../../operator/kube/client.ts";
import { openReflector } from "../../operator/kube/reflector.ts";
import { kinds } from "../../operator/kube/resources.ts";
import { pause, systemClock } from "../../operator/observe/clock.ts";
import type { GatewayMetrics } from "../../operator/observe/gateway-metrics.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { WorkQueue } from "../../operator/runtime/queue.ts";
import { openPlayedNode, type PlayedNode } from "./played-node.ts";

/** Options of played pods. */
export interface PlayOptions {
  readonly client: KubeClient;
  readonly directory: string;
  /** Label selector of the StatefulSets. */
  readonly selector: string;
}

/** Pods that are played. */
export interface PlayedPods extends AsyncDisposable {
  count(): number;
  nodes(): readonly PlayedNode[];
}

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
}

interface StatefulSet {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: Readonly<Record<string, string>>;
      };
      readonly spec: V1PodSpec & { readonly volumes: readonly Volume[] };
    };
  };
}

const GATEWAY_PORT = 7443;
const AT_ONCE = 16;
const CONDITIONS = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];

/** Begins to play. */
export async function openPlayedPods({ client, directory, selector }: PlayOptions): Promise<PlayedPods> {
  await using parts = new AsyncDisposableStack();
  const members = parts.use(new AsyncDisposableStack());
  const played = new Set<string>();
  const nodes: PlayedNode[] = [];
  const play = async (key: string): Promise<undefined> => {
    const seen = sets.get(key);
    if (seen === undefined || played.has(key)) return undefined;
    played.add(key);
    const place = join(directory, String(played.size));
    const address = addressOf(played.size);
    const set = seen.object as StatefulSet; // the API server's answer
    nodes.push(members.use(await openMember(client, set, { place, address })));
    await makePod(client, set, address);
    return undefined;
  };
  const queue = new WorkQueue({
    work: play,
    onFailure: (key, error) => process.stderr.write(`${key}: ${String(error)}\n`),
    concurrency: AT_ONCE,
    clock: systemClock,
    chance: Math.random,
  });
  const sets = openReflector({
    client,
    selection: { kind: kinds.statefulSet, namespace: undefined, labelSelector: selector },
    onChange: (now: CachedObject | undefined) => now && queue.add(`${now.meta.namespace}/${now.meta.name}`),
    log: silentLog,
    pause,
  });
  parts.use(queue);
  parts.use(sets);
  await sets.synced;
  const open = parts.move();
  return { count: () => played.size, nodes: () => nodes, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Gateways of one process would otherwise count into registries of their own, a thousand of them. */
const uncounted: GatewayMetrics = {
  call: () => undefined,
  countRefusal: () => undefined,
  connections: () => undefined,
  certificateEnds: () => undefined,
  declarations: () => [],
  render: () => Promise.resolve(""),
  contentType: "text/plain",
};

/** Networks of its own, so that other tests and other benches on this machine are not met. */
const NETWORK = 64 + (process.pid % 128);

function addressOf(index: number): string {
  return `127.${NETWORK}.${index >> 7}.${(index & 127) + 1}`;
}

/** The node and its gateway, with the key and the certificate that the pod would mount. */
async function openMember(
  client: KubeClient,
  { metadata: { namespace }, spec }: StatefulSet,
  { place, address }: { readonly place: string; readonly address: string },
): Promise<PlayedNode> {
  await using parts = new AsyncDisposableStack();
  const certificates = join(place, "certificates");
  mkdirSync(certificates, { recursive: true });
  const files = async (volume: string): Promise<ReadonlyMap<string, string>> => {
    const name = spec.template.spec.volumes.find((each) => each.name === volume)?.secret?.secretName ?? "";
    const secret = (await client.get(kinds.secret, { namespace, name })) as { data: Record<string, string> };
    return new Map(
      Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
    );
  };
  const [nodeKey = ""] = (await files("nodekey")).values();
  for (const [name, text] of await files("certificates")) writeFileSync(join(certificates, name), text);
  const node = parts.use(await openPlayedNode(join(place, "ipc"), identityOf(nodeKey)?.id ?? ""));
  parts.use(
    await openGateway({
      host: address,
      port: GATEWAY_PORT,
      socketPath: node.socketPath,
      certificates,
      dataDirectory: place,
      log: silentLog,
      metrics: uncounted,
      clock: systemClock,
    }),
  );
  const open = parts.move();
  return { ...node, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function makePod(client: KubeClient, { metadata, spec }: StatefulSet, address: string): Promise<void> {
  const place = { name: `${metadata.name}-0`, namespace: metadata.namespace };
  const head = { apiVersion: kinds.pod.apiVersion, kind: kinds.pod.kind };
  const { labels, annotations } = spec.template.metadata;
  const pod: DraftOf<V1Pod> = {
    ...head,
    metadata: { ...place, labels, annotations },
    spec: { ...spec.template.spec, nodeName: "node-1" },
  };
  await client.create(pod);
  await client.applyStatus({
    ...head,
    metadata: place,
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: CONDITIONS.map((type) => ({ type, status: "True" })),
    },
  });
}
