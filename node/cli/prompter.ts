/** Prompts for passphrases: without echo on a terminal, line by line from other input. */
import { ECHO_WARNING } from "../console/echo-warning.ts";

/** Prompts the user. */
export interface Prompter {
  /**
   * Prompts for a passphrase. Rejects with `Failed to read passphrase: ...` when the user cancels or the
   * input ends.
   */
  passphrase(question: string): Promise<string>;
}

/** The used part of standard input; `process.stdin` is one. */
export interface PromptInput {
  readonly isTTY?: boolean | undefined;
  setRawMode?(on: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  on(name: "data", listener: (text: string) => void): unknown;
  on(name: "end", listener: () => void): unknown;
  off(name: "data" | "end", listener: (text: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Maximum length of a passphrase in characters; longer ones are rejected, not cut. */
const MAX_CHARACTERS = 4096;

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const ERASERS = new Set(["\u007f", "\b"]);

/**
 * Creates a prompter. It reads input only during a prompt, so that the program can exit after the last one.
 */
export function createPrompter(input: PromptInput, output: { write(text: string): unknown }): Prompter {
  const left: Left = { typed: "", ended: false };
  let warned = false;
  return {
    async passphrase(question) {
      if (input.isTTY !== true && !warned) {
        output.write(ECHO_WARNING);
        warned = true;
      }
      input.setEncoding("utf8");
      if (input.isTTY === true) input.setRawMode?.(true); // whoever sees the question may type at once
      output.write(question);
      try {
        return await readLine(input, left);
      } finally {
        if (input.isTTY === true) input.setRawMode?.(false);
        output.write("\n");
      }
    },
  };
}

/** Input after the last line. */
interface Left {
  typed: string;
  ended: boolean;
}

function readLine(input: PromptInput, left: Left): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const editor = createEditor(input.isTTY === true);
  const fail = (why: string): void => reject(new Error(`Failed to read passphrase: ${why}`));
  const onData = (text: string): void => {
    const characters = Array.from(text);
    for (const [place, character] of characters.entries()) {
      const done = editor.take(character);
      left.typed = characters.slice(place + 1).join("");
      if (done === "aborted") return fail("prompt aborted");
      if (done === "end") return fail("EOF");
      if (editor.line.length > MAX_CHARACTERS) return fail(`more than ${MAX_CHARACTERS} characters`);
      if (done === "line") return resolve(editor.line);
    }
  };
  const onEnd = (): void => {
    left.ended = true;
    if (editor.line === "") fail("EOF");
    else resolve(editor.line);
  };
  input.on("data", onData);
  input.on("end", onEnd);
  onData(left.typed);
  if (left.ended) onEnd();
  input.resume();
  return promise.finally(() => {
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
  });
}

interface Editor {
  readonly line: string;
  /** Adds a character. Returns the event that it causes, if any. */
  take(character: string): "line" | "aborted" | "end" | undefined;
}

/** Creates the editor of a line. Only a terminal in raw mode delivers editing keys. */
function createEditor(isTerminal: boolean): Editor {
  let characters: string[] = [];
  const edit = (character: string): "aborted" | "end" | undefined => {
    if (character === CTRL_C) return "aborted";
    if (character === CTRL_D) return characters.length === 0 ? "end" : undefined;
    if (character === CTRL_U) characters = [];
    else if (ERASERS.has(character)) characters.pop();
    else if (character >= " ") characters.push(character);
    return undefined;
  };
  return {
    get line() {
      return characters.join("");
    },
    take(character) {
      if (character === "\n" || character === "\r")
        return isTerminal || character === "\n" ? "line" : undefined;
      if (isTerminal) return edit(character);
      characters.push(character);
      return undefined;
    },
  };
}
