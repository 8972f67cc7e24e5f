/** The StatefulSet and the pod template of a member: the node, its init container and the gateway sidecar. */
import { basename } from "node:path/posix";
import type {
  V1Container,
  V1EnvVar,
  V1KeyToPath,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Probe,
  V1ResourceRequirements,
  V1StatefulSet,
  V1Volume,
} from "@kubernetes/client-node";
import { annotations, pod, readerFiles } from "../api/names.ts";
import { storeVariables } from "../api/node-bootstrap.ts";
import type { DraftOf, NodeResource } from "../api/resource.ts";
import {
  DISCOVERY_PORT,
  GENESIS_FILE,
  genesisConfigMap,
  isDiscovering,
  type Member,
  memberLabels,
  memberSelector,
  objectNames,
  ownedMeta,
  publicNetworkOf,
  sharedNames,
  startsFromSibling,
} from "./names.ts";
import { schedulingFields } from "./placement.ts";
import { restrictedSecurityContext, withAdditions } from "./pod-additions.ts";
import { BLS_KEY, NODE_KEY } from "./secrets.ts";
import { SETTINGS_FILE, SIBLINGS_FILE } from "./settings.ts";
import type { PodInputs } from "./template.ts";

/** Choices of the operator for pods of all Nodes. A change takes effect when a pod is next recreated. */
export interface PodDefaults {
  readonly nodePullPolicy?: V1Container["imagePullPolicy"] | undefined;
  readonly gatewayPullPolicy?: V1Container["imagePullPolicy"] | undefined;
  /** Names of pull secrets, in the namespaces of the Nodes. */
  readonly pullSecrets?: readonly string[] | undefined;
  /** True when the cluster assigns user and group ids to pods, as OpenShift does. */
  readonly assignsIds?: boolean | undefined;
  /** Host on which nodes and gateways listen: `::` where there is IPv6; `0.0.0.0` when absent. */
  readonly listenHost?: string | undefined;
}

/** Inputs of the pod template besides the Node. */
export interface PodOptions extends PodDefaults {
  /** The node's image when the Node names none. */
  readonly nodeImage: string;
  /** The gateway's image when the Node names none: the operator's own. */
  readonly gatewayImage: string;
  /** Digest of everything that the node reads at start-up; another digest recreates the pod. */
  readonly digest: string;
  /** Address of the node key. */
  readonly address: string | undefined;
  /** Time of the last requested restart. */
  readonly restart?: string | undefined;
}

const TERMINATION_GRACE_SECONDS = 300;

/** Returns the seconds that a pod has to terminate: `save-cache`, then the shutdown of the node. */
export function graceSeconds({ spec }: NodeResource): number {
  return spec.terminationGracePeriodSeconds ?? TERMINATION_GRACE_SECONDS;
}

/** Returns the time limit of `save-cache` in seconds; blocks and calls are served meanwhile. */
function saveCacheSeconds(node: NodeResource): number {
  return Math.floor(graceSeconds(node) * 0.8);
}

/** An empty directory on the volume, by which the gateway measures free space without access to any file. */
const DISK_SUBPATH = ".disk";

/** Builds the pod template of a member. */
export function podTemplate(member: Member, options: PodOptions): V1PodTemplateSpec {
  const template = {
    metadata: { labels: memberLabels(member), annotations: templateAnnotations(options) },
    spec: podSpec(member, options),
  };
  return withAdditions(template, member.node.spec.podTemplate);
}

function templateAnnotations({ digest, address, restart }: PodOptions): Record<string, string> {
  return {
    [annotations.settings]: digest,
    "kubectl.kubernetes.io/default-container": "node",
    ...(address === undefined ? {} : { [annotations.address]: address }),
    ...(restart === undefined ? {} : { [annotations.restart]: restart }),
  };
}

/** Inputs that a StatefulSet records besides its template: the settings file, and those for a rollback. */
export interface RecordedInputs {
  readonly settings?: string | undefined;
  readonly former?: PodInputs | undefined;
}

