/**
 * The Go node's JSON scanner (`encoding/json/scanner.go`): finds the end of a value across chunks of text and
 * reports syntax errors in the same words. It frames the IPC stream and words the parse errors of WebSocket
 * and IPC. It reads each character once.
 */
import { goQuoted } from "../bytes/go-quoted.ts";

/**
 * The error of text that is not JSON, in Go's words, such as `invalid character 'x' looking for beginning of
 * value`.
 */
export class JsonScanError extends Error {
  override readonly name = "JsonScanError";
}

type State = (scanner: Scanner, code: number) => State | undefined;

/** The next thing that the innermost open bracket accepts. */
type Level = "key" | "value" | "element";

interface Scanner {
  readonly levels: Level[];
}

const MAX_DEPTH = 10_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A scan of one value. Each value needs a new one. */
export class JsonScanner {
  readonly levels: Level[] = [];
  #state: State = beginValue;
  #started = false;

  /** True inside a value: input that ends now is truncated. */
  get started(): boolean {
    return this.#started;
  }

  /**
   * Scans on from `from`. Returns the index behind the value when it ends in this text, else -1. A scalar
   * ends only when another character follows it. Throws `JsonScanError`.
   */
  scan(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (this.#state === inString) at = plainEnd(text, at);
      if (at >= text.length) return -1;
      const code = text.charCodeAt(at);
      if (!this.#started && !isSpace(code)) this.#started = true;
      const depth = this.levels.length;
      const next = this.#state(this, code);
      if (next === undefined) return depth === 0 ? at : at + 1; // a bare scalar ends before this character
      this.#state = next;
    }
    return -1;
  }
}

/** The error text of a value that has no end. */
export const UNEXPECTED_EOF = "unexpected EOF";

/** Returns the error text for anything but a complete JSON value; undefined when the first value is valid. */
export function jsonFault(text: string): string | undefined {
  const scanner = new JsonScanner();
  try {
    if (scanner.scan(text, 0) >= 0) return undefined;
  } catch (error) {
    return (error as JsonScanError).message;
  }
  return isEnd(scanner) ? undefined : UNEXPECTED_EOF;
}

/** Reports if the text may end here: a number or a word is whole. */
function isEnd(scanner: JsonScanner): boolean {
  try {
    return scanner.scan(" ", 0) >= 0;
  } catch {
    return false;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Returns the index of the next character inside a string that is a quote, an escape or a control character.
 */
function plainEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH || code < 0x20) break;
  }
  return at;
}

function fault(code: number, where: string): JsonScanError {
  return new JsonScanError(`invalid character ${quoteCharacter(code)} ${where}`);
}

function quoteCharacter(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === QUOTE) return "'\"'";
  const first = Buffer.from(String.fromCharCode(code), "utf8")[0] ?? code; // Go looks at bytes
  return `'${goQuoted(String.fromCharCode(first)).slice(1, -1)}'`;
}

function open(scanner: Scanner, level: Level, next: State): State {
  if (scanner.levels.push(level) > MAX_DEPTH)
    throw fault(level === "key" ? 0x7b : 0x5b, "exceeded max depth");
  return next;
}

function close(scanner: Scanner): State | undefined {
  scanner.levels.pop();
  return scanner.levels.length === 0 ? undefined : endValue;
}

const beginValue: State = (scanner, code) => {
  if (isSpace(code)) return beginValue;
  if (code === 0x7b) return open(scanner, "key", beginKeyOrEnd);
  if (code === 0x5b) return open(scanner, "element", beginElementOrEnd);
  if (code === QUOTE) return inString;
  if (code === 0x2d) return negative;
  if (code === 0x30) return afterZero;
  if (isDigit(code)) return inInteger;
  const literal = WORDS[String.fromCharCode(code)];
  if (literal !== undefined) return literal;
  throw fault(code, "looking for beginning of value");
};

const beginElementOrEnd: State = (scanner, code) => {
  if (isSpace(code)) return beginElementOrEnd;
  return code === 0x5d ? close(scanner) : beginValue(scanner, code);
};

