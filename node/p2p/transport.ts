/** Messages over one socket after the encryption handshake: frames, compressed with Snappy after hello. */
import type { Socket } from "node:net";
import { type TimeShare, UNLIMITED_TIME } from "../runtime/fair-time.ts";
import { runAtOnce } from "../runtime/scheduler.ts";
import { BASE, encodeDisconnect } from "./base-messages.ts";
import type { ByteReader } from "./byte-reader.ts";
import { type DisconnectReason, reasonCode } from "./disconnect-reasons.ts";
import { P2pError } from "./error.ts";
import {
  bodyBytes,
  createFrameReader,
  createFrameWriter,
  type FrameContent,
  type FrameKeys,
  HEADER_BYTES,
  joinContent,
  MAX_CONTENT_BYTES,
  splitContent,
} from "./frame.ts";
import { maxPackedBytes, PACK_STEP_BYTES, packSnappy, packSnappySteps, unpackSnappySteps } from "./snappy.ts";

/** A received message, still compressed. */
export interface PackedMessage extends FrameContent {
  /** Size on the wire, in bytes. */
  readonly wireBytes: number;
}

/** Accounts of the peer that is read. */
export interface FrameReadOptions {
  /** Time share for decryption. */
  readonly time?: TimeShare;
  /** Called with the size of a frame's body before it is read. */
  readonly onBody?: (bytes: number) => void;
}

/** One encrypted connection. */
export interface RlpxTransport {
  readonly socket: Socket;
  readonly reader: ByteReader;
  /**
   * Reads the next message without decompressing it. `limit` is the maximum payload of any message. Rejects
   * with `P2pError` `bad-frame`, `too-large`, `closed` or `timeout`.
   */
  read(limit: number, options?: FrameReadOptions): Promise<PackedMessage>;
  /** Decompresses a payload. Throws `P2pError` `too-large` or `bad-message`. */
  unpack(message: FrameContent, limit: number): Uint8Array;
  /** Same as `unpack`, in steps. */
  unpackSteps(message: FrameContent, limit: number): Generator<undefined, Uint8Array>;
  /** Compresses a payload in steps for the `write` that follows; undefined for one that takes a single step. */
  packSteps(message: FrameContent): Generator<undefined, void> | undefined;
  /**
   * Writes a message and returns its size on the wire. `done` is called when the operating system has
   * accepted it.
   */
  write(message: FrameContent, done?: () => void): number;
  /** Compresses payloads in both directions from now on. */
  startSnappy(): void;
}

/** Maximum size of an encoded message code, in bytes. */
const MAX_CODE_BYTES = 5;

/** Creates a transport. */
export function createTransport(
  socket: Socket,
  reader: ByteReader,
  keys: { readonly egress: FrameKeys; readonly ingress: FrameKeys },
): RlpxTransport {
  const seal = createFrameWriter(keys.egress);
  const open = createFrameReader(keys.ingress);
  let packed = false;
  function* unpackSteps({ payload }: FrameContent, limit: number): Generator<undefined, Uint8Array> {
    if (packed) return yield* unpackSnappySteps(payload, Math.min(limit, MAX_CONTENT_BYTES));
    if (payload.length > limit) throw new P2pError("too-large", `message of ${payload.length} bytes`);
    return payload;
  }
  return {
    socket,
    reader,
    async read(limit, { time = UNLIMITED_TIME, onBody } = {}) {
      const header = await reader.read(HEADER_BYTES);
      const length = await time.run(() => open.header(header));
      const max = MAX_CODE_BYTES + (packed ? maxPackedBytes(limit) : limit);
      if (length > max)
        throw new P2pError("too-large", `frame of ${length} bytes, at most ${max}`, {
          reason: "subprotocol-error",
        });
      onBody?.(bodyBytes(length));
      const body = await reader.read(bodyBytes(length));
      const content = await time.run(() => open.body(body, length));
      return { ...splitContent(content), wireBytes: HEADER_BYTES + body.length };
    },
    unpack: (message, limit) => runAtOnce(unpackSteps(message, limit)),
    unpackSteps,
    packSteps({ payload }) {
      const isLong = packed && payload.length > PACK_STEP_BYTES && !packedPayloads.has(payload);
      return isLong ? packAhead(payload) : undefined;
    },
    write({ code, payload }, done) {
      const frame = seal(joinContent({ code, payload: packed ? packCached(payload) : payload }));
      corkUntilNextTick(socket);
      socket.write(frame, done);
      return frame.length;
    },
    startSnappy() {
      packed = true;
    },
  };
}

/** Joins the writes of one turn into one system call, since each may wake another process. */
function corkUntilNextTick(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Minimum size of a payload whose compressed form is cached for further peers, in bytes. */
const MIN_CACHED_BYTES = 512;
const packedPayloads = new WeakMap<Uint8Array, Uint8Array>();

function* packAhead(payload: Uint8Array): Generator<undefined, void> {
  packedPayloads.set(payload, yield* packSnappySteps(payload));
}

function packCached(payload: Uint8Array): Uint8Array {
  if (payload.length < MIN_CACHED_BYTES) return packSnappy(payload);
  let packed = packedPayloads.get(payload);
  if (packed === undefined) {
    packed = packSnappy(payload);
    packedPayloads.set(payload, packed);
  }
  return packed;
}

/** Options for closing a connection. */
export interface CloseOptions {
  readonly reason: DisconnectReason | undefined;
  /** Wire form of the reason: `bare` before hello, `list` after it. */
  readonly form: "bare" | "list";
  readonly timeoutMs: number;
}

/**
 * Sends the disconnect reason, if any, and closes the connection. The socket is destroyed after the timeout
 * at the latest.
 */
export function closeTransport(transport: RlpxTransport, { reason, form, timeoutMs }: CloseOptions): void {
  const { socket } = transport;
  if (reason === undefined || reason === "network-error" || !socket.writable) {
    socket.destroy();
    return;
  }
  transport.write({ code: BASE.disconnect, payload: encodeDisconnect({ code: reasonCode(reason), form }) });
  endSocket(socket, timeoutMs);
}

/**
 * Ends the writing side and discards what is received: a close with unread bytes would reset the connection.
 */
function endSocket(socket: Socket, timeoutMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timer));
  socket.removeAllListeners("readable");
  socket.end();
  socket.resume();
}
