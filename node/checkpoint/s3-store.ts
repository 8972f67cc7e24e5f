/**
 * An S3-compatible store: GET, PUT, DELETE and ListObjectsV2 with signed requests, addressed by path (Amazon S3 API reference,
 * 2006-03-01). Answers of 5xx, 429 and broken connections are tried again.
 */
import { setTimeout } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { messageOf } from "../bytes/message-of.ts";
import type { ArchiveStore, StoredName } from "./archive.ts";
import { CheckpointError } from "./error.ts";

/** Keys of an S3 store. They are in no message and in no log. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Place and keys of a store. */
export interface S3Options {
  /** URL of the service, such as `http://127.0.0.1:9000`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Beginning of all keys, empty or with a slash at its end. */
  readonly prefix: string;
  readonly credentials: S3Credentials;
  /** Delay before the first repetition in milliseconds; each further one is twice as long. */
  readonly retryMs?: number;
}

const MAX_TRIES = 6;
const RETRY_MS = 200;
/** Limit of one request: a file has some megabytes. */
const REQUEST_MS = 120_000;
/** Pages of a list with 1,000 names each. */
const MAX_PAGES = 10_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_BYTES = 4096;
/** Maximum characters of the time of an object. */
const MAX_TIME = 40;

/** Creates a client of the store. Nothing is requested yet. */
export function s3Store({
  endpoint,
  region,
  bucket,
  prefix,
  credentials,
  retryMs = RETRY_MS,
}: S3Options): ArchiveStore {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    region,
    service: "s3",
    retries: 0,
  });
  const root = `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  const urlOf = (name: string): string =>
    `${root}/${(prefix + name).split("/").map(encodeURIComponent).join("/")}`;
  const send = (request: S3Request, signal: AbortSignal): Promise<Uint8Array> =>
    withRetries(() => sendOnce(client, request, signal), { retryMs, signal });
  return {
    list: (begin, signal) =>
      listAll(async (token) => {
        const query = new URLSearchParams({ "list-type": "2", prefix: prefix + begin, ...token });
        return send({ name: begin, url: `${root}?${query.toString()}`, maxBytes: MAX_LIST_BYTES }, signal);
      }, prefix.length),
    read: (name, maxBytes, signal) => send({ name, url: urlOf(name), maxBytes }, signal),
    write: async (name, bytes, sha256, signal) => {
      const url = urlOf(name);
      await send({ name, url, maxBytes: MAX_LIST_BYTES, method: "PUT", put: { bytes, sha256 } }, signal);
    },
    remove: async (name, signal) => {
      await send({ name, url: urlOf(name), maxBytes: MAX_LIST_BYTES, method: "DELETE" }, signal);
    },
  };
}

interface S3Request {
  readonly name: string;
  readonly url: string;
  /** Limit of the answer. */
  readonly maxBytes: number;
  readonly method?: "PUT" | "DELETE";
  readonly put?: { readonly bytes: Uint8Array; readonly sha256: string };
}

/** An answer after which the same request may succeed. */
class PassingError extends Error {
  override readonly name = "PassingError";
}

async function sendOnce(client: AwsClient, request: S3Request, signal: AbortSignal): Promise<Uint8Array> {
  const { url, method = "GET", put, name, maxBytes } = request;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
  const sent = put && {
    body: Buffer.from(put.bytes),
    headers: { "x-amz-content-sha256": put.sha256, "content-type": "application/octet-stream" },
  };
  let response: Response;
  try {
    response = await fetch(await client.sign(url, { method, ...sent }), { signal: limit });
    if (response.ok) return await readBody(response, name, maxBytes);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CheckpointError) throw cause;
    throw new PassingError(`${name}: ${messageOf(cause)}`, { cause });
  }
  const text = Buffer.from(await readBody(response, name, MAX_ERROR_BYTES).catch(() => new Uint8Array(0)));
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text.toString("utf8"))?.[1] ?? response.statusText;
  const message = `${name}: the store answers ${response.status} ${code}`;
  if (response.status >= 500 || response.status === 429) throw new PassingError(message);
  throw new CheckpointError(response.status === 404 ? "bad-file" : "failed", message);
}

/** Reads an answer of at most so many bytes; one that is cut off is an error of `fetch`. */
async function readBody(response: Response, name: string, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) throw new CheckpointError("bad-file", `${name} has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

interface Retries {
  readonly retryMs: number;
  readonly signal: AbortSignal;
}

async function withRetries<T>(work: () => Promise<T>, { retryMs, signal }: Retries): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PassingError)) throw error;
      if (attempt === MAX_TRIES)
        throw new CheckpointError("failed", `${error.message} (${MAX_TRIES} times)`, { cause: error });
      await setTimeout(retryMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Reads all pages of a list. `skipped` characters are cut off the front of each name. Throws `CheckpointError`. */
export async function listAll(
  page: (token: Readonly<Record<string, string>>) => Promise<Uint8Array>,
  skipped: number,
): Promise<readonly StoredName[]> {
  const names: StoredName[] = [];
  let token: Readonly<Record<string, string>> = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const text = Buffer.from(await page(token)).toString("utf8");
    for (const item of elementsOf(text, "Contents")) names.push(storedName(item, skipped));
    const next = firstElement(text, "NextContinuationToken");
    if (next === undefined) return names;
    token = { "continuation-token": plainText(next) };
  }
  throw new CheckpointError("failed", "the list of the store does not end");
}

function storedName(item: string, skipped: number): StoredName {
  const key = firstElement(item, "Key");
  const digits = firstElement(item, "Size") ?? "";
  const time = firstElement(item, "LastModified") ?? "";
  if (key === undefined || !/^\d{1,15}$/.test(digits))
    throw new CheckpointError("failed", "the list of the store has an object without a key or a size");
  const writtenAt = time.length <= MAX_TIME ? Date.parse(time) : 0;
  return {
    name: plainText(key).slice(skipped),
    size: Number(digits),
    writtenAt: Math.max(0, writtenAt || 0),
  };
}

function firstElement(xml: string, name: string): string | undefined {
  return elementsOf(xml, name).next().value;
}

/** Yields the contents of the elements of a name, in one pass: an expression would look for each end anew. */
function* elementsOf(xml: string, name: string): Generator<string, undefined> {
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; ) {
    const end = xml.indexOf(close, at + open.length);
    if (end < 0) return;
    yield xml.slice(at + open.length, end);
    at = xml.indexOf(open, end + close.length);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function plainText(xml: string): string {
  return xml.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
