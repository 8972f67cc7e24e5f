/** Messages over one socket after the encryption handshake: frames, and snappy once both sides have said hello. */
import type { Socket } from "node:net";
import type { ByteReader } from "./byte-reader.ts";
import { P2pError } from "./error.ts";
import {
  bodyBytes,
  createFrameReader,
  createFrameWriter,
  type FrameContent,
  type FrameKeys,
  HEADER_BYTES,
  joinContent,
  MOST_CONTENT,
  splitContent,
} from "./frame.ts";
import { type TimeShare, UNLIMITED_TIME } from "./peer-time.ts";
import { mostPacked, packSnappy, unpackSnappy } from "./snappy.ts";

/** A message as it came, still packed. */
export interface PackedMessage extends FrameContent {
  /** Bytes on the wire. */
  readonly wireBytes: number;
}

/** Accounts of the peer that is read. */
export interface ReadOptions {
  /** Time for decrypting. */
  readonly time?: TimeShare;
  /** Called with the bytes of a frame's body before it is read. */
  readonly onBody?: (bytes: number) => void;
}

/** One encrypted connection. */
export interface Transport {
  readonly socket: Socket;
  readonly reader: ByteReader;
  /**
   * The next message, not yet unpacked. `limit` is the longest payload that any message may have. Rejects with
   * `P2pError` `bad-frame`, `too-large`, `closed` or `timeout`.
   */
  read(limit: number, options?: ReadOptions): Promise<PackedMessage>;
  /** The payload itself. Throws `P2pError` `too-large` or `bad-message`. */
  unpack(message: FrameContent, limit: number): Uint8Array;
  /** Writes a message; `done` is called when the system has taken all of it. Gives its bytes on the wire. */
  write(message: FrameContent, done?: () => void): number;
  /** From here on payloads are packed, both ways. */
  startSnappy(): void;
}

/** The largest code that a frame can be expected to hold takes this many bytes. */
const MOST_CODE_BYTES = 5;

/** Puts frames on a socket. */
export function createTransport(
  socket: Socket,
  reader: ByteReader,
  keys: { readonly egress: FrameKeys; readonly ingress: FrameKeys },
): Transport {
  const seal = createFrameWriter(keys.egress);
  const open = createFrameReader(keys.ingress);
  let packed = false;
  return {
    socket,
    reader,
    async read(limit, { time = UNLIMITED_TIME, onBody } = {}) {
      const header = await reader.read(HEADER_BYTES);
      const length = await time.run(() => open.header(header));
      const most = MOST_CODE_BYTES + (packed ? mostPacked(limit) : limit);
      if (length > most)
        throw new P2pError("too-large", `frame of ${length} bytes, at most ${most}`, {
          reason: "subprotocol-error",
        });
      onBody?.(bodyBytes(length));
      const body = await reader.read(bodyBytes(length));
      const content = await time.run(() => open.body(body, length));
      return { ...splitContent(content), wireBytes: HEADER_BYTES + body.length };
    },
    unpack({ payload }, limit) {
      if (packed) return unpackSnappy(payload, Math.min(limit, MOST_CONTENT));
      if (payload.length > limit) throw new P2pError("too-large", `message of ${payload.length} bytes`);
      return payload;
    },
    write({ code, payload }, done) {
      const frame = seal(joinContent({ code, payload: packed ? packOnce(payload) : payload }));
      gather(socket);
      socket.write(frame, done);
      return frame.length;
    },
    startSnappy() {
      packed = true;
    },
  };
}

/** What is written in one turn goes to the system in one call: it may wake another process each time. */
function gather(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** A payload of this many bytes is packed once, however many peers get it. */
const WORTH_SHARING = 512;
const shared = new WeakMap<Uint8Array, Uint8Array>();

function packOnce(payload: Uint8Array): Uint8Array {
  if (payload.length < WORTH_SHARING) return packSnappy(payload);
  let packed = shared.get(payload);
  if (packed === undefined) {
    packed = packSnappy(payload);
    shared.set(payload, packed);
  }
  return packed;
}
