/**
 * HTTP to the API server over one pool of kept-alive connections. Requests have a deadline and answers a size
 * limit; a watch is a stream of lines, each of which has one too. What writes is asked for leave at the moment when
 * its first byte goes out: a process that slept meanwhile writes nothing that is no longer its business.
 */
import type { buildConnector, Dispatcher } from "undici";
// Not the whole package, whose other parts take 13 MB.
import ask from "undici/lib/api/api-request.js";
import connectorOf from "undici/lib/core/connect.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { messageOf } from "../observe/message-of.ts";
import type { Access } from "./access.ts";
import { openDeadline } from "./deadline.ts";
import { errorOfAnswer, KubeError } from "./error.ts";
import { jsonLines, parseJson } from "./lines.ts";
import type { Proof } from "./pod-account.ts";

/** A request. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The way to the API server. Disposing it closes the connections; requests that run fail. */
export interface Transport extends AsyncDisposable {
  /** The answer's JSON. Throws `KubeError`. */
  send(request: KubeRequest): Promise<unknown>;
  /** The lines of a watch, parsed. Ends when the server ends it; throws `KubeError`. */
  lines(request: KubeRequest): AsyncGenerator;
}

/** What may be long, and how long. */
export interface TransportLimits {
  readonly connections: number;
  /** For a whole request, waiting for a free connection included. */
  readonly requestMs: number;
  /** After so long without a byte a watch is given up: it hears a bookmark about once a minute. */
  readonly silenceMs: number;
}

/** What the transport is made of. */
export interface TransportOptions {
  readonly access: Access;
  readonly userAgent: string;
  /** Hears of every request that was answered. */
  readonly sent?: (method: string, status: number) => void;
  /** Whether anything may be written now; a write is refused with `not-leading` otherwise. */
  readonly mayWrite?: () => boolean;
  readonly limits?: Partial<TransportLimits>;
}

const LIMITS: TransportLimits = { connections: 24, requestMs: 30_000, silenceMs: 150_000 };
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_LINE = 8 * 1024 * 1024;

/** Opens the pool; the first connection is made by the first request. */
export function openTransport(options: TransportOptions): Transport {
  const { access } = options;
  const limits = { ...LIMITS, ...options.limits };
  const pool = new Pool(access.origin, {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    connect: connector(access, Math.min(10_000, limits.requestMs)),
  });
  const dispatcher = pool.compose(fence(options.mayWrite ?? (() => true)));
  const begin = (request: KubeRequest, bodyTimeout: number, signal: AbortSignal) =>
    answerTo(dispatcher, options, request, { bodyTimeout, signal });
  const late = (request: KubeRequest) => () =>
    new KubeError("unreachable", `${request.method} ${request.path}: no answer in ${limits.requestMs} ms`);
  return {
    async send(request) {
      using deadline = openDeadline(limits.requestMs, request.signal, late(request));
      const answer = await begin(request, limits.requestMs, deadline.signal);
      return parseJson(await textOf(answer, request));
    },
    async *lines(request) {
      using deadline = openDeadline(limits.requestMs, request.signal, late(request));
      const answer = await begin(request, limits.silenceMs, deadline.signal);
      deadline.met();
      try {
        yield* jsonLines(answer.body as AsyncIterable<Buffer>, MAX_LINE);
      } catch (error) {
        throw unreachable(request, error);
      } finally {
        answer.body.destroy();
      }
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** Connects with what the account has at the moment: the authority of the server may be another by now. */
function connector(access: Access, timeout: number): buildConnector.connector {
  let known: { readonly tls: Proof["tls"]; readonly connect: buildConnector.connector } | undefined;
  const connect: (...given: Parameters<buildConnector.connector>) => Promise<void> = async (
    options,
    done,
  ) => {
    try {
      const now = await access.tls();
      if (known?.tls !== now) known = { tls: now, connect: connectorOf({ ...now, timeout }) };
      known.connect(options, done);
    } catch (error) {
      done(error as Error, null); // what the account is read with throws errors
    }
  };
  return (options, done) => void connect(options, done);
}

/** Asks whether a write may go out just before it does, which may be long after it was wished for. */
function fence(mayWrite: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method === "GET") return dispatch(options, handler);
    return dispatch(options, {
      onRequestStart(controller, context) {
        if (!mayWrite()) throw new KubeError("not-leading", "this process does not lead and writes nothing");
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });
  };
}

/** An answer whose status is good. Throws `KubeError`. */
async function answerTo(
  dispatcher: Dispatcher,
  { access, userAgent, sent }: TransportOptions,
  request: KubeRequest,
  { bodyTimeout, signal }: { readonly bodyTimeout: number; readonly signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const authorization = await access.authorization();
  const { method, body, contentType = "application/json" } = request;
  const answer = await ask
    .call(dispatcher, {
      origin: access.origin,
      method,
      path: `${access.prefix}${request.path}${queryOf(request.query)}`,
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: 0, // the deadline
      bodyTimeout,
      signal,
    })
    .catch((cause: unknown) => Promise.reject(unreachable(request, cause)));
  sent?.(method, answer.statusCode);
  if (answer.statusCode < 300) return answer;
  if (answer.statusCode === 401) access.refused();
  const text = await textOf(answer, request);
  throw errorOfAnswer(answer.statusCode, statusOf(text), String(answer.headers["retry-after"] ?? ""));
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

async function textOf(answer: Dispatcher.ResponseData, request: KubeRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new KubeError("too-large", `${request.path}: more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(request, error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What a refusal says of itself, when it does. */
function statusOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
