/** What the thread of scripts and the one that has the terminal tell each other. */
import type { MessagePort } from "node:worker_threads";
import type { UnitNames } from "./units.ts";

/** What the thread of scripts starts with. */
export interface ScriptData {
  /** Set to 1 when an answer lies at `answers`. */
  readonly bell: Int32Array;
  readonly answers: MessagePort;
  readonly modules: readonly string[];
  readonly endpoint: string;
  readonly units: UnitNames;
  readonly coloured: boolean;
  /** Where scripts are looked for. */
  readonly scripts: string;
}

/** What scripts need of the terminal's thread; they wait for the answer. */
export type Question =
  | { readonly kind: "rpc"; readonly message: string }
  | { readonly kind: "password"; readonly prompt: string }
  | { readonly kind: "clear-history" };

/** An answer to a question, or why there is none. */
export type Answer = { readonly text: string } | { readonly failure: string };

/** What the thread of scripts tells. */
export type Told =
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "done"; readonly failure?: string | undefined }
  | { readonly kind: "completions"; readonly names: readonly string[] };

/** What the thread of scripts is told; one at a time. */
export type Task =
  /** Runs a source; with `shows` its result or error is printed, else the error is told. */
  | { readonly kind: "evaluate"; readonly source: string; readonly shows: boolean }
  | { readonly kind: "load"; readonly path: string }
  | { readonly kind: "complete"; readonly word: string };
