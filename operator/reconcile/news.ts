/** What of a node's answer, and of a status, is worth a look at once; figures alone, which change all the time, are not. */
import type { NodeStatus } from "../api/node-status.ts";
import type { Observation } from "./poller.ts";

/** An answer, and whether the node had gone on since the one before; the first is taken to have. */
export interface Told {
  readonly observation: Observation;
  readonly isMoving: boolean;
}

/** The next answer beside the one before. */
export function tell(before: Told | undefined, observation: Observation): Told {
  const height = heightOf(before?.observation);
  const now = heightOf(observation);
  return { observation, isMoving: height === undefined || (now !== undefined && now > height) };
}

/** Whether `after` says something else than `before`: another state, other peers, a chain that stops or goes on. */
export function isNews(before: Told | undefined, after: Told): boolean {
  return before === undefined || gist(before) !== gist(after);
}

function gist({ observation, isMoving }: Told): string {
  const { ok, address } = observation;
  if (!ok) return JSON.stringify([ok, address, observation.message]);
  const { id, version, syncing, peers } = observation;
  return JSON.stringify([ok, address, id, version, syncing, [...peers].sort(), isMoving]);
}

function heightOf(observation: Observation | undefined): number | undefined {
  return observation?.ok === true ? observation.height : undefined;
}

/** All of a status but heights and used bytes. */
export function statusWithoutFigures({ height: _height, members, ...others }: NodeStatus): object {
  const steady = members?.map(({ height: _own, disk, ...member }) => ({
    ...member,
    disk: disk && { ...disk, usedBytes: undefined },
  }));
  return { ...others, members: steady };
}
