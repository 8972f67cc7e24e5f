/** The settings file of a member's node, and the ConfigMap that contains it, the static nodes and the minimum height. */
import type { V1ConfigMap } from "@kubernetes/client-node";
import { pod } from "../api/names.ts";
import type { DraftOf } from "../api/resource.ts";
import { exposedHosts } from "./exposure.ts";
import {
  type Member,
  objectNames,
  ownedMeta,
  publicNetworkOf,
  sharedNames,
  startsFromSibling,
} from "./names.ts";
import { BLS_KEY, NODE_KEY } from "./secrets.ts";

/** Key of the file in the ConfigMap. */
export const SETTINGS_FILE = "knit.yaml";
/** Key of the list of static nodes in the ConfigMap. */
export const STATIC_NODES_FILE = "static-nodes.json";

/** Key of the minimum height in the ConfigMap. */
export const MIN_HEIGHT_FILE = "min-height";

/** Key of the archive for backups in the ConfigMap. */
export const BACKUP_FILE = "backup.json";

/** Key of the list of siblings that give a copy in the ConfigMap. */
export const SIBLINGS_FILE = "siblings.json";

/** Files beside the settings that change without a new pod template. */
export interface SettingsFacts {
  /** URLs of the node's peers. The node reads them again when they change, and finds its peers without the operator. */
  readonly peers: readonly string[];
  /** True for a core node whose volume contained blocks: it signs nothing on an empty one. */
  readonly hadBlocks: boolean;
  /** Gateways of siblings that can give a copy to an empty volume. */
  readonly siblings?: readonly SiblingGateway[];
}

/** A gateway as a replica reaches it. */
export interface SiblingGateway {
  readonly host: string;
  readonly port: number;
  /** Name in its certificate. */
  readonly name: string;
}

/** Builds the ConfigMap with the settings file, the static nodes and the minimum height. */
export function settingsMap(
  member: Member,
  text: string,
  { peers, hadBlocks, siblings = [] }: SettingsFacts,
): DraftOf<V1ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ownedMeta(member, objectNames(member.name).settings),
    data: {
      [SETTINGS_FILE]: text,
      [STATIC_NODES_FILE]: `${JSON.stringify(peers, undefined, 2)}\n`,
      ...(hadBlocks ? { [MIN_HEIGHT_FILE]: "1\n" } : {}),
      ...backupFile(member),
      ...siblingsFile(member, siblings),
    },
  };
}

/** The siblings, which an empty replica asks at its start. */
function siblingsFile(
  { node: { spec } }: Member,
  siblings: readonly SiblingGateway[],
): Readonly<Record<string, string>> {
  if (!startsFromSibling(spec)) return {};
  const text = JSON.stringify({ siblings, credentials: pod.readerDirectory }, undefined, 2);
  return { [SIBLINGS_FILE]: `${text}\n` };
}

/** The archive for backups, which the node reads at each backup. */
function backupFile({ node: { spec } }: Member): Readonly<Record<string, string>> {
  if (spec.backup === undefined) return {};
  const { to, keep, verify } = spec.backup;
  const credentials = to.credentialsSecret === undefined ? undefined : pod.archiveDirectory;
  return { [BACKUP_FILE]: `${JSON.stringify({ url: to.url, keep, verify, credentials }, undefined, 2)}\n` };
}

/** Formats the settings as YAML, one flag a line. Flags that the pod relies on override those of the Node. */
export function settingsText(member: Member, listenHost = "0.0.0.0"): string {
  const settings = {
    identity: member.name,
    "log.format": "json",
    nodiscover: publicNetworkOf(member.node.spec.network) === undefined,
    ...member.node.spec.settings,
    ...requiredSettings(member, listenHost),
  };
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}\n`)
    .join("");
}

type Setting = string | number | boolean | readonly string[] | undefined;

/** Flags that the pod's probes, ports and volumes rely on. Undefined removes a flag of the Node. */
function requiredSettings(
  { node: { meta, spec } }: Member,
  listenHost: string,
): Readonly<Record<string, Setting>> {
  const { http, ws, hosts, origins, privileged } = spec.api;
  const network = publicNetworkOf(spec.network);
  return {
    ...(network === undefined ? {} : { [network]: true }),
    ...(spec.p2p.externalAddress === undefined ? {} : { nat: `extip:${spec.p2p.externalAddress}` }),
    type: spec.type,
    datadir: pod.dataDirectory,
    ...copySettings(spec),
    networkid: network === undefined ? spec.network.networkId : undefined,
    nodekey: `${pod.nodeKeyDirectory}/${NODE_KEY}`,
    nodekeyhex: undefined,
    "bls-nodekey":
      spec.nodeKeySecret?.blsKey === undefined ? undefined : `${pod.nodeKeyDirectory}/${BLS_KEY}`,
    "bls-nodekeyhex": undefined,
    port: spec.p2p.port,
    "p2p.static-nodes-file": `${pod.settingsDirectory}/${STATIC_NODES_FILE}`,
    "consensus.min-height-file":
      spec.type === "core" ? `${pod.settingsDirectory}/${MIN_HEIGHT_FILE}` : undefined,
    maxconnections: spec.p2p.maxPeers,
    rewardbase: spec.rewardAddress,
    rpc: http.enabled,
    rpcaddr: listenHost,
    rpcport: http.port,
    rpcapi: http.modules,
    rpcvhosts: ["localhost", ...serviceHosts(meta.name, meta.namespace), ...hosts, ...exposedHosts(spec)],
    ...(origins === undefined ? {} : { rpccorsdomain: origins, wsorigins: origins }),
    ws: ws.enabled,
    wsaddr: listenHost,
    wsport: ws.port,
    wsapi: ws.modules,
    "rpc.ipc-only-privileges": !privileged,
    ipcdisable: false,
    ipcpath: pod.socket,
    metrics: true,
    prometheus: true,
    prometheusport: pod.metricsPort,
  };
}

/** Flags of a start from a copy, which an init container has on a chain with a genesis file, and of backups. */
function copySettings(spec: Member["node"]["spec"]): Readonly<Record<string, Setting>> {
  const isPublic = publicNetworkOf(spec.network) !== undefined;
  const { url, creator } = (isPublic ? spec.bootstrap : undefined) ?? {};
  const asks = isPublic && startsFromSibling(spec);
  return {
    bootstrap: url,
    "bootstrap.genesis-hash": undefined,
    "bootstrap.creator": creator,
    "bootstrap.siblings": asks ? `${pod.settingsDirectory}/${SIBLINGS_FILE}` : undefined,
    "backup.file": spec.backup === undefined ? undefined : `${pod.settingsDirectory}/${BACKUP_FILE}`,
  };
}

function serviceHosts(name: string, namespace: string): string[] {
  const short = sharedNames(name).rpcService;
  const service = `${short}.${namespace}.svc`;
  return [short, `${short}.${namespace}`, service, `${service}.cluster.local`];
}
