/**
 * Node URLs: `kni://<128 hex digits>@<host>:<port>?subport=&discport=&ntype=`, also with the scheme `enode`.
 * A bare id is an incomplete URL of a node without a known address. Host names stay unresolved. Error texts
 * are those of the Go node (`ParseNode` in networks/p2p/discover/node.go@v2.2.2).
 */

import { isIP, isIPv6 } from "node:net";
import type { NodeId } from "../bytes/brands.ts";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import { P2pError } from "./error.ts";
import { type NodeType, typeOfText } from "./node-type.ts";

/** Identity and address of a node. */
export interface NodeUrl {
  /** Node id, 64 bytes. */
  readonly id: NodeId;
  /** Address (IPv6 without brackets) or host name; undefined in an incomplete URL. */
  readonly host: string | undefined;
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Ports of `subport`, followed by the main port unless it is among them. */
  readonly tcpPorts: readonly number[];
  readonly type: NodeType;
}

const INCOMPLETE = /^(?:kni:\/\/|enode:\/\/)?([0-9a-f]+)$/i;
const PARTS = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?/i;

/** Parses a node URL. Throws `P2pError` `bad-node-url` with the Go node's message. */
export function parseNodeUrl(text: string): NodeUrl {
  const id = INCOMPLETE.exec(text)?.[1];
  if (id === undefined) return parseComplete(text);
  return { id: parseId(id), host: undefined, tcpPort: 0, udpPort: 0, tcpPorts: [], type: "unknown" };
}

function parseComplete(text: string): NodeUrl {
  const [, scheme, authority = "", query = ""] = PARTS.exec(text) ?? [];
  checkForm(text, scheme, authority);
  if (!/^(?:kni|enode)$/i.test(scheme ?? "")) throw badNodeUrl('invalid URL scheme, want "kni"');
  const at = authority.lastIndexOf("@");
  if (at < 0) throw badNodeUrl("does not contain node ID");
  const id = parseId(authority.slice(0, at));
  const { host, port } = splitHost(authority.slice(at + 1));
  if (host === "") throw badNodeUrl("lookup : no such host");
  const tcpPort = parsePort(port);
  if (tcpPort === undefined) throw badNodeUrl("invalid port");
  const values = new URLSearchParams(query);
  const udpPort = parsePort(values.get("discport") || port);
  if (udpPort === undefined) throw badNodeUrl("invalid discport in query");
  const ports = values.getAll("subport").map(parsePort);
  const tcpPorts = [...new Set([...ports.filter((found) => found !== undefined), tcpPort])];
  return { id, host, tcpPort, udpPort, tcpPorts, type: typeOfText(values.get("ntype") ?? "") };
}

/** Makes the checks of Go's URL parser (`net/url`), with its messages. */
function checkForm(text: string, scheme: string | undefined, authority: string): void {
  const refuse = (why: string) => badNodeUrl(`parse ${JSON.stringify(text)}: ${why}`);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw refuse("net/url: invalid control character in URL");
  if (text.startsWith(":")) throw refuse("missing protocol scheme");
  if (scheme === undefined && /^[^/]*:/.test(text))
    throw refuse("first path segment in URL cannot contain colon");
  const port = /:[^:\]]*$/.exec(authority.slice(authority.lastIndexOf("@") + 1))?.[0];
  if (port !== undefined && !/^:\d*$/.test(port))
    throw refuse(`invalid port ${JSON.stringify(port)} after host`);
}

/** Splits `host:port`; IPv6 addresses may have brackets, but no zone. A missing port is empty. */
function splitHost(text: string): { host: string; port: string } {
  const { host = "", port = "" } = /^(?<host>\[[^\]]*\]|.*?)(?::(?<port>\d*))?$/.exec(text)?.groups ?? {};
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  if (isIPv6(bare) && bare.includes("%")) throw badNodeUrl(`lookup ${bare}: no such host`);
  return { host: isIPv6(bare) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare, port };
}

function parsePort(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 0xffff ? port : undefined;
}

function parseId(text: string): Uint8Array {
  const digits = text.replace(/^0x/, "");
  const foreign = /[^0-9a-f]/i.exec(digits)?.[0];
  if (foreign !== undefined) {
    const point = (foreign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw badNodeUrl(`invalid node ID (encoding/hex: invalid byte: U+${point} '${foreign}')`);
  }
  if (digits.length % 2 === 1) throw badNodeUrl("invalid node ID (encoding/hex: odd length hex string)");
  if (digits.length !== 128) throw badNodeUrl("invalid node ID (wrong length, want 128 hex chars)");
  return fromBareHex(digits.toLowerCase());
}

function badNodeUrl(message: string): P2pError {
  return new P2pError("bad-node-url", message);
}

/** Formats a node URL. `discport` is omitted when it equals the main port, unless `always` is given. */
export function formatNodeUrl(
  url: NodeUrl,
  discport: "when-different" | "always" = "when-different",
): string {
  const { id, host, tcpPort, udpPort, tcpPorts, type } = url;
  if (host === undefined) return `kni://${bareHex(id)}`;
  const query = [
    ...tcpPorts.filter((port) => port !== tcpPort).map((port) => `subport=${port}`),
    ...(udpPort !== tcpPort || discport === "always" ? [`discport=${udpPort}`] : []),
    ...(type === "unknown" ? [] : [`ntype=${type}`]),
  ].join("&");
  return `kni://${bareHex(id)}@${hostAndPort(host, tcpPort)}${query === "" ? "" : `?${query}`}`;
}

/** Formats `host:port`, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
