/**
 * A client of any node: one message in, its answer out, over HTTP, WebSocket or IPC. The answer is text, so
 * that its reader keeps every digit.
 */

import { connect } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { jsonFault } from "../jsonrpc/json-scanner.ts";
import { JsonStream } from "../jsonrpc/json-stream.ts";
import { http } from "./node-http.ts";

/** The error of a request without an answer. */
export class RpcClientError extends Error {
  override readonly name = "RpcClientError";
  readonly code: "unreachable" | "no-answer" | "refused" | "bad-endpoint";
  constructor(code: RpcClientError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Maximum characters of an answer. */
const MAX_ANSWER = 512 * 1024 * 1024;

/**
 * Sends one JSON-RPC message and waits for its answer. `endpoint` is a URL (`http`, `https`, `ws`, `wss`) or the path
 * of a socket. Rejects with `RpcClientError`, or with the signal's reason.
 */
export function askNode(endpoint: string, message: string, signal: AbortSignal): Promise<string> {
  const scheme = /^([a-z]+):\/\//i.exec(endpoint)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return overIpc(endpoint, message, signal);
    case "http":
    case "https":
      return overHttp(new URL(endpoint), message, signal);
    case "ws":
    case "wss":
      return overWebSocket(endpoint, message, signal);
    default:
      throw new RpcClientError(
        "bad-endpoint",
        `${scheme}:// is not supported: use http, https, ws, wss or a path`,
      );
  }
}

function unreachable(where: string, cause: unknown): RpcClientError {
  const { code, message = "" } = cause as { code?: string; message?: string };
  const why = code === undefined ? message : (WORDS[code] ?? code);
  return new RpcClientError("unreachable", `no node answers at ${where}: ${why}`, { cause });
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "no such socket",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EACCES: "permission denied",
  ENOTFOUND: "unknown host",
};

function overHttp(url: URL, message: string, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const send = (url.protocol === "https:" ? process.getBuiltinModule("node:https") : http).request;
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(message) };
  const sent = send(url, { method: "POST", headers, signal }, (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ANSWER) response.destroy(new Error("the answer is too long"));
    });
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (response.statusCode === 200) resolve(text);
      else reject(new RpcClientError("refused", `${url.href}: ${response.statusCode} ${text.trim()}`));
    });
  });
  sent.on("error", (error) => reject(signal.aborted ? signal.reason : unreachable(url.href, error)));
  sent.end(message);
  return promise;
}

function overIpc(path: string, message: string, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ path, signal });
  const decoder = new StringDecoder("utf8");
  const answers = new JsonStream(MAX_ANSWER, (text) => {
    if (jsonFault(text) !== undefined) return false;
    if (!isAnswer(text)) return true;
    resolve(text);
    socket.destroy();
    return true;
  });
  socket.on("connect", () => socket.write(`${message}\n`));
  socket.on("data", (chunk: Buffer) => {
    try {
      answers.push(decoder.write(chunk));
    } catch (error) {
      reject(error);
      socket.destroy();
    }
  });
  socket.on("error", (error) => reject(signal.aborted ? signal.reason : unreachable(path, error)));
  socket.on("close", () => reject(closedEarly(path)));
  return promise;
}

async function overWebSocket(url: string, message: string, signal: AbortSignal): Promise<string> {
  const { WebSocket } = await import("ws");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = new WebSocket(url, { maxPayload: MAX_ANSWER, perMessageDeflate: false });
  const give = (): void => {
    reject(signal.reason);
    socket.terminate();
  };
  signal.addEventListener("abort", give, { once: true });
  socket.on("open", () => socket.send(message));
  socket.on("message", (bytes: Buffer) => {
    const text = bytes.toString("utf8");
    if (!isAnswer(text)) return;
    resolve(text);
    socket.close();
  });
  socket.on("error", (error) => reject(unreachable(url, error)));
  socket.on("close", () => reject(closedEarly(url)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", give);
  }
}

function closedEarly(where: string): RpcClientError {
  return new RpcClientError("no-answer", `${where} closed the connection without an answer`);
}

/** Reports if a message is the answer: notifications of a subscription may arrive too. */
function isAnswer(text: string): boolean {
  return !/^\s*\{"jsonrpc":"2\.0","method":/.test(text);
}
