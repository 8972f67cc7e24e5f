/**
 * Signed requests to an S3-compatible store, addressed by path (Amazon S3 API reference, 2006-03-01). Answers of
 * 5xx but 501, 429 and broken connections are tried again.
 */
import { setTimeout } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { messageOf } from "../bytes/message-of.ts";
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
  /** Size of all parts but the last of an object that is written in parts; 8 MiB when absent. */
  readonly partBytes?: number;
}

/** A request about an object, or about the bucket. */
export interface S3Request {
  /** Name of the subject in errors. */
  readonly name: string;
  /** Key of the object; absent for a request about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly method?: "GET" | "PUT" | "POST" | "DELETE";
  /** Bytes to send, and their SHA-256 as 64 hex digits. */
  readonly content?: { readonly bytes: Uint8Array; readonly sha256: string };
  /** Limit of the answer. */
  readonly maxBytes: number;
}

/** An answer that is whole. */
export interface S3Answer {
  readonly bytes: Uint8Array;
  /** Header `ETag`. */
  readonly etag: string | undefined;
}

/**
 * Sends a request, again where that may help. Throws `CheckpointError` `bad-file` for an object that is missing or too
 * long, or `failed`.
 */
export type S3Send = (request: S3Request, signal: AbortSignal) => Promise<S3Answer>;

const MAX_TRIES = 6;
const RETRY_MS = 200;
/** Limit of one request: it carries some megabytes. */
const REQUEST_MS = 120_000;
const MAX_ERROR_BYTES = 4096;
const NOT_IMPLEMENTED = 501;

/** An answer after which the same request may succeed. */
class PassingError extends Error {
  override readonly name = "PassingError";
}

/** An answer that says no. */
class RefusalError extends Error {
  override readonly name = "RefusalError";
  /** S3's code, such as `NoSuchUpload`, or the words of the status line. */
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Returns the code with which the store has refused a request; undefined for another error. */
export function refusalCode(error: unknown): string | undefined {
  return error instanceof CheckpointError && error.cause instanceof RefusalError
    ? error.cause.code
    : undefined;
}

/** Creates a client of a store. Nothing is requested yet. */
export function s3Client({ endpoint, region, bucket, credentials, retryMs = RETRY_MS }: S3Options): S3Send {
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
  const urlOf = ({ key, query }: S3Request): string => {
    const path = key === undefined ? root : `${root}/${key.split("/").map(encodeURIComponent).join("/")}`;
    return query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
  };
  return (request, signal) =>
    withRetries(() => sendOnce(client, urlOf(request), request, signal), { retryMs, signal });
}

async function sendOnce(
  client: AwsClient,
  url: string,
  { name, method = "GET", content, maxBytes }: S3Request,
  signal: AbortSignal,
): Promise<S3Answer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
  try {
    const signed = await client.sign(url, { method, headers: headersOf(content) });
    const response = await fetch(signed, { ...bodyOf(content), signal: limit });
    if (!response.ok) throw await refusalOf(response, name);
    const bytes = await readBody(response, name, maxBytes);
    const code = method === "POST" ? errorCode(bytes) : undefined; // found after the status line was sent
    if (code !== undefined) throw new PassingError(`${name}: the store answers ${code}`);
    return { bytes, etag: response.headers.get("etag") ?? undefined };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CheckpointError || cause instanceof PassingError) throw cause;
    throw new PassingError(`${name}: ${messageOf(cause)}`, { cause });
  }
}

function headersOf(content: S3Request["content"]): Record<string, string> {
  if (content === undefined) return {};
  const { bytes, sha256 } = content;
  return {
    "x-amz-content-sha256": sha256,
    "content-type": "application/octet-stream",
    ...(bytes.length > 0 && { "content-length": String(bytes.length) }),
  };
}

/** Returns a body that is sent from where it is: `fetch` would copy an array of bytes. */
function bodyOf(content: S3Request["content"]): RequestInit {
  if (content === undefined || content.bytes.length === 0) return {};
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(content.bytes);
      controller.close();
    },
  });
  return { body, duplex: "half", redirect: "manual" }; // a stream is not sent again, and the signature names the host
}

async function refusalOf(response: Response, name: string): Promise<Error> {
  const { status, statusText } = response;
  const bytes = await readBody(response, name, MAX_ERROR_BYTES).catch((error: unknown) => {
    if (error instanceof CheckpointError) return undefined; // a page that is too long is no answer of S3
    throw error;
  });
  const code = bytes && errorCode(bytes);
  const message = `${name}: the store answers ${status} ${code ?? statusText}`;
  const isPassing = (status >= 500 && status !== NOT_IMPLEMENTED) || status === 429;
  if (isPassing) return new PassingError(message);
  const isMissing = status === 404 && bytes !== undefined && (code ?? "NoSuchKey") === "NoSuchKey";
  const cause = new RefusalError(code ?? statusText);
  return new CheckpointError(isMissing ? "bad-file" : "failed", message, { cause });
}

function errorCode(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1];
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
