/**
 * Reads request heads on the fast path. It accepts one plain form: a keep-alive POST with one Content-Length,
 * a JSON content type and a permitted host. Everything else is "foreign" and goes, unread, to the full HTTP
 * server. Clients repeat their heads, so results are cached by text.
 */
import { isIP } from "node:net";

/** A request that the fast path can answer. */
export interface PlainHead {
  /** Length of the body in bytes. */
  readonly bodyLength: number;
}

/** Rules of a listener for request heads. */
export interface HeadRules {
  readonly maxBody: number;
  /** Lower-case host names, or `*`. */
  readonly virtualHosts: readonly string[];
  /** True when requests with an Origin need CORS headers. */
  readonly hasCors: boolean;
}

/** Maximum bytes of a head; longer ones are foreign, and refused by the full server. */
export const MAX_HEAD_BYTES = 16 * 1024;
const MAX_REMEMBERED = 512;
const MAX_REMEMBERED_LENGTH = 2048;

/** A path with an escape is foreign: the full server checks it. */
const REQUEST_LINE = /^POST \/[!-$&-~]* HTTP\/1\.1$/;
/** No two parts match the same character, so matching takes one pass for any input. */
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** Headers that change the reading of the body or of the connection. */
const SPECIAL = new Set(["transfer-encoding", "expect", "upgrade", "trailer", "te", "proxy-connection"]);
const SINGLE = new Set(["host", "content-length", "content-type", "connection"]);

/** Reads heads for one listener. */
export class HeadReader {
  readonly #rules: HeadRules;
  readonly #remembered = new Map<string, PlainHead | "foreign">();

  constructor(rules: HeadRules) {
    this.#rules = rules;
  }

  /** Reads a head, including its empty last line. */
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
  const isServed = headers.has("host") && isHostServed(value("host"), rules);
  const staysOpen = /^(keep-alive)?$/i.test(value("connection"));
  const isPlain = hasBody && isServed && staysOpen && isJsonType(value("content-type"));
  return isPlain ? { bodyLength: Number(length) } : "foreign";
}

function isHostServed(host: string, { virtualHosts }: HeadRules): boolean {
  return isHostReadable(host) && isHostAllowed(host, virtualHosts);
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

/**
 * Reports if a Content-Type is one of the three that carry JSON-RPC; parameters such as charset are allowed.
 */
export function isJsonType(contentType: string): boolean {
  const end = contentType.indexOf(";");
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return JSON_TYPES.has(type) && (end < 0 || PARAMETERS.test(contentType.slice(end)));
}

/** Characters of a Host header (`http/httpguts.ValidHostHeader` of golang.org/x/net). */
const HOST = /^[-!$%&'()*+,.:;=[\]_~0-9A-Za-z]*$/;

/** Reports if a Host header has permitted characters alone. */
export function isHostReadable(header: string): boolean {
  return HOST.test(header);
}

/**
 * Reports if a Host header is permitted: none, an address, a listed name, or any when the list contains `*`
 * (`networks/rpc/http.go@v2.2.2`, `virtualHostHandler`).
 */
export function isHostAllowed(header: string, virtualHosts: readonly string[]): boolean {
  if (header === "") return true;
  const host = withoutPort(header) ?? header;
  const isAddress = isIP(host) !== 0 && !host.includes("%"); // Go reads no zones
  return isAddress || virtualHosts.includes("*") || virtualHosts.includes(host);
}

/** Splits `host:port` as Go's `net.SplitHostPort` does; undefined without a port or with misplaced brackets. */
function withoutPort(header: string): string | undefined {
  const parts = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(header);
  return parts?.[1] ?? parts?.[2];
}

/** Splits bytes into requests, one after the other. */
export class RequestReader {
  at = 0;
  readonly #bytes: Buffer;
  readonly #heads: HeadReader;
  /** The bytes as text if each byte is one character: text and bytes have the same indices then. */
  readonly #text: string | undefined;

  constructor(bytes: Buffer, heads: HeadReader) {
    this.#bytes = bytes;
    this.#heads = heads;
    const text = bytes.toString("utf8");
    this.#text = text.length === bytes.length ? text : undefined;
  }

  /**
   * Returns the next body, or the bytes that its request needs when it is incomplete (0 when not known yet).
   */
  next(): { readonly text: string } | number | "foreign" {
    const left = this.#bytes.length - this.at;
    const head = this.#head();
    if (head === undefined) return left > MAX_HEAD_BYTES ? "foreign" : 0;
    const plain = this.#heads.read(head);
    if (plain === "foreign") return "foreign";
    const needed = head.length + plain.bodyLength;
    if (needed > left) return needed;
    const text = this.#slice(this.at + head.length, this.at + needed);
    this.at += needed;
    return { text };
  }

  #slice(from: number, to: number): string {
    return this.#text === undefined ? this.#bytes.toString("utf8", from, to) : this.#text.slice(from, to);
  }

  /** Returns the head with its empty line; undefined when it is incomplete. */
  #head(): string | undefined {
    const whole = this.#text;
    if (whole !== undefined) return headText(whole, this.at);
    return headText(this.#bytes.toString("latin1", this.at, this.at + MAX_HEAD_BYTES), 0);
  }
}

function headText(text: string, at: number): string | undefined {
  const end = text.indexOf("\r\n\r\n", at);
  return end < 0 || end - at > MAX_HEAD_BYTES ? undefined : text.slice(at, end + 4);
}
