/** How requests are dressed for each wire, and where an answer ends: HTTP with a length or in chunks, frames, bare JSON. */

/** What carries requests. */
export type Wire = "http" | "ws" | "ipc";

/** The bytes of one request. `target` is `http://host:port`, `ws://host:port` or the path of a socket. */
export function dress(wire: Wire, target: string, body: string): Buffer {
  if (wire === "ipc") return Buffer.from(`${body}\n`);
  if (wire === "ws") return frame(Buffer.from(body));
  const { host, pathname } = new URL(target);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** A masked text frame (RFC 6455, section 5.2); the mask of zeros leaves the text as it is. */
function frame(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x81]), maskedLength(payload.length), Buffer.alloc(4), payload]);
}

function maskedLength(length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | length]);
  const bytes = Buffer.alloc(length < 0x10000 ? 3 : 9, 0x80 | (length < 0x10000 ? 126 : 127));
  if (length < 0x10000) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

/** Finds the end of one answer after another; there is never more than one under way. */
export interface AnswerReader {
  /** Whether the answer is whole with this chunk. */
  push(chunk: Buffer): boolean;
}

/** A reader for one connection. */
export function answerReader(wire: Wire): AnswerReader {
  if (wire === "http") return new HttpAnswers();
  return wire === "ws" ? new FrameAnswers() : new BareAnswers();
}

class HttpAnswers implements AnswerReader {
  #early: Buffer = Buffer.alloc(0);
  /** Bytes that are missing; in chunks, not known until the last one. */
  #left = 0;
  #isChunked = false;
  #lastHead = "";
  #lastLength = 0;

  push(chunk: Buffer): boolean {
    if (this.#isChunked) return this.#chunk(chunk);
    if (this.#left > 0) {
      this.#left -= chunk.length;
      return this.#left <= 0;
    }
    return this.#first(this.#early.length === 0 ? chunk : Buffer.concat([this.#early, chunk]));
  }

  #first(bytes: Buffer): boolean {
    const end = bytes.indexOf("\r\n\r\n");
    this.#early = end < 0 ? bytes : Buffer.alloc(0);
    if (end < 0) return false;
    const length = this.#lengthOf(bytes.toString("latin1", 0, end));
    if (Number.isNaN(length)) {
      this.#isChunked = true;
      return this.#chunk(bytes);
    }
    this.#left = end + 4 + length - bytes.length;
    return this.#left <= 0;
  }

  /** Ends with the empty chunk; JSON holds no line feed before a closing one. */
  #chunk(bytes: Buffer): boolean {
    this.#early = Buffer.concat([this.#early, bytes]).subarray(-LAST_CHUNK.length);
    if (!this.#early.equals(LAST_CHUNK)) return false;
    this.#early = Buffer.alloc(0);
    this.#isChunked = false;
    return true;
  }

  /** `NaN` when there is none. Most heads are those of the answer before. */
  #lengthOf(head: string): number {
    if (head === this.#lastHead) return this.#lastLength;
    const status = head.slice(9, 12);
    if (status !== "200") throw new Error(`HTTP status ${status}`);
    this.#lastHead = head;
    this.#lastLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    return this.#lastLength;
  }
}

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** Text frames, in as many fragments as the server likes; control frames do not come while the connection is busy. */
class FrameAnswers implements AnswerReader {
  #bytes: Buffer = Buffer.alloc(0);
  #left = 0;
  #isLast = true;

  push(chunk: Buffer): boolean {
    if (this.#left > chunk.length) {
      this.#left -= chunk.length;
      return false;
    }
    const rest = chunk.subarray(this.#left);
    if (this.#left > 0 && rest.length === 0) {
      this.#left = 0;
      return this.#isLast;
    }
    this.#bytes = this.#bytes.length === 0 ? rest : Buffer.concat([this.#bytes, rest]);
    this.#left = 0;
    return this.#frame();
  }

  #frame(): boolean {
    const short = (this.#bytes[1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#bytes.length < head) return false;
    const length = payloadLength(this.#bytes, short);
    this.#isLast = ((this.#bytes[0] ?? 0) & 0x80) !== 0;
    const rest = this.#bytes.subarray(head);
    this.#bytes = Buffer.alloc(0);
    if (rest.length > length) return this.push(rest.subarray(length));
    this.#left = length - rest.length;
    return this.#left === 0 && this.#isLast;
  }
}

function payloadLength(bytes: Buffer, short: number): number {
  if (short < 126) return short;
  return short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}

/** JSON without any framing: whole when its brackets are. Answers measured here are short and hold none in strings. */
class BareAnswers implements AnswerReader {
  #depth = 0;

  push(chunk: Buffer): boolean {
    let sawBracket = false;
    for (const byte of chunk) {
      if (byte === 0x7b || byte === 0x5b) this.#depth++;
      else if (byte === 0x7d || byte === 0x5d) this.#depth--;
      else continue;
      sawBracket = true;
    }
    return sawBracket && this.#depth === 0;
  }
}
