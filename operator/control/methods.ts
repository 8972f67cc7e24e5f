/** Allow-list of the control channel, one row per method. The gateway rejects everything else. */
import { isIPv6 } from "node:net";

/** Parameters of a method. */
export type Parameters = "none" | "node-url" | "council-vote";

/** A method of the control channel. */
export interface ControlRow {
  readonly takes: Parameters;
  /** Maximum size of the response in bytes, with its envelope. */
  readonly answerBytes: number;
  /** True for maintenance: one such call at a time, never repeated. */
  readonly maintenance: boolean;
  /** Component that responds. */
  readonly by: "node" | "gateway";
  /** Name that the gateway calls, where a profile of the node lacks the method's own. */
  readonly alias?: string;
}

const SHORT = 64 * 1024;
/** Response size for a thousand peers with names, addresses and protocols. */
const PEERS = 2 * 1024 * 1024;
/** Response size for the node ids of four thousand peers. */
const REPORT = 640 * 1024;

const asked = { takes: "none", answerBytes: SHORT, maintenance: false, by: "node" } as const;
const peer = { ...asked, takes: "node-url" } as const;
const maintenance = { ...asked, maintenance: true } as const;
const vote = { ...maintenance, takes: "council-vote" } as const;

/** The allow-list. */
export const controlMethods = {
  admin_nodeInfo: asked,
  admin_peers: { ...asked, answerBytes: PEERS },
  admin_addPeer: peer,
  admin_removePeer: peer,
  admin_startStateMigration: maintenance,
  admin_stopStateMigration: maintenance,
  admin_stateMigrationStatus: asked,
  admin_stateMigrationLast: asked,
  admin_stateMigrationRoom: asked,
  admin_saveTrieNodeToDisk: { ...maintenance, alias: "admin_saveTrieNodeCacheToDisk" },
  admin_saveTrieNodeStatus: asked,
  admin_startBackup: maintenance,
  admin_stopBackup: maintenance,
  admin_backupStatus: asked,
  admin_serveCheckpoint: asked,
  chain_blockNumber: asked,
  chain_syncing: asked,
  net_peerCountByType: asked,
  istanbul_getValidators: asked,
  governance_vote: vote,
  gateway_report: { ...asked, answerBytes: REPORT, by: "gateway" },
} as const satisfies Readonly<Record<string, ControlRow>>;

/** A method of the control channel. */
export type ControlMethod = keyof typeof controlMethods;

/** A valid request. */
export interface ControlCall {
  readonly method: ControlMethod;
  readonly params: readonly string[];
}

/** Error of an invalid request; `code` is a JSON-RPC error code. */
export interface InvalidCall {
  readonly code: -32_700 | -32_600 | -32_601 | -32_602;
  readonly message: string;
}

/** Maximum size of a request in bytes. */
export const MAX_REQUEST_BYTES = 4_096;
/** Common name of the only client that may call methods. */
export const OPERATOR_NAME = "knit-operator";

/** Name in the certificate with which a replica reads a checkpoint from other gateways of its namespace. */
export function readerName(gateway: string): string {
  return `reader.${gateway}`;
}

/** True for the name of a reader in the namespace of a gateway: the name of a gateway there behind `reader.`. */
export function isReaderOf(name: string, gateway: string): boolean {
  const place = gateway.slice(gateway.indexOf("."));
  const member = name.slice("reader.".length, -place.length);
  return name.startsWith("reader.") && name.endsWith(place) && /^[a-z0-9-]{1,63}$/.test(member);
}

const NODE_URL =
  /^kni:\/\/[0-9a-fA-F]{128}@(?<host>\[[0-9a-fA-F:.]{2,45}\]|[^:[\]]{1,253}):(?<port>\d{1,5})(\?(?<query>.{0,255}))?$/;
/** A host name or an IPv4 address. */
const HOST_NAME = /^(?!-)[0-9A-Za-z-]{1,63}(\.(?!-)[0-9A-Za-z-]{1,63})*\.?$/;
const QUERY_PART = /^(discport=\d{1,5}|subport=\d{1,5}|ntype=[a-z]{2})$/;
/** Parts of a query: three keys, of which a node repeats one for each of its channels. */
const MAX_QUERY_PARTS = 8;
const MAX_PORT = 65_535;

/** Parses a request. Its id is ignored; the gateway uses its own. */
export function readCall(bytes: Uint8Array): ControlCall | InvalidCall {
  let request: unknown;
  try {
    request = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { code: -32_700, message: "the request is not JSON" };
  }
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    return { code: -32_600, message: "the request is not a single JSON-RPC call" };
  }
  const { method, params = [] } = request as { method?: unknown; params?: unknown };
  if (typeof method !== "string") return { code: -32_600, message: "the request has no method" };
  if (!Object.hasOwn(controlMethods, method)) {
    return { code: -32_601, message: `the method ${method.slice(0, 64)} is not available` };
  }
  const known = method as ControlMethod; // it is one of the table's own keys
  const { takes } = controlMethods[known];
  if (!Array.isArray(params) || !fits(params, takes)) {
    return { code: -32_602, message: `${method} takes ${takes}` };
  }
  return { method: known, params };
}

/** Names of the votes that a gateway passes on: those about members of the council. */
const COUNCIL_VOTE = /^governance\.(add|remove)validator$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

function fits(params: readonly unknown[], wanted: Parameters): params is readonly string[] {
  if (wanted === "none") return params.length === 0;
  if (wanted === "council-vote") return isCouncilVote(params);
  const [url] = params;
  return params.length === 1 && typeof url === "string" && isNodeUrl(url);
}

/** Reports if a text is the URL of a node, with nothing in it that a node would resolve or pass on otherwise. */
function isNodeUrl(url: string): boolean {
  const { host = "", port = "", query } = NODE_URL.exec(url)?.groups ?? {};
  const isHost = host.startsWith("[") ? isIPv6(host.slice(1, -1)) : HOST_NAME.test(host);
  const parts = query?.split("&") ?? [];
  const areParts = parts.length <= MAX_QUERY_PARTS && parts.every((part) => QUERY_PART.test(part));
  return isHost && Number(port) > 0 && Number(port) <= MAX_PORT && areParts;
}

function isCouncilVote(params: readonly unknown[]): boolean {
  const [name, address] = params;
  const areTexts = typeof name === "string" && typeof address === "string";
  return params.length === 2 && areTexts && COUNCIL_VOTE.test(name) && ADDRESS.test(address);
}

/** File names in a gateway's Secret. */
export const gatewayFiles = { certificate: "tls.crt", key: "tls.key", authority: "ca.crt" } as const;
