/** Observations: responses of nodes to polls, and the changes in them that need a reconciliation at once. */
import type { DiskUsage } from "../control/answers.ts";

/** What a node told, or why it told nothing. */
export type Observation =
  | {
      readonly ok: true;
      readonly at: number;
      /** Milliseconds since the epoch after which it says nothing any more. */
      readonly until: number;
      readonly address: string;
      readonly id: string;
      readonly version: string;
      readonly genesis: string | undefined;
      readonly height: number;
      readonly syncing: boolean;
      readonly peers: ReadonlySet<string>;
      /** The room on its volume; undefined where its gateway cannot tell. */
      readonly disk: DiskUsage | undefined;
    }
  | {
      readonly ok: false;
      readonly at: number;
      readonly address: string;
      /** Which hop failed, as conditions say it. */
      readonly reason: string;
      readonly message: string;
    };

/** An answer, and whether the node had gone on since the one before; the first is taken to have. */
export interface PolledNode {
  readonly observation: Observation;
  readonly isMoving: boolean;
}

/** The next answer beside the one before. */
export function nextPolled(before: PolledNode | undefined, observation: Observation): PolledNode {
  const height = heightOf(before?.observation);
  const now = heightOf(observation);
  return { observation, isMoving: height === undefined || (now !== undefined && now > height) };
}

/** Whether `after` says something else than `before`: another state, other peers, a chain that stops or goes on. */
export function isPolledChanged(before: PolledNode | undefined, after: PolledNode): boolean {
  return before === undefined || gist(before) !== gist(after);
}

function gist({ observation, isMoving }: PolledNode): string {
  const { ok, address } = observation;
  if (!ok) return JSON.stringify([ok, address, observation.message]);
  const { id, version, syncing, peers } = observation;
  return JSON.stringify([ok, address, id, version, syncing, [...peers].sort(), isMoving]);
}

function heightOf(observation: Observation | undefined): number | undefined {
  return observation?.ok === true ? observation.height : undefined;
}
