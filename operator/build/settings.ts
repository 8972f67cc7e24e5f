/** knit's settings file for a member, and the ConfigMap that holds it. */
import { pod } from "../api/names.ts";
import type { Draft } from "../api/resource.ts";
import { type Member, objectNames, ownedMeta, sharedNames } from "./names.ts";
import { BLS_KEY, NODE_KEY } from "./secrets.ts";

/** The file's name in the ConfigMap. */
export const SETTINGS_FILE = "knit.yaml";

/** The ConfigMap with the settings. */
export function settingsMap(member: Member): Draft {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ownedMeta(member, objectNames(member.name).settings),
    data: { [SETTINGS_FILE]: settingsText(member) },
  };
}

/** The settings as YAML, a flag a line: the Node's own ones, then those that nobody can replace. */
export function settingsText(member: Member): string {
  const settings = {
    identity: member.name,
    "log.format": "json",
    nodiscover: true,
    ...member.node.spec.settings,
    ...fixed(member),
  };
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** What the pod's other parts rely on. */
function fixed({ node: { meta, spec } }: Member): Record<string, unknown> {
  const { http, ws, hosts, privileged } = spec.api;
  return {
    type: spec.type,
    datadir: pod.dataDirectory,
    networkid: spec.network.networkId,
    nodekey: `${pod.nodeKeyDirectory}/${NODE_KEY}`,
    nodekeyhex: undefined,
    "bls-nodekey":
      spec.nodeKeySecret?.blsKey === undefined ? undefined : `${pod.nodeKeyDirectory}/${BLS_KEY}`,
    "bls-nodekeyhex": undefined,
    port: spec.p2p.port,
    maxconnections: spec.p2p.maxPeers,
    rewardbase: spec.rewardAddress,
    rpc: http.enabled,
    rpcaddr: "0.0.0.0",
    rpcport: http.port,
    rpcapi: http.modules,
    rpcvhosts: ["localhost", ...serviceHosts(meta.name, meta.namespace), ...hosts],
    ws: ws.enabled,
    wsaddr: "0.0.0.0",
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

function serviceHosts(name: string, namespace: string): string[] {
  const short = sharedNames(name).rpcService;
  const service = `${short}.${namespace}.svc`;
  return [short, `${short}.${namespace}`, service, `${service}.cluster.local`];
}
