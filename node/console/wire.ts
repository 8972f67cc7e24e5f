/** Messages between the thread of scripts and the thread of the terminal. */
import type { MessagePort } from "node:worker_threads";
import type { UnitNames } from "./units.ts";

/** Data that the thread of scripts starts with. */
export interface ScriptData {
  /** Set to 1 when an answer lies at `answers`. */
  readonly bell: Int32Array;
  readonly answers: MessagePort;
  readonly modules: readonly string[];
  readonly endpoint: string;
  readonly units: UnitNames;
  readonly coloured: boolean;
  /** Directory of scripts. */
  readonly scripts: string;
}

/** Requests of scripts to the terminal's thread; the script waits for the answer. */
export type TerminalRequest =
  | { readonly kind: "rpc"; readonly message: string }
  | { readonly kind: "password"; readonly prompt: string }
  | { readonly kind: "clear-history" };

/** An answer to a question, or why there is none. */
export type Answer = { readonly text: string } | { readonly failure: string };

/** Messages from the thread of scripts. */
export type ScriptMessage =
  | { readonly kind: "question"; readonly question: TerminalRequest }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "done"; readonly failure?: string | undefined }
  | { readonly kind: "completions"; readonly names: readonly string[] };

/** Tasks for the thread of scripts, one at a time. */
export type ScriptTask =
  /** Runs a source; with `shows` its result or error is printed, else the error is told. */
  | { readonly kind: "evaluate"; readonly source: string; readonly shows: boolean }
  | { readonly kind: "load"; readonly path: string }
  | { readonly kind: "complete"; readonly word: string };
