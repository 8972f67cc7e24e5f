/**
 * A load generator on bare sockets: every connection keeps one request under way, and counts answers. It parses
 * nothing but the length of the first answer, so that the client costs as little as it can.
 */
import { randomBytes } from "node:crypto";
import { connect, type NetConnectOpts, type Socket } from "node:net";

/** How requests are dressed. */
export type Wire = "http" | "ws" | "ipc";

/** What is measured. */
export interface LoadOptions {
  readonly wire: Wire;
  /** `http://host:port`, `ws://host:port` or the path of a socket. */
  readonly target: string;
  /** The JSON text that every request carries. */
  readonly body: string;
  /** Calls in one body: 1, or the size of a batch. */
  readonly callsPerBody: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
}

/** Calls a second, and the answer that came first, so that a reader can see that it was one. */
export interface LoadResult {
  readonly callsPerSecond: number;
  readonly firstAnswer: string;
}

/** Measures one kind of request. */
export async function measure(options: LoadOptions): Promise<LoadResult> {
  const lanes = await Promise.all(Array.from({ length: options.connections }, () => openLane(options)));
  await pause(options.warmupMs);
  const before = total(lanes);
  const startedAt = performance.now();
  await pause(options.measureMs);
  const answers = total(lanes) - before;
  const seconds = (performance.now() - startedAt) / 1000;
  for (const lane of lanes) lane.socket.destroy();
  return {
    callsPerSecond: Math.round((answers * options.callsPerBody) / seconds),
    firstAnswer: (lanes[0]?.first ?? "").slice(0, 1000),
  };
}

interface Lane {
  readonly socket: Socket;
  answers: number;
  first: string;
}

function total(lanes: readonly Lane[]): number {
  return lanes.reduce((sum, lane) => sum + lane.answers, 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function openLane(options: LoadOptions): Promise<Lane> {
  const socket = await open(options);
  const request = dress(options);
  const lane: Lane = { socket, answers: 0, first: "" };
  let received = 0;
  let expected = 0;
  let early = Buffer.alloc(0);
  const done = () => {
    lane.answers++;
    received = 0;
    socket.write(request);
  };
  const measureFirst = (chunk: Buffer) => {
    early = Buffer.concat([early, chunk]);
    const length = answerLength(options.wire, early);
    if (length === 0 || early.length < length) return;
    expected = length;
    lane.first = early.toString("utf8");
    done();
  };
  socket.on("data", (chunk: Buffer) => {
    if (expected === 0) return measureFirst(chunk);
    received += chunk.length;
    if (received >= expected) done();
  });
  socket.write(request);
  return lane;
}

/** The bytes of the whole answer that begins here; 0 while that is not known. */
function answerLength(wire: Wire, bytes: Buffer): number {
  if (wire === "ipc") return bytes.length;
  if (wire === "ws") return frameLength(bytes);
  const text = bytes.toString("latin1");
  const head = text.indexOf("\r\n\r\n");
  const length = /content-length: *(\d+)/i.exec(text)?.[1];
  return head < 0 || length === undefined ? 0 : head + 4 + Number(length);
}

function frameLength(bytes: Buffer): number {
  const short = (bytes[1] ?? 0) & 0x7f;
  if (bytes.length < 10 && short > 125) return 0;
  if (short === 126) return 4 + bytes.readUInt16BE(2);
  return short === 127 ? 10 + Number(bytes.readBigUInt64BE(2)) : 2 + short;
}

function dress({ wire, target, body }: LoadOptions): Buffer {
  if (wire === "ipc") return Buffer.from(`${body}\n`);
  if (wire === "ws") return frame(Buffer.from(body));
  const { host, pathname } = new URL(target);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** A masked text frame; the mask of zeros leaves the text as it is. */
function frame(payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? Buffer.from([0x80 | payload.length])
      : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([Buffer.from([0x81]), length, Buffer.alloc(4), payload]);
}

async function open({ wire, target }: LoadOptions): Promise<Socket> {
  const url = wire === "ipc" ? undefined : new URL(target);
  const where: NetConnectOpts =
    url === undefined ? { path: target } : { host: url.hostname, port: Number(url.port), noDelay: true };
  const socket = connect(where);
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  if (wire === "ws" && url !== undefined) await upgrade(socket, url);
  return socket;
}

async function upgrade(socket: Socket, url: URL): Promise<void> {
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  const answer = await new Promise<Buffer>((resolve) => {
    socket.once("data", resolve);
  });
  if (!answer.toString("latin1").startsWith("HTTP/1.1 101"))
    throw new Error(`no upgrade: ${answer.toString()}`);
}