const beginKeyOrEnd: State = (scanner, code) => {
  if (isSpace(code)) return beginKeyOrEnd;
  return code === 0x7d ? close(scanner) : beginKey(scanner, code);
};

const beginKey: State = (_scanner, code) => {
  if (isSpace(code)) return beginKey;
  if (code === QUOTE) return inString;
  throw fault(code, "looking for beginning of object key string");
};

/** State after a value inside a bracket. */
const endValue: State = (scanner, code) => {
  if (isSpace(code)) return endValue;
  const level = scanner.levels.at(-1);
  if (level === "key") return afterKey(scanner, code);
  if (level === "value") return afterMember(scanner, code);
  if (code === 0x2c) return beginValue;
  if (code === 0x5d) return close(scanner);
  throw fault(code, "after array element");
};

function afterKey(scanner: Scanner, code: number): State {
  if (code !== 0x3a) throw fault(code, "after object key");
  scanner.levels[scanner.levels.length - 1] = "value";
  return beginValue;
}

function afterMember(scanner: Scanner, code: number): State | undefined {
  if (code === 0x7d) return close(scanner);
  if (code !== 0x2c) throw fault(code, "after object key:value pair");
  scanner.levels[scanner.levels.length - 1] = "key";
  return beginKey;
}

/** State after a scalar. At the top level the value has ended, and this character is not part of it. */
const scalarEnd: State = (scanner, code) => {
  return scanner.levels.length === 0 ? undefined : endValue(scanner, code);
};

const inString: State = (_scanner, code) => {
  if (code === QUOTE) return scalarEnd;
  if (code === BACKSLASH) return inEscape;
  if (code < 0x20) throw fault(code, "in string literal");
  return inString;
};

const inEscape: State = (_scanner, code) => {
  const character = String.fromCharCode(code);
  if ('bfnrt\\/"'.includes(character)) return inString;
  if (character === "u") return hexDigit(4);
  throw fault(code, "in string escape code");
};

const HEX_STATES: State[] = [];

function hexDigit(left: number): State {
  if (left === 0) return inString;
  HEX_STATES[left] ??= (_scanner, code) => {
    if (/[0-9a-fA-F]/.test(String.fromCharCode(code))) return hexDigit(left - 1);
    throw fault(code, "in \\u hexadecimal character escape");
  };
  return HEX_STATES[left];
}

const negative: State = (_scanner, code) => {
  if (code === 0x30) return afterZero;
  if (isDigit(code)) return inInteger;
  throw fault(code, "in numeric literal");
};

const inInteger: State = (scanner, code) => (isDigit(code) ? inInteger : afterZero(scanner, code));

const afterZero: State = (scanner, code) => {
  if (code === 0x2e) return beginFraction;
  if (code === 0x65 || code === 0x45) return beginExponent;
  return scalarEnd(scanner, code);
};

const beginFraction: State = (_scanner, code) => {
  if (isDigit(code)) return inFraction;
  throw fault(code, "after decimal point in numeric literal");
};

const inFraction: State = (scanner, code) => {
  if (isDigit(code)) return inFraction;
  return code === 0x65 || code === 0x45 ? beginExponent : scalarEnd(scanner, code);
};

const beginExponent: State = (scanner, code) =>
  code === 0x2b || code === 0x2d ? exponentDigit : exponentDigit(scanner, code);

const exponentDigit: State = (_scanner, code) => {
  if (isDigit(code)) return inExponent;
  throw fault(code, "in exponent of numeric literal");
};

const inExponent: State = (scanner, code) => (isDigit(code) ? inExponent : scalarEnd(scanner, code));

/** States behind the first letter of `true`, `false` and `null`. */
const WORDS: Readonly<Record<string, State>> = { t: word("true"), f: word("false"), n: word("null") };

function word(text: string, at = 1): State {
  const expected = text.charAt(at);
  const next = at + 1 === text.length ? scalarEnd : word(text, at + 1);
  return (_scanner, code) => {
    if (String.fromCharCode(code) === expected) return next;
    throw fault(code, `in literal ${text} (expecting '${expected}')`);
  };
}
