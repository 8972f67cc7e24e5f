/**
 * Reads the envelope of a JSON-RPC message in one pass over its text: the common members are recognised in
 * place, others are sliced, and only `params` is parsed. In: one JSON value; text behind it is ignored. Out:
 * the calls of the message, each id as the client wrote it. Hot: every request of every transport passes
 * here. A long batch is read in pieces, so that other work comes between them.
 */
import { parseJson } from "./json-text.ts";

/** One call, notification or response as the client wrote it. */
export interface RpcMessage {
  /** The id's JSON text; undefined when there is no id. */
  readonly id: string | undefined;
  /** Empty when it is absent or not a string. */
  readonly method: string;
  /** The parsed parameters; undefined when the member is absent, null when it is null. */
  readonly params: unknown;
  /** The text `params` was parsed from, empty when absent. */
  readonly paramsText: string;
  /** True for a response: the message has a `result` or an `error`. */
  readonly answers: boolean;
}

/** Messages in their order, as an array has them. */
export interface MessageList extends Iterable<RpcMessage> {
  readonly length: number;
  at(index: number): RpcMessage | undefined;
  /** True when an entry is read again each time. */
  readonly isDense?: boolean;
}

/** A whole message: one request or a batch, and the index of its end. */
export interface Envelope {
  readonly isBatch: boolean;
  readonly messages: MessageList;
  readonly end: number;
}

/** Characters of a batch above which it is read in pieces, and its memory is estimated before it begins. */
const LONG_BATCH = 64 * 1024;
/** Characters of one piece, at least: less than a millisecond. */
const PIECE = 4096;
/**
 * Bytes for a character above which the entries of a long batch are read again when their turn comes. Calls with
 * addresses and hashes take 4; 500 kB of the smallest entries are 12 MB of objects.
 */
const DENSE = 8;

/** Values with deeper nesting are a syntax error, as in Go. */
const MAX_DEPTH = 10_000;
const NO_PARAMS: readonly unknown[] = Object.freeze([]);
const NOT_AN_OBJECT: RpcMessage = {
  id: undefined,
  method: "",
  params: undefined,
  paramsText: "",
  answers: false,
};
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

const TAB = 0x09;
const LINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Thrown inside the reader only. One object for all, because its stack is never read. */
const notJson = new SyntaxError("not JSON");

/**
 * Reads one message. Returns "empty" for white space alone, undefined for text that is not JSON, and a long batch before
 * it is read.
 */
export function readEnvelope(text: string): Envelope | LongBatch | "empty" | undefined {
  try {
    return new EnvelopeReader(text).read();
  } catch {
    return undefined; // a syntax error here, or from JSON.parse
  }
}

class EnvelopeReader {
  readonly #text: string;
  #at = 0;
  /** Brackets around the entries: that of the batch. */
  #around = 0;
  /** Brackets around the value that is read. */
  #outer = 0;
  /**
   * The last method name with its closing quote: the entries of a batch often share it, so it is sliced once.
   */
  #method = { name: "", quoted: "" };

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the entry of a batch that begins at an index. */
  entry(start: number): RpcMessage {
    this.#at = start;
    return this.#message();
  }

