/** The pod of a Node: knit, and beside it the gateway that holds its IPC socket. */
import { annotations, pod } from "../api/names.ts";
import type { Draft, NodeResource, Part } from "../api/resource.ts";
import { GRACE_SECONDS, handOver } from "./hand-over.ts";
import {
  GENESIS_FILE,
  genesisPlace,
  type Member,
  memberLabels,
  memberSelector,
  objectNames,
  ownedMeta,
  sharedNames,
} from "./names.ts";
import { placementOf } from "./placement.ts";
import { BLS_KEY, NODE_KEY } from "./secrets.ts";
import { SETTINGS_FILE } from "./settings.ts";

/** What the pod is made of besides the Node itself. */
export interface PodParts {
  /** The node's image when the Node names none. */
  readonly nodeImage: string;
  /** The image with the gateway when the Node names none: the operator's own. */
  readonly gatewayImage: string;
  /** Of everything that the node reads only once; another digest starts the pod anew. */
  readonly digest: string;
  /** The address that the node signs with. */
  readonly address: string | undefined;
}

/** An empty directory on the volume, through which the gateway sees how full the volume is and nothing else. */
const DISK_SUBPATH = ".disk";

/** The pod's template of a member. */
export function podTemplate(member: Member, parts: PodParts): Part {
  return {
    metadata: { labels: memberLabels(member), annotations: notesOf(parts) },
    spec: podSpec(member, parts),
  };
}

function notesOf({ digest, address }: PodParts): Record<string, string> {
  return {
    [annotations.settings]: digest,
    ...(address === undefined ? {} : { [annotations.address]: address }),
  };
}

/** The StatefulSet of a member, of one pod or, while the Node is suspended, none. */
export function statefulSet(member: Member, template: Part): Draft {
  const { node, name } = member;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...ownedMeta(member, objectNames(name).statefulSet),
      annotations: { [annotations.template]: JSON.stringify(template) },
    },
    spec: {
      replicas: node.spec.suspend ? 0 : 1,
      serviceName: sharedNames(node.meta.name).membersService,
      // A pod that never became ready is replaced all the same, with OrderedReady it would be waited for.
      podManagementPolicy: "Parallel",
      selector: { matchLabels: memberSelector(member) },
      template,
    },
  };
}

function podSpec(member: Member, parts: PodParts): Part {
  const { node } = member;
  return {
    serviceAccountName: sharedNames(node.meta.name).serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...placementOf(node),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: pod.user,
      runAsGroup: pod.user,
      fsGroup: pod.user,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    initContainers: [genesisContainer(node, parts), gatewayContainer(node, parts)],
    containers: [nodeContainer(node, parts)],
    volumes: volumes(member),
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
    ...handOver(node),
    volumeMounts: [
      { name: "data", mountPath: pod.dataDirectory },
      { name: "socket", mountPath: pod.socketDirectory },
      { name: "settings", mountPath: pod.settingsDirectory, readOnly: true },
      { name: "nodekey", mountPath: pod.nodeKeyDirectory, readOnly: true },
    ],
  };
}

function knitContainer(name: string, { spec }: NodeResource, { nodeImage }: PodParts) {
  return {
    name,
    image: spec.image ?? nodeImage,
    env: [{ name: "HOME", value: pod.dataDirectory }],
    resources: resourcesOf(spec.resources),
    securityContext: locked(),
  };
}

const GATEWAY_RESOURCES = { requests: { cpu: "10m", memory: "80Mi" }, limits: { memory: "192Mi" } };

/**
 * A sidecar: it is there before the node and until after it, so that the operator is told what happens meanwhile. It
 * has no part in the pod's being ready: clients of the node do without it.
 */
function gatewayContainer({ spec }: NodeResource, { gatewayImage }: PodParts): Part {
  const { image = gatewayImage, resources } = spec.gateway;
  return {
    name: "gateway",
    restartPolicy: "Always",
    image,
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
    resources: resourcesOf({
      requests: { ...GATEWAY_RESOURCES.requests, ...amounts(resources.requests) },
      limits: { ...GATEWAY_RESOURCES.limits, ...amounts(resources.limits) },
    }),
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

function resourcesOf({ requests, limits }: Resources): Part {
  return { requests: amounts(requests), limits: amounts(limits) };
}

type Amounts = Readonly<Record<string, string | undefined>>;

interface Resources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function amounts(given: Amounts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function asked(path: string): Part {
  return { httpGet: { path, port: "metrics" }, timeoutSeconds: 5 };
}

function volumes({ node: { spec }, name }: Member): Part[] {
  const names = objectNames(name);
  const genesis = genesisPlace(spec.network);
  const nodeKey = spec.nodeKeySecret ?? { name: names.nodeKey, key: NODE_KEY, blsKey: undefined };
  const blsKey = nodeKey.blsKey === undefined ? [] : [{ key: nodeKey.blsKey, path: BLS_KEY }];
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
        items: [{ key: nodeKey.key, path: NODE_KEY }, ...blsKey],
      },
    },
    { name: "certificates", secret: { secretName: names.gateway, defaultMode: 0o440 } },
  ];
}
