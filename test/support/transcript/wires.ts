/**
 * Sends a transcript's requests to the node over HTTP on one kept connection, IPC or WebSocket; returns answers as
 * they came.
 */
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { WebSocket } from "ws";
import type { Entry } from "./transcript.ts";

/** An HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One client that keeps its connection from request to request, as the recorder did. */
export interface HttpWire extends Disposable {
  /** Rejects when no answer comes. */
  send(entry: Entry, body: string): Promise<HttpAnswer>;
}

const PLAIN_POST = { method: "POST", path: "/", headers: { "Content-Type": "application/json" } };
const ANSWER_MS = 30_000;

/** A client of `host:port`. */
export function openHttpWire(port: number): HttpWire {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: ({ http = PLAIN_POST }, body) => {
      const length = Buffer.byteLength(body);
      const headers = {
        ...http.headers,
        ...(length > 0 || http.method !== "GET" ? { "Content-Length": length } : {}),
      };
      const { method, path } = http;
      return new Promise((resolve, reject) => {
        const sent = httpRequest(
          { host: "127.0.0.1", port, agent, method, path, headers, timeout: ANSWER_MS },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("error", reject);
            response.on("end", () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers as Record<string, string>, // those compared here come once
                body: Buffer.concat(chunks).toString("utf8"),
              }),
            );
          },
        );
        sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
        sent.on("error", reject);
        sent.end(body);
      });
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/**
 * Sends one text over a new connection and gathers what comes until `length` characters are there, the node closes
 * or time is up.
 */
export function overIpc(path: string, text: string, length: number, waitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    let received = "";
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(done, waitMs);
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(text));
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (received.length >= length && received.endsWith("\n")) done();
    });
    socket.on("close", done);
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** A WebSocket whose messages wait to be taken. */
export interface WsWire extends Disposable {
  send(text: string): void;
  /** The next message; undefined when the connection closes or nothing comes in time. */
  next(): Promise<string | undefined>;
  /** The code of the close, once it has come. */
  closed(): Promise<number>;
}

/** Connects to `url`. */
export async function openWsWire(url: string): Promise<WsWire> {
  const socket = new WebSocket(url, { maxPayload: 0 });
  const messages: string[] = [];
  const waiting: ((message: string | undefined) => void)[] = [];
  const closed = new Promise<number>((resolve) => {
    socket.on("close", resolve);
  });
  socket.on("error", () => undefined); // the close that follows tells
  socket.on("message", (bytes: Buffer) => {
    const text = bytes.toString("utf8");
    const first = waiting.shift();
    if (first === undefined) messages.push(text);
    else first(text);
  });
  void closed.then(() => {
    for (const each of waiting.splice(0)) each(undefined);
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    send: (text) => socket.send(text),
    next: () => {
      const there = messages.shift();
      if (there !== undefined || socket.readyState >= WebSocket.CLOSING) return Promise.resolve(there);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(take), 1);
          resolve(undefined);
        }, 5_000);
        const take = (message: string | undefined): void => {
          clearTimeout(timer);
          resolve(message);
        };
        waiting.push(take);
      });
    },
    closed: () => closed,
    [Symbol.dispose]: () => socket.terminate(),
  };
}