/** Builds the StatefulSet of a member: one replica, or none while the Node is suspended. */
export function statefulSet(
  member: Member,
  template: V1PodTemplateSpec,
  { settings, former }: RecordedInputs = {},
): DraftOf<V1StatefulSet> {
  const { node, name } = member;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...ownedMeta(member, objectNames(name).statefulSet),
      annotations: {
        [annotations.template]: JSON.stringify(template),
        ...(settings === undefined ? {} : { [annotations.settingsFile]: settings }),
        ...(former === undefined ? {} : { [annotations.former]: JSON.stringify(former) }),
      },
    },
    spec: {
      replicas: node.spec.suspend ? 0 : 1,
      serviceName: sharedNames(node.meta.name).membersService,
      // OrderedReady would wait for a pod that never becomes ready instead of replacing it.
      podManagementPolicy: "Parallel",
      selector: { matchLabels: memberSelector(member) },
      template,
    },
  };
}

function podSpec(member: Member, options: PodOptions): V1PodSpec {
  const { node } = member;
  return {
    serviceAccountName: sharedNames(node.meta.name).serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds(node),
    ...pullSecretsOf(node, options),
    ...schedulingFields(node),
    securityContext: {
      runAsNonRoot: true,
      ...(options.assignsIds === true
        ? {}
        : { runAsUser: pod.user, runAsGroup: pod.user, fsGroup: pod.user }),
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    initContainers: [
      ...(publicNetworkOf(node.spec.network) === undefined ? [genesisContainer(node, options)] : []),
      gatewayContainer(node, options),
    ],
    containers: [nodeContainer(node, options)],
    volumes: volumes(member),
  };
}

/** Lists the pull secrets of the Node, of its Network and of the operator, each once. */
function pullSecretsOf(
  { spec }: NodeResource,
  { pullSecrets = [] }: PodOptions,
): Pick<V1PodSpec, "imagePullSecrets"> {
  const names = new Set([...(spec.imagePullSecrets ?? []).map(({ name }) => name), ...pullSecrets]);
  return names.size === 0 ? {} : { imagePullSecrets: [...names].map((name) => ({ name })) };
}

/** The certificate for siblings in the container that fills the volume, without the gateway's key beside it. */
const readerMounts = Object.values(readerFiles).map((file) => ({
  name: "certificates",
  mountPath: `${pod.readerDirectory}/${file}`,
  subPath: file,
  readOnly: true,
}));

/** Fills an empty volume with a checkpoint or block 0; a volume with a chain stays unchanged. */
function genesisContainer(node: NodeResource, options: PodOptions): V1Container {
  const container = knitContainer("genesis", node, options);
  const { url, creator } = node.spec.bootstrap ?? {};
  return {
    ...container,
    env: [...(container.env ?? []), ...storeEnvironment(node)],
    args: [
      "init",
      "--datadir",
      pod.dataDirectory,
      ...(url === undefined ? [] : ["--bootstrap", url]),
      ...(creator === undefined ? [] : ["--bootstrap.creator", creator]),
      ...(startsFromSibling(node.spec)
        ? ["--bootstrap.siblings", `${pod.settingsDirectory}/${SIBLINGS_FILE}`]
        : []),
      `${pod.genesisDirectory}/${GENESIS_FILE}`,
    ],
    volumeMounts: [
      { name: "data", mountPath: pod.dataDirectory },
      { name: "genesis", mountPath: pod.genesisDirectory, readOnly: true },
      ...(startsFromSibling(node.spec)
        ? [{ name: "settings", mountPath: pod.settingsDirectory, readOnly: true }, ...readerMounts]
        : []),
    ],
  };
}

function nodeContainer(node: NodeResource, options: PodOptions): V1Container {
  const { api, p2p } = node.spec;
  const machine = p2p.external === "HostPort" ? { hostPort: p2p.port } : {};
  const container = knitContainer("node", node, options);
  return {
    ...container,
    env: [
      ...(container.env ?? []),
      ...expectedAddress(options),
      ...announcedMachine(node),
      ...(publicNetworkOf(node.spec.network) === undefined ? [] : storeEnvironment(node)),
    ],
    args: ["run", "--conf", `${pod.settingsDirectory}/${SETTINGS_FILE}`],
    ports: [
      { name: "p2p", containerPort: p2p.port, ...machine, protocol: "TCP" },
      ...(api.http.enabled ? [{ name: "http", containerPort: api.http.port, protocol: "TCP" }] : []),
      ...(api.ws.enabled ? [{ name: "ws", containerPort: api.ws.port, protocol: "TCP" }] : []),
      { name: "metrics", containerPort: pod.metricsPort, protocol: "TCP" },
      ...(isDiscovering(node.spec)
        ? [{ name: DISCOVERY_PORT, containerPort: p2p.port, ...machine, protocol: "UDP" }]
        : []),
    ],
    startupProbe: { ...probe("/healthz"), periodSeconds: 2, failureThreshold: startSeconds(node) / 2 },
    livenessProbe: { ...probe("/healthz"), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe("/readyz"), periodSeconds: 5, failureThreshold: 2 },
    ...lifecycleOf(node),
    volumeMounts: [
      { name: "data", mountPath: pod.dataDirectory },
      { name: "socket", mountPath: pod.socketDirectory },
      { name: "settings", mountPath: pod.settingsDirectory, readOnly: true },
      { name: "nodekey", mountPath: pod.nodeKeyDirectory, readOnly: true },
      ...(publicNetworkOf(node.spec.network) !== undefined && startsFromSibling(node.spec)
        ? readerMounts
        : []),
    ],
  };
}

/** Returns the seconds that a node has to start: on a public network it fills an empty volume with a copy itself. */
function startSeconds({ spec }: NodeResource): number {
  const hasCopy = spec.bootstrap?.url !== undefined || startsFromSibling(spec);
  return hasCopy && publicNetworkOf(spec.network) !== undefined ? 12 * 3_600 : 300;
}

/**
 * The address of the node key, which the node compares with the key that it reads: the Secret can change after the
 * operator has looked at it. No setting: an older image in `spec.image` would refuse it.
 */
function expectedAddress({ address }: PodOptions): V1EnvVar[] {
  return address === undefined ? [] : [{ name: pod.addressVariable, value: address }];
}

/** Has the node announce the address of its machine, where its port is that of the machine and no address is set. */
function announcedMachine({ spec: { p2p, settings } }: NodeResource): V1EnvVar[] {
  const isSet = p2p.externalAddress !== undefined || settings["nat"] !== undefined;
  if (p2p.external !== "HostPort" || isSet) return [];
  return [
    { name: "HOST_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    { name: pod.natVariable, value: "extip:$(HOST_IP)" },
  ];
}

/** The store's variables from the Secret with its credentials, for the container that fills the volume. */
function storeEnvironment({ spec }: NodeResource): V1EnvVar[] {
  const name = spec.bootstrap?.credentialsSecret;
  if (name === undefined) return [];
  return storeVariables.map((key) => ({
    name: key,
    valueFrom: { secretKeyRef: { name, key, optional: true } },
  }));
}

/** Saves the trie cache before the node receives SIGTERM, so that the next pod starts with a warm cache. */
function lifecycleOf(node: NodeResource): Pick<V1Container, "lifecycle"> {
  if (!node.spec.maintenance.trieCache.onShutdown) return {};
  const timeout = `${saveCacheSeconds(node)}s`;
  const command = [...pod.program, "save-cache", "--endpoint", pod.socket, "--timeout", timeout];
  return { lifecycle: { preStop: { exec: { command } } } };
}

function knitContainer(name: string, { spec }: NodeResource, options: PodOptions): V1Container {
  return {
    name,
    image: spec.image ?? options.nodeImage,
    ...pullPolicy(spec.imagePullPolicy ?? options.nodePullPolicy),
    env: [{ name: "HOME", value: pod.dataDirectory }],
    resources: resourcesOf(spec.resources),
    securityContext: restrictedSecurityContext(),
    // The status of a failed container ends with its log.
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}

const GATEWAY_RESOURCES = { requests: { cpu: "10m", memory: "80Mi" }, limits: { memory: "192Mi" } };

/**
 * The gateway as a sidecar. It starts before the node and ends after it, so that the operator can observe start-up and
 * shutdown. It has no readiness probe, because clients of the node do not depend on it.
 */
function gatewayContainer({ spec }: NodeResource, options: PodOptions): V1Container {
  const { image = options.gatewayImage, imagePullPolicy, resources } = spec.gateway;
  const host = options.listenHost === "::" ? "[::]" : "0.0.0.0";
  return {
    name: "gateway",
    restartPolicy: "Always",
    image,
    ...pullPolicy(imagePullPolicy ?? options.gatewayPullPolicy),
    args: [
      "gateway",
      `--listen=${host}:${pod.gatewayPort}`,
      `--health-address=${host}:${pod.gatewayHealthPort}`,
      `--socket=${pod.socket}`,
      `--certificates=${pod.certificateDirectory}`,
      `--data=${pod.diskDirectory}`,
    ],
    env: [
      { name: "HOME", value: "/" },
      // No argument: an older image in `spec.gateway.image` would refuse it.
      { name: pod.readinessVariable, value: `http://127.0.0.1:${pod.metricsPort}/readyz` },
    ],
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
    securityContext: restrictedSecurityContext(),
    volumeMounts: [
      { name: "socket", mountPath: pod.socketDirectory },
      { name: "certificates", mountPath: pod.certificateDirectory, readOnly: true },
      { name: "data", mountPath: pod.diskDirectory, subPath: DISK_SUBPATH, readOnly: true },
    ],
  };
}

function pullPolicy(given: V1Container["imagePullPolicy"]): Pick<V1Container, "imagePullPolicy"> {
  return given === undefined ? {} : { imagePullPolicy: given };
}

function resourcesOf({ requests, limits }: Resources): V1ResourceRequirements {
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

function probe(path: string): V1Probe {
  return { httpGet: { path, port: "metrics" }, timeoutSeconds: 5 };
}

function volumes({ node: { spec }, name }: Member): V1Volume[] {
  const names = objectNames(name);
  const genesis = genesisConfigMap(spec.network);
  const nodeKey = spec.nodeKeySecret ?? { name: names.nodeKey, key: NODE_KEY, blsKey: undefined };
  const blsKey = nodeKey.blsKey === undefined ? [] : [{ key: nodeKey.blsKey, path: BLS_KEY }];
  return [
    { name: "data", persistentVolumeClaim: { claimName: names.claim } },
    { name: "socket", emptyDir: {} },
    { name: "settings", configMap: { name: names.settings } },
    ...(publicNetworkOf(spec.network) === undefined
      ? [
          {
            name: "genesis",
            configMap: { name: genesis.name, items: [{ key: genesis.key, path: GENESIS_FILE }] },
          },
        ]
      : []),
    nodeKeyVolume(
      nodeKey.name,
      [{ key: nodeKey.key, path: NODE_KEY }, ...blsKey],
      spec.backup?.to.credentialsSecret,
    ),
    { name: "certificates", secret: { secretName: names.gateway, defaultMode: 0o440 } },
  ];
}

/** The node key, and beside it the keys of the archive for backups. The node runs without those: a backup fails. */
function nodeKeyVolume(secretName: string, items: V1KeyToPath[], archive: string | undefined): V1Volume {
  if (archive === undefined) return { name: "nodekey", secret: { secretName, defaultMode: 0o440, items } };
  const directory = basename(pod.archiveDirectory);
  const keys = storeVariables.map((key) => ({ key, path: `${directory}/${key}` }));
  const sources = [
    { secret: { name: secretName, items } },
    { secret: { name: archive, items: keys, optional: true } },
  ];
  return { name: "nodekey", projected: { defaultMode: 0o440, sources } };
}