  read(): Envelope | LongBatch | "empty" {
    const first = this.#next();
    if (first === OPEN_LIST) {
      if (this.#text.length > LONG_BATCH) return new LongBatch(this, this.#text);
      const messages: RpcMessage[] = [];
      if (!this.opensEmpty()) while (!this.entries(Number.POSITIVE_INFINITY, messages));
      return { isBatch: true, messages, end: this.#at };
    }
    if (this.#at === this.#text.length) return "empty";
    return { isBatch: false, messages: [this.#message()], end: this.#at };
  }

  /** Index of the next character. */
  get at(): number {
    return this.#at;
  }

  /** Passes the bracket that opens a batch. Returns true when the batch is empty, and its end is passed as well. */
  opensEmpty(): boolean {
    this.#at++;
    this.#around = 1;
    if (this.#next() !== CLOSE_LIST) return false;
    this.#at++;
    return true;
  }

  /**
   * Reads entries of a batch until `characters` are passed, and adds them or, where they are wanted instead, the indexes
   * at which they begin. Returns true when the batch has ended.
   */
  entries(characters: number, messages: RpcMessage[], starts?: number[]): boolean {
    for (const until = this.#at + characters; this.#at < until; ) {
      this.#next();
      const start = this.#at;
      const message = this.#message();
      if (starts === undefined) messages.push(message);
      else starts.push(start);
      if (this.#endOrComma(CLOSE_LIST)) return true;
    }
    return false;
  }

  #message(): RpcMessage {
    this.#outer = this.#around;
    if (this.#text.charCodeAt(this.#at) !== OPEN_OBJECT) {
      const value = this.#value();
      if (value !== "[]") parseJson(value);
      return NOT_AN_OBJECT;
    }
    const draft = { id: undefined, method: "", params: undefined, paramsText: "", answers: false } as Draft;
    this.#outer++;
    this.#at++;
    if (this.#next() === CLOSE_OBJECT) {
      this.#at++;
      return draft;
    }
    for (;;) {
      if (this.#next() !== QUOTE) throw notJson;
      const key = this.#key();
      if (this.#next() !== COLON) throw notJson;
      this.#at++;
      this.#next();
      this.#member(draft, key);
      if (this.#endOrComma(CLOSE_OBJECT)) return draft;
    }
  }

  #member(draft: Draft, key: string): void {
    switch (key) {
      case "jsonrpc":
        this.#skip();
        return;
      case "id":
        draft.id = this.#checkValue();
        return;
      case "method":
        draft.method = this.#methodName();
        return;
      case "params":
        this.#params(draft);
        return;
      case "result":
        this.#skip();
        draft.answers = true;
        return;
      case "error":
        if (this.#checkValue() !== "null") draft.answers = true;
        return;
      default:
        this.#foldedMember(draft, key);
    }
  }

  /** Matches member names without regard to case, as Go does. */
  #foldedMember(draft: Draft, key: string): void {
    const folded = key.toLowerCase();
    if (folded === key || !MEMBERS.has(folded)) this.#skip();
    else this.#member(draft, folded);
  }

  /** Returns the name of a member; those of a call are not sliced from the text. */
  #key(): string {
    const known = memberAt(this.#text, this.#at + 1);
    if (known === undefined) return this.#string();
    this.#at += known.length + 2;
    return known;
  }

  /** Returns the method's name; empty when it is not a string. */
  #methodName(): string {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== QUOTE) {
      this.#skip();
      return "";
    }
    const { name, quoted } = this.#method;
    if (quoted !== "" && this.#text.startsWith(quoted, start + 1)) {
      this.#at = start + 1 + quoted.length;
      return name;
    }
    const found = this.#string();
    const isPlain = this.#at - start === found.length + 2;
    if (isPlain) this.#method = { name: found, quoted: `${found}"` };
    return found;
  }

  #params(draft: Draft): void {
    const text = this.#value();
    draft.paramsText = text;
    draft.params = text === "[]" ? NO_PARAMS : parseJson(text);
  }

  #skip(): void {
    if (this.#text.charCodeAt(this.#at) === QUOTE) this.#passString();
    else this.#checkValue();
  }

  /** Returns the text of a value after validating it as JSON. */
  #checkValue(): string {
    const start = this.#at;
    const first = this.#text.charCodeAt(start);
    if (first === QUOTE) {
      this.#passString();
      return this.#text.slice(start, this.#at);
    }
    const text = this.#value();
    if (first === OPEN_LIST || first === OPEN_OBJECT) JSON.parse(text);
    return text;
  }

  /** Returns the text of the value at the cursor. Its extent is right if it is JSON at all. */
  #value(): string {
    const start = this.#at;
    const first = this.#text.charCodeAt(start);
    if (first === QUOTE) this.#at = this.#stringEnd(start);
    else if (first === OPEN_LIST || first === OPEN_OBJECT) this.#at = this.#nestedEnd(start);
    else this.#at = this.#scalarEnd(start);
    return this.#text.slice(start, this.#at);
  }

  #scalarEnd(start: number): number {
    const plain = plainNumberEnd(this.#text, start);
    if (plain > start) return plain;
    SCALAR.lastIndex = start;
    if (!SCALAR.test(this.#text)) throw notJson;
    return SCALAR.lastIndex;
  }

  #nestedEnd(start: number): number {
    const text = this.#text;
    const maxDepth = MAX_DEPTH - this.#outer;
    let depth = 0;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#stringEnd(at) - 1;
      else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        if (++depth > maxDepth) throw notJson;
      } else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && --depth === 0) return at + 1;
    }
    throw notJson;
  }

  #stringEnd(start: number): number {
    for (let from = start + 1; ; ) {
      const quote = this.#text.indexOf('"', from);
      if (quote < 0) throw notJson;
      let before = quote - 1;
      while (this.#text.charCodeAt(before) === BACKSLASH) before--;
      if ((quote - before) % 2 === 1) return quote + 1;
      from = quote + 1;
    }
  }

  /** Returns the value of a string. A string without escapes and control characters is only sliced. */
  #string(): string {
    const start = this.#at;
    if (this.#passString()) return this.#text.slice(start + 1, this.#at - 1);
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  /** Moves behind a string. Returns true when its text is its value. Throws when there is no string. */
  #passString(): boolean {
    const start = this.#at;
    const end = this.#stringEnd(start);
    this.#at = end;
    for (let at = start + 1; at < end - 1; at++) {
      const code = this.#text.charCodeAt(at);
      if (code >= SPACE && code !== BACKSLASH) continue;
      JSON.parse(this.#text.slice(start, end));
      return false;
    }
    return true;
  }

  #endOrComma(end: number): boolean {
    const code = this.#next();
    if (code !== COMMA && code !== end) throw notJson;
    this.#at++;
    return code === end;
  }

  /** Skips white space. Returns the code of the next character, NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== LINE && code !== RETURN && code !== TAB) return code;
      this.#at++;
    }
  }
}

/** A batch above 64 KiB. */
export class LongBatch {
  /** See `messageMemory`. */
  readonly memory: number;
  readonly #reader: EnvelopeReader;
  readonly #messages: RpcMessage[] = [];
  readonly #starts: number[] | undefined;
  #isBegun = false;

  constructor(reader: EnvelopeReader, text: string) {
    this.#reader = reader;
    this.memory = messageMemory(text);
    this.#starts = this.memory > DENSE * text.length ? [] : undefined;
  }

  /** Reads the next piece. Returns the batch behind the last one, undefined when its text is not JSON. */
  readOn(): Envelope | "unfinished" | undefined {
    try {
      const isOver = this.#begins() || this.#reader.entries(PIECE, this.#messages, this.#starts);
      if (!isOver) return "unfinished";
    } catch {
      return undefined; // a syntax error here, or from JSON.parse
    }
    const { at: end } = this.#reader;
    const messages = this.#starts === undefined ? this.#messages : new DenseBatch(this.#reader, this.#starts);
    return { isBatch: true, messages, end };
  }

  /** Passes the bracket before the first piece. Returns true when the batch is empty. */
  #begins(): boolean {
    if (this.#isBegun) return false;
    this.#isBegun = true;
    return this.#reader.opensEmpty();
  }
}

/** The entries of a dense batch, which was read to its end once: each is read again, and no two are kept. */
class DenseBatch implements MessageList {
  readonly isDense = true;
  readonly length: number;
  readonly #reader: EnvelopeReader;
  readonly #starts: readonly number[];

  constructor(reader: EnvelopeReader, starts: readonly number[]) {
    this.length = starts.length;
    this.#reader = reader;
    this.#starts = starts;
  }

  at(index: number): RpcMessage | undefined {
    const start = this.#starts[index];
    return start === undefined ? undefined : this.#reader.entry(start);
  }

  *[Symbol.iterator](): Iterator<RpcMessage> {
    for (const start of this.#starts) yield this.#reader.entry(start);
  }
}

/** Bytes of a list or object, and of an element, in parsed parameters; measured. */
const CONTAINER_BYTES = 56;
const ELEMENT_BYTES = 24;

/**
 * Memory of a message and its parsed parameters, at most: the objects that its brackets and commas make, and its
 * characters twice.
 */
export function messageMemory(text: string): number {
  let containers = 0;
  let elements = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) elements++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) containers++;
  }
  return 2 * text.length + CONTAINER_BYTES * containers + ELEMENT_BYTES * elements;
}

interface Draft {
  id: string | undefined;
  method: string;
  params: unknown;
  paramsText: string;
  answers: boolean;
}

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Member names with the closing quote, by first character; no two share one. */
const byFirst: ({ readonly name: string; readonly quoted: string } | undefined)[] = [];
for (const name of MEMBERS) byFirst[name.charCodeAt(0)] = { name, quoted: `${name}"` };

const ZERO = 0x30;
const NINE = 0x39;

/** Returns the member whose name and closing quote begin at `at`. */
function memberAt(text: string, at: number): string | undefined {
  const row = byFirst[text.charCodeAt(at)];
  return row !== undefined && text.startsWith(row.quoted, at) ? row.name : undefined;
}

/** Returns the end of an unsigned integer that ends a member, as ids do; `start` for anything else. */
function plainNumberEnd(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  if (code === ZERO) return start;
  while (code >= ZERO && code <= NINE) code = text.charCodeAt(++at);
  return code === COMMA || code === CLOSE_OBJECT ? at : start;
}
