/** The pod of a Node: knit, and beside it the gateway that holds its IPC socket. */
import { annotations, pod } from "../api/names.ts";
import type { Draft, NodeResource, Part } from "../api/resource.ts";
import { GENESIS_FILE, genesisPlace, labelsOf, objectNames, ownedMeta, selectorOf } from "./names.ts";
import { NODE_KEY } from "./secrets.ts";
import { SETTINGS_FILE } from "./settings.ts";

/** What the pod is made of besides the Node itself. */
export interface PodParts {
  /** The node's image when the Node names none. */
  readonly nodeImage: string;
  /** The image with the gateway: the operator's own. */
  readonly gatewayImage: string;
  /** Of everything that the node reads only once; another digest starts the pod anew. */
  readonly digest: string;
}

/** An empty directory on the volume, through which the gateway sees how full the volume is and nothing else. */
const DISK_SUBPATH = ".disk";

/** The StatefulSet, of one pod. */
export function statefulSet(node: NodeResource, parts: PodParts): Draft {
  const names = objectNames(node.meta.name);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: ownedMeta(node, names.statefulSet),
    spec: {
      replicas: 1,
      serviceName: names.peerService,
      selector: { matchLabels: selectorOf(node.meta.name) },
      template: {
        metadata: { labels: labelsOf(node), annotations: { [annotations.settings]: parts.digest } },
        spec: podSpec(node, parts),
      },
    },
  };
}

function podSpec(node: NodeResource, parts: PodParts): Part {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 60,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: pod.user,
      runAsGroup: pod.user,
      fsGroup: pod.user,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    initContainers: [genesisContainer(node, parts), gatewayContainer(parts)],
    containers: [nodeContainer(node, parts)],
    volumes: volumes(node),
  };
}

/** Writes block 0 into an empty volume; one that has it stays as it is. */
function genesisContainer(node: NodeResource, parts: PodParts): Part {
  return {
    ...knitContainer("genesis", node, parts),
    args: ["init", "--datadir", pod.dataDirectory, `${pod.genesisDirectory}/${GENESIS_FILE}`],
    volumeMounts: [
      { name: "data", mountPath: pod.dataDirectory },
      { name: "genesis", mountPath: pod.genesisDirectory, readOnly: true },
    ],
  };
}

function nodeContainer(node: NodeResource, parts: PodParts): Part {
  const { api, p2p } = node.spec;
  return {
    ...knitContainer("node", node, parts),
    args: ["run", "--conf", `${pod.settingsDirectory}/${SETTINGS_FILE}`],
    ports: [
      { name: "p2p", containerPort: p2p.port, protocol: "TCP" },
      ...(api.http.enabled ? [{ name: "http", containerPort: api.http.port, protocol: "TCP" }] : []),
      ...(api.ws.enabled ? [{ name: "ws", containerPort: api.ws.port, protocol: "TCP" }] : []),
      { name: "metrics", containerPort: pod.metricsPort, protocol: "TCP" },
    ],
    startupProbe: { ...asked("/healthz"), periodSeconds: 2, failureThreshold: 150 },
    livenessProbe: { ...asked("/healthz"), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...asked("/readyz"), periodSeconds: 5, failureThreshold: 2 },
    volumeMounts: [
      { name: "data", mountPath: pod.dataDirectory },
      { name: "socket", mountPath: pod.socketDirectory },
      { name: "settings", mountPath: pod.settingsDirectory, readOnly: true },
      { name: "nodekey", mountPath: pod.nodeKeyDirectory, readOnly: true },
    ],
  };
}

function knitContainer(name: string, { spec }: NodeResource, { nodeImage }: PodParts) {
  const { requests, limits } = spec.resources;
  return {
    name,
    image: spec.image ?? nodeImage,
    env: [{ name: "HOME", value: pod.dataDirectory }],
    resources: { requests: amounts(requests), limits: amounts(limits) },
    securityContext: locked(),
  };
}

/**
 * A sidecar: it is there before the node and until after it, so that the operator is told what happens meanwhile. It
 * has no part in the pod's being ready: clients of the node do without it.
 */
function gatewayContainer({ gatewayImage }: PodParts): Part {
  return {
    name: "gateway",
    restartPolicy: "Always",
    image: gatewayImage,
    args: [
      "gateway",
      `--listen=0.0.0.0:${pod.gatewayPort}`,
      `--health-address=0.0.0.0:${pod.gatewayHealthPort}`,
      `--socket=${pod.socket}`,
      `--certificates=${pod.certificateDirectory}`,
      `--data=${pod.diskDirectory}`,
    ],
    env: [{ name: "HOME", value: "/" }],
    ports: [
      { name: "gateway", containerPort: pod.gatewayPort, protocol: "TCP" },
      { name: "gateway-health", containerPort: pod.gatewayHealthPort, protocol: "TCP" },
    ],
    resources: { requests: { cpu: "10m", memory: "80Mi" }, limits: { memory: "192Mi" } },
    livenessProbe: {
      httpGet: { path: "/healthz", port: "gateway-health" },
      timeoutSeconds: 5,
      periodSeconds: 20,
      failureThreshold: 3,
    },
    securityContext: locked(),
    volumeMounts: [
      { name: "socket", mountPath: pod.socketDirectory },
      { name: "certificates", mountPath: pod.certificateDirectory, readOnly: true },
      { name: "data", mountPath: pod.diskDirectory, subPath: DISK_SUBPATH, readOnly: true },
    ],
  };
}

function locked(): Part {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
}

function amounts(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function asked(path: string): Part {
  return { httpGet: { path, port: "metrics" }, timeoutSeconds: 5 };
}

function volumes({ meta, spec }: NodeResource): Part[] {
  const names = objectNames(meta.name);
  const genesis = genesisPlace(spec.network);
  const nodeKey = spec.nodeKeySecret ?? { name: names.nodeKey, key: NODE_KEY };
  return [
    { name: "data", persistentVolumeClaim: { claimName: names.claim } },
    { name: "socket", emptyDir: {} },
    { name: "settings", configMap: { name: names.settings } },
    {
      name: "genesis",
      configMap: { name: genesis.name, items: [{ key: genesis.key, path: GENESIS_FILE }] },
    },
    {
      name: "nodekey",
      secret: {
        secretName: nodeKey.name,
        defaultMode: 0o440,
        items: [{ key: nodeKey.key, path: "nodekey" }],
      },
    },
    { name: "certificates", secret: { secretName: names.gateway, defaultMode: 0o440 } },
  ];
}
