/** Observations: responses of nodes to polls, and the changes in them that need a reconciliation at once. */
import type { DiskUsage } from "../control/answers.ts";

/** Result of a poll: the reported state of a node, or an error. */
export type Observation =
  | {
      readonly ok: true;
      readonly at: number;
      /** End of validity, milliseconds since the epoch. */
      readonly until: number;
      readonly address: string;
      readonly id: string;
      readonly version: string;
      readonly genesis: string | undefined;
      /** First blocks of forks in its chain configuration by key; undefined when the gateway does not report them. */
      readonly forks?: Readonly<Record<string, number>> | undefined;
      readonly height: number;
      readonly syncing: boolean;
      /** Reasons at the node's `/readyz`; undefined when the gateway does not read it. */
      readonly reasons?: readonly string[] | undefined;
      readonly peers: ReadonlySet<string>;
      /** Addresses of the validators; undefined when the node or its gateway does not report them. */
      readonly council: readonly string[] | undefined;
      /** Disk space; undefined when the gateway cannot measure it. */
      readonly disk: DiskUsage | undefined;
    }
  | {
      readonly ok: false;
      readonly at: number;
      readonly address: string;
      /** Reason of the failed hop, as in conditions. */
      readonly reason: string;
      readonly message: string;
    };

/** An observation, and whether the height increased since the one before; true for the first. */
export interface PolledNode {
  readonly observation: Observation;
  readonly isMoving: boolean;
}

/** Combines an observation with the one before. */
export function nextPolled(before: PolledNode | undefined, observation: Observation): PolledNode {
  const height = heightOf(before?.observation);
  const now = heightOf(observation);
  return { observation, isMoving: height === undefined || (now !== undefined && now > height) };
}

/** True for a relevant change: another state, other peers, or a chain that stops or continues. */
export function isPolledChanged(before: PolledNode | undefined, after: PolledNode): boolean {
  return before === undefined || fingerprint(before) !== fingerprint(after);
}

function fingerprint({ observation, isMoving }: PolledNode): string {
  const { ok, address } = observation;
  if (!ok) return JSON.stringify([ok, address, observation.message]);
  const { id, version, forks, syncing, reasons, peers, council } = observation;
  return JSON.stringify([
    ok,
    address,
    id,
    version,
    forks,
    syncing,
    reasons,
    [...peers].sort(),
    council,
    isMoving,
  ]);
}

function heightOf(observation: Observation | undefined): number | undefined {
  return observation?.ok === true ? observation.height : undefined;
}
