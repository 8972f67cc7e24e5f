/** Attack: pings and pongs of one peer. */
import type { Attack } from "../attack.ts";
import { floodWithPings } from "../pings.ts";

/** Pings and pongs of one peer. */
export const attack: Attack = {
  summary: "one peer that sends pings and pongs as fast as they go",
  flags: ["--maxconnections", "20"],
  watchesPeer: true,
  run: (target, signal) => floodWithPings(target, signal, 1),
};
