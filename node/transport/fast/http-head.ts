/**
 * Reads the head of a request on the fast path. Only one plain form is accepted there: a keep-alive POST with one
 * Content-Length, a JSON content type and a host that may be served. Everything else is "foreign": it goes, unread,
 * to the full HTTP server. Clients repeat their heads, so the answers are remembered by text.
 */
import { isIP } from "node:net";

/** A request that the fast path may answer. */
export interface PlainHead {
  /** Bytes of the body that follows. */
  readonly bodyLength: number;
}

/** What a listener accepts. */
export interface HeadRules {
  readonly maxBody: number;
  /** Lower-case host names, or `*`. */
  readonly virtualHosts: readonly string[];
  /** Whether requests with an Origin need CORS headers. */
  readonly hasCors: boolean;
}

/** A head may have this many bytes; longer ones are foreign, and refused there. */
export const MAX_HEAD_BYTES = 16 * 1024;
const MAX_REMEMBERED = 512;
const MAX_REMEMBERED_LENGTH = 2048;

const REQUEST_LINE = /^POST \/[!-~]* HTTP\/1\.1$/;
/** No two parts of it match the same character: it takes one pass whatever it is given. */
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** Headers that change how the body or the connection is read. */
const SPECIAL = new Set(["transfer-encoding", "expect", "upgrade", "trailer", "te", "proxy-connection"]);
const SINGLE = new Set(["host", "content-length", "content-type", "connection"]);

/** Reads heads for one listener. */
export class HeadReader {
  readonly #rules: HeadRules;
  readonly #remembered = new Map<string, PlainHead | "foreign">();

  constructor(rules: HeadRules) {
    this.#rules = rules;
  }

  /** Reads a head, its empty last line included. */
  read(head: string): PlainHead | "foreign" {
    const known = this.#remembered.get(head);
    if (known !== undefined) return known;
    const result = readHead(head, this.#rules);
    if (head.length <= MAX_REMEMBERED_LENGTH) {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(Buffer.from(head, "latin1").toString("latin1"), result); // a copy: no view of the input
    }
    return result;
  }
}

function readHead(head: string, rules: HeadRules): PlainHead | "foreign" {
  const [requestLine = "", ...lines] = head.slice(0, -4).split("\r\n");
  const headers = REQUEST_LINE.test(requestLine) ? readHeaders(lines) : undefined;
  if (headers === undefined || (rules.hasCors && headers.has("origin"))) return "foreign";
  const value = (name: string) => headers.get(name) ?? "";
  const length = value("content-length");
  const hasBody = /^[0-9]{1,9}$/.test(length) && Number(length) <= rules.maxBody;
  const isServed = headers.has("host") && isHostAllowed(value("host"), rules.virtualHosts);
  const staysOpen = /^(keep-alive)?$/i.test(value("connection"));
  const isPlain = hasBody && isServed && staysOpen && isJsonType(value("content-type"));
  return isPlain ? { bodyLength: Number(length) } : "foreign";
}

function readHeaders(lines: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const parts = HEADER_LINE.exec(line);
    const name = parts?.[1]?.toLowerCase();
    if (name === undefined || SPECIAL.has(name) || (SINGLE.has(name) && headers.has(name))) return undefined;
    headers.set(name, (parts?.[2] ?? "").trim());
  }
  return headers;
}

const JSON_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/json-rpc",
  "application/jsonrequest",
]);
const PARAMETERS =
  /^(\s*;\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+=("[^"\\]*"|[!#$%&'*+\-.^_`|~0-9A-Za-z]+))*\s*(;\s*)?$/;

/** Whether a Content-Type is one of the three that carry JSON-RPC; parameters such as charset may follow. */
export function isJsonType(contentType: string): boolean {
  const end = contentType.indexOf(";");
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return JSON_TYPES.has(type) && (end < 0 || PARAMETERS.test(contentType.slice(end)));
}

/** Whether a Host header may be served: no host, an address, `*` in the list, or a name in the list. */
export function isHostAllowed(header: string, virtualHosts: readonly string[]): boolean {
  const host = withoutPort(header);
  return host === "" || isIP(host) !== 0 || virtualHosts.includes("*") || virtualHosts.includes(host);
}

function withoutPort(header: string): string {
  if (header.startsWith("[")) return header.slice(1, header.indexOf("]"));
  const colon = header.indexOf(":");
  return colon >= 0 && colon === header.lastIndexOf(":") ? header.slice(0, colon) : header;
}
