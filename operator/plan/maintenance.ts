/**
 * Maintenance as a machine of states: a wish becomes Requested, is carried out by one node of a network at a
 * time, and ends as Succeeded or Failed with what the node answered.
 */
import { type Operation, operations } from "../api/names.ts";
import type { Maintenance } from "../api/node-status.ts";
import { instant } from "../observe/clock.ts";

/** What the annotation asks for: an operation, or a word that is none. */
export type Wish = { readonly operation: Operation } | { readonly unknown: string };

/** What a node answered: nothing, or an error's text. */
export type Answer = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** How far a migration is. */
export interface MigrationProgress {
  readonly running: boolean;
  readonly percent: number;
  /** Undefined when nothing went wrong. */
  readonly error: string | undefined;
}

/** A node of a network and its maintenance. */
export interface Waiting {
  readonly name: string;
  readonly maintenance: Maintenance | undefined;
}

const MOST_CHARACTERS = 1_000;

/** Reads the annotation. */
export function readWish(text: string): Wish {
  return Object.hasOwn(operations, text) ? { operation: text as Operation } : { unknown: text.slice(0, 64) };
}

/** Notes a wish; one that is being carried out is not disturbed. */
export function request(
  current: Maintenance | undefined,
  operation: Operation,
  now: number,
): Maintenance | undefined {
  if (current !== undefined && isOpen(current)) return current.operation === operation ? current : undefined;
  return {
    operation,
    state: "Requested",
    message: "waits for its turn",
    requestedAt: instant(now),
    startedAt: undefined,
    finishedAt: undefined,
    percent: undefined,
  };
}

/** True while a wish is neither granted nor refused. */
export function isOpen({ state }: Maintenance): boolean {
  return state === "Requested" || state === "Running";
}

/** Whose turn it is: whoever runs already, else who wished first. */
export function turn(nodes: readonly Waiting[]): string | undefined {
  const running = nodes.find(({ maintenance }) => maintenance?.state === "Running");
  if (running !== undefined) return running.name;
  const order = ({ name, maintenance }: Waiting): string => `${maintenance?.requestedAt} ${name}`;
  const [first] = nodes
    .filter(({ maintenance }) => maintenance?.state === "Requested")
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return first?.name;
}

/** After the node was asked to begin: a migration runs on, a cache is saved by the node in its own time. */
export function started(maintenance: Maintenance, answer: Answer, now: number): Maintenance {
  const begun: Maintenance = { ...maintenance, startedAt: instant(now) };
  if (!answer.ok) return ended(begun, "Failed", answer.message, now);
  if (maintenance.operation === "save-cache") return ended(begun, "Succeeded", "the node began to save", now);
  return { ...begun, state: "Running", message: "the node began to migrate", percent: 0 };
}

/** After a running migration was looked at. */
export function progressed(
  maintenance: Maintenance,
  { running, percent, error }: MigrationProgress,
  now: number,
): Maintenance {
  if (running) return { ...maintenance, percent: Math.max(0, Math.min(100, Math.floor(percent))) };
  if (error !== undefined) return ended(maintenance, "Failed", error, now);
  return { ...ended(maintenance, "Succeeded", "the node has migrated", now), percent: 100 };
}

function ended(
  maintenance: Maintenance,
  state: "Succeeded" | "Failed",
  message: string,
  now: number,
): Maintenance {
  return { ...maintenance, state, message: message.slice(0, MOST_CHARACTERS), finishedAt: instant(now) };
}
