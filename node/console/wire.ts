/** Messages between the script thread and the terminal's thread. */
import type { MessagePort } from "node:worker_threads";
import type { UnitNames } from "./units.ts";

/** Initial data of the script thread. */
export interface ScriptData {
  /** Set to 1 when a response is at `answers`. */
  readonly bell: Int32Array;
  readonly answers: MessagePort;
  readonly modules: readonly string[];
  readonly endpoint: string;
  readonly units: UnitNames;
  readonly coloured: boolean;
  /** Directory of scripts. */
  readonly scripts: string;
}

/** Requests of scripts to the terminal's thread. */
export type TerminalRequest =
  | { readonly kind: "rpc"; readonly message: string }
  | { readonly kind: "password"; readonly prompt: string }
  | { readonly kind: "clear-history" };

/** A response, or the reason for none. */
export type Answer = { readonly text: string } | { readonly failure: string };

/** Messages from the script thread. */
export type ScriptMessage =
  | { readonly kind: "question"; readonly question: TerminalRequest }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "done"; readonly failure?: string | undefined }
  | { readonly kind: "completions"; readonly names: readonly string[] };

/** Tasks of the script thread. */
export type ScriptTask =
  /** Runs a source. With `shows` its result or error is printed, otherwise the error is reported. */
  | { readonly kind: "evaluate"; readonly source: string; readonly shows: boolean }
  | { readonly kind: "load"; readonly path: string }
  | { readonly kind: "complete"; readonly word: string };
