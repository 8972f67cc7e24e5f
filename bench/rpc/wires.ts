/** Framing of requests and responses by wire: HTTP with a length or in chunks, frames, bare JSON. */

/** A transport of requests. */
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
  /** Adds the first `length` bytes of a reused buffer; returns true when the response is complete. */
  push(bytes: Buffer, length: number): boolean;
}

/** A reader for one connection. */
export function answerReader(wire: Wire): AnswerReader {
  if (wire === "http") return new HttpAnswers();
  return wire === "ws" ? new FrameAnswers() : new BareAnswers();
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = "\r\n\r\n";

/** Most heads are those of the answer before, byte for byte: then nothing of an answer is looked at. */
class HttpAnswers implements AnswerReader {
  #early: Buffer = NOTHING;
  /** Bytes that are missing; in chunks, not known until the last one. */
  #left = 0;
  #isChunked = false;
  #lastHead: Buffer = NOTHING;
  #lastLength = 0;

  push(bytes: Buffer, length: number): boolean {
    if (this.#left > 0) return this.#until(this.#left - length);
    const head = this.#lastHead;
    const isKnown = head.length > 0 && head.length <= length && this.#early.length === 0;
    if (isKnown && bytes.compare(head, 0, head.length, 0, head.length) === 0)
      return this.#until(head.length + this.#lastLength - length);
    const chunk = Buffer.concat([this.#early, bytes.subarray(0, length)]);
    return this.#isChunked ? this.#chunk(chunk) : this.#first(chunk);
  }

  #until(left: number): boolean {
    this.#left = Math.max(0, left);
    return left <= 0;
  }

  #first(bytes: Buffer): boolean {
    const end = bytes.indexOf(HEAD_END);
    this.#early = end < 0 ? bytes : NOTHING;
    if (end < 0) return false;
    const length = bodyLength(bytes.toString("latin1", 0, end));
    if (Number.isNaN(length)) {
      this.#isChunked = true;
      return this.#chunk(bytes);
    }
    this.#lastHead = bytes.subarray(0, end + HEAD_END.length);
    this.#lastLength = length;
    return this.#until(this.#lastHead.length + length - bytes.length);
  }

  /** Ends with the empty chunk; JSON holds no line feed before a closing one. */
  #chunk(bytes: Buffer): boolean {
    this.#early = bytes.subarray(-LAST_CHUNK.length);
    if (!this.#early.equals(LAST_CHUNK)) return false;
    this.#early = NOTHING;
    this.#isChunked = false;
    return true;
  }
}

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** `NaN` when the head does not tell. */
function bodyLength(head: string): number {
  const status = head.slice(9, 12);
  if (status !== "200") throw new Error(`HTTP status ${status}`);
  return Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
}

/** Text frames, in as many fragments as the server likes; control frames do not come while the connection is busy. */
class FrameAnswers implements AnswerReader {
  #bytes: Buffer = NOTHING;
  #left = 0;
  #isLast = true;

  push(bytes: Buffer, length: number): boolean {
    const isShort = bytes[0] === 0x81 && length === 2 + (bytes[1] ?? 0);
    if (isShort && this.#left === 0 && this.#bytes.length === 0) return true;
    return this.#take(Buffer.from(bytes.subarray(0, length)));
  }

  #take(chunk: Buffer): boolean {
    if (this.#left > chunk.length) {
      this.#left -= chunk.length;
      return false;
    }
    const rest = chunk.subarray(this.#left);
    if (this.#left > 0 && rest.length === 0) {
      this.#left = 0;
      return this.#isLast;
    }
    this.#bytes = Buffer.concat([this.#bytes, rest]);
    this.#left = 0;
    return this.#frame();
  }

  #frame(): boolean {
    const short = (this.#bytes[1] ?? 0) & 0x7f;
    const head = frameHead(short);
    if (this.#bytes.length < head) return false;
    const length = payloadLength(this.#bytes, short);
    this.#isLast = ((this.#bytes[0] ?? 0) & 0x80) !== 0;
    const rest = this.#bytes.subarray(head);
    this.#bytes = NOTHING;
    if (rest.length > length) return this.#take(rest.subarray(length));
    this.#left = length - rest.length;
    return this.#left === 0 && this.#isLast;
  }
}

/** Bytes before the payload of a frame that a server sends. */
function frameHead(short: number): number {
  if (short < 126) return 2;
  return short === 126 ? 4 : 10;
}

function payloadLength(bytes: Buffer, short: number): number {
  if (short < 126) return short;
  return short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}

/** JSON without any framing: whole when its brackets are. Answers measured here are short and hold none in strings. */
class BareAnswers implements AnswerReader {
  #depth = 0;

  push(bytes: Buffer, length: number): boolean {
    let sawBracket = false;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at];
      if (byte === 0x7b || byte === 0x5b) this.#depth++;
      else if (byte === 0x7d || byte === 0x5d) this.#depth--;
      else continue;
      sawBracket = true;
    }
    return sawBracket && this.#depth === 0;
  }
}

/** Throws when a whole answer, as it came over the wire, is an error or no answer at all. */
export function checkAnswer(wire: Wire, bytes: Buffer): void {
  const text = bytes.toString("latin1", payloadStart(wire, bytes)).replace(/\r\n[0-9a-f]+\r\n/gi, "");
  const json = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  const answers = [JSON.parse(json)].flat() as { readonly result?: unknown }[];
  const wrong = answers.find(({ result }) => result === undefined || result === null);
  if (wrong !== undefined) throw new Error(`the answer is ${JSON.stringify(wrong).slice(0, 200)}`);
}

function payloadStart(wire: Wire, bytes: Buffer): number {
  if (wire === "ipc") return 0;
  return wire === "ws" ? frameHead((bytes[1] ?? 0) & 0x7f) : bytes.indexOf(HEAD_END) + 2;
}
