/**
 * HTTP to the API server over one pool of kept-alive connections. Requests have a deadline and answers a size
 * limit; a watch is a stream of lines, each of which has one too.
 */
import { type Dispatcher, Pool } from "undici";
import { messageOf } from "../observe/message-of.ts";
import type { Access } from "./access.ts";
import { errorOfAnswer, KubeError } from "./error.ts";

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

/** The way to the API server. Disposing it closes the connections. */
export interface Transport extends AsyncDisposable {
  /** The answer's JSON. Throws `KubeError`. */
  send(request: KubeRequest): Promise<unknown>;
  /** The lines of a watch, parsed. Ends when the server ends it; throws `KubeError`. */
  lines(request: KubeRequest): AsyncGenerator;
}

/** What the transport is made of. `sent` hears of every request that was answered. */
export interface TransportOptions {
  readonly access: Access;
  readonly userAgent: string;
  readonly sent?: (method: string, status: number) => void;
}

const CONNECTIONS = 24;
const REQUEST_MS = 30_000;
/** A watch hears at least a bookmark about once a minute, and ends by itself after `timeoutSeconds`. */
const SILENCE_MS = 330_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_LINE = 8 * 1024 * 1024;

/** Opens the pool; the first connection is made by the first request. */
export function openTransport({ access, userAgent, sent }: TransportOptions): Transport {
  const pool = new Pool(access.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    connect: { ...access.tls, timeout: 10_000 },
  });
  const begin = async (request: KubeRequest, bodyTimeout: number): Promise<Dispatcher.ResponseData> => {
    const authorization = await access.authorization();
    const answer = await pool
      .request({
        method: request.method,
        path: `${access.prefix}${request.path}${queryOf(request.query)}`,
        headers: {
          accept: "application/json",
          "user-agent": userAgent,
          ...(authorization === undefined ? {} : { authorization }),
          ...(request.body === undefined
            ? {}
            : { "content-type": request.contentType ?? "application/json" }),
        },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        headersTimeout: REQUEST_MS,
        bodyTimeout,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      })
      .catch((cause: unknown) => Promise.reject(unreachable(request, cause)));
    sent?.(request.method, answer.statusCode);
    if (answer.statusCode < 300) return answer;
    const text = await textOf(answer, request);
    throw errorOfAnswer(answer.statusCode, parsed(text), String(answer.headers["retry-after"] ?? ""));
  };
  return {
    async send(request) {
      const answer = await begin(request, REQUEST_MS);
      return parsed(await textOf(answer, request));
    },
    lines: (request) => linesOf(() => begin(request, SILENCE_MS), request),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
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
      if (size > MOST_BYTES)
        throw new KubeError("too-large", `${request.path}: more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(request, error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function* linesOf(begin: () => Promise<Dispatcher.ResponseData>, request: KubeRequest): AsyncGenerator {
  const answer = await begin();
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      if (rest.length > MOST_LINE) throw new KubeError("too-large", `${request.path}: an event is too large`);
      yield* parts.filter((part) => part.trim() !== "").map(parsed);
    }
  } catch (error) {
    throw unreachable(request, error);
  } finally {
    answer.body.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
