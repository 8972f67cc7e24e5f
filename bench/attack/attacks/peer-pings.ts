/** Attack: pings and pongs of several peers. */
import type { Attack } from "../attack.ts";
import { floodWithPings } from "../pings.ts";

const PEERS = 8;

/** Pings and pongs of several peers. */
export const attack: Attack = {
  summary: `${PEERS} peers that send pings and pongs as fast as they go`,
  flags: ["--maxconnections", "20"],
  watchesPeer: true,
  run: (target, signal) => floodWithPings(target, signal, PEERS),
};
