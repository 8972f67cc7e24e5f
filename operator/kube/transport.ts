/**
 * HTTP to the API server over kept-alive connections. Requests share a limited number of them, have a deadline, and
 * their responses a size limit. A watch is a stream of lines with a limit each, on a connection of its own: there is
 * one for each kind and namespace, so that watches of several namespaces would leave no connection for requests.
 * Permission to write is checked when the first byte is sent, so that a process that was suspended writes nothing after
 * it lost the Lease.
 */
import type { IncomingMessage } from "node:http";
import { messageOf } from "../observe/message-of.ts";
import type { Access } from "./access.ts";
import { errorOfAnswer, KubeError } from "./error.ts";
import { type HttpPool, openHttpPool } from "./http-pool.ts";
import { jsonLines, parseJson } from "./lines.ts";

/** A request. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The transport. Disposing it closes the connections; running requests fail. */
export interface Transport extends AsyncDisposable {
  /** Sends a request and parses the JSON of the response. Throws `KubeError`. */
  send(request: KubeRequest): Promise<unknown>;
  /** Streams the text of a response until the server ends it. Throws `KubeError`. */
  text(request: KubeRequest): AsyncGenerator<string>;
  /** Streams the parsed lines of a watch until the server ends it. Throws `KubeError`. */
  lines(request: KubeRequest): AsyncGenerator;
}

/** Limits of connections and durations. */
export interface TransportLimits {
  /** Connections of requests; those of streams are not counted. */
  readonly connections: number;
  /** Maximum duration of a request, including the wait for a free connection. */
  readonly requestMs: number;
  /** Maximum silence of a watch. Bookmarks arrive about once a minute. */
  readonly silenceMs: number;
}

/** Options of the transport. */
export interface TransportOptions {
  readonly access: Access;
  readonly userAgent: string;
  /** Called for every response. */
  readonly onAnswer?: (method: string, status: number) => void;
  /** Permission to write. Without it writes fail with `not-leading`. */
  readonly mayWrite?: () => boolean;
  readonly limits?: Partial<TransportLimits>;
}

const LIMITS: TransportLimits = { connections: 24, requestMs: 30_000, silenceMs: 150_000 };
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_LINE = 8 * 1024 * 1024;

/** Maximum silence of a streamed text, such as the log of a quiet container. */
const QUIET_MS = 3_600_000;

/** Opens the pools. The first request opens the first connection. */
export function openTransport(options: TransportOptions): Transport {
  const { access } = options;
  const limits = { ...LIMITS, ...options.limits };
  const connectMs = Math.min(10_000, limits.requestMs);
  const requests = openHttpPool(access.origin, { connections: limits.connections, connectMs });
  const streams = openHttpPool(access.origin, { connections: Number.POSITIVE_INFINITY, connectMs });
  const late = (request: KubeRequest) => () =>
    new KubeError(
      "unreachable",
      `${request.method} ${request.path}: no response within ${limits.requestMs} ms`,
    );
  const streamed = async function* (
    request: KubeRequest,
    silenceMs: number,
    read: (answer: AsyncIterable<Buffer>) => AsyncIterable<unknown>,
  ): AsyncGenerator {
    using deadline = openDeadline(limits.requestMs, request.signal, late(request));
    const answer = await answerTo(streams, options, request, { silenceMs, signal: deadline.signal });
    deadline.cancel();
    try {
      yield* read(answer as AsyncIterable<Buffer>);
    } catch (error) {
      throw unreachable(request, error);
    } finally {
      answer.destroy();
    }
  };
  return {
    async send(request) {
      using deadline = openDeadline(limits.requestMs, request.signal, late(request));
      const terms = { silenceMs: limits.requestMs, signal: deadline.signal };
      const answer = await answerTo(requests, options, request, terms);
      return parseJson(await textOf(answer, request));
    },
    text: (request) => streamed(request, QUIET_MS, decodeText) as AsyncGenerator<string>,
    lines: (request) => streamed(request, limits.silenceMs, (answer) => jsonLines(answer, MAX_LINE)),
    async [Symbol.asyncDispose]() {
      requests[Symbol.dispose]();
      streams[Symbol.dispose]();
    },
  };
}

/** Reads a successful response. Throws `KubeError` for any other. */
async function answerTo(
  pool: HttpPool,
  { access, userAgent, onAnswer, mayWrite = () => true }: TransportOptions,
  request: KubeRequest,
  { silenceMs, signal }: { readonly silenceMs: number; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const [authorization, tls] = await Promise.all([access.authorization(), access.tls()]);
  const { method, body, contentType = "application/json" } = request;
  const answer = await pool
    .send({
      method,
      path: `${access.prefix}${request.path}${queryOf(request.query)}`,
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      tls,
      signal,
      silenceMs,
      beforeSend() {
        // Long after the creation of the request, perhaps.
        if (method !== "GET" && !mayWrite())
          throw new KubeError("not-leading", "this process is not the leader and writes no objects");
      },
    })
    .catch((cause: unknown) => Promise.reject(unreachable(request, cause)));
  const { statusCode = 0 } = answer;
  onAnswer?.(method, statusCode);
  if (statusCode < 300) return answer;
  if (statusCode === 401) access.reportRefusal();
  const text = await textOf(answer, request);
  throw errorOfAnswer(statusCode, statusOf(text), answer.headers["retry-after"] ?? "");
}

async function* decodeText(answer: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of answer) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function queryOf(query: KubeRequest["query"]): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

function unreachable({ method, path, signal }: KubeRequest, cause: unknown): unknown {
  if (signal?.aborted) return signal.reason;
  if (cause instanceof KubeError) return cause;
  return new KubeError("unreachable", `${method} ${path}: ${messageOf(cause)}`, { cause });
}

async function textOf(answer: IncomingMessage, request: KubeRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new KubeError("too-large", `${request.path}: more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(request, error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Parses the `Status` object of an error response, if there is one. */
function statusOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A signal that is aborted with the reason of `outer`, or with `late()` at the time limit. */
interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Cancels the time limit; the outer signal still applies. */
  cancel(): void;
}

/** Starts the time limit. Disposing it detaches both. */
function openDeadline(milliseconds: number, outer: AbortSignal | undefined, late: () => Error): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(late()), milliseconds);
  const abort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener("abort", abort, { once: true });
  const cancel = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    cancel,
    [Symbol.dispose]() {
      cancel();
      outer?.removeEventListener("abort", abort);
    },
  };
}
