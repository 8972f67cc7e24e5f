/** Several starts of a node: the first answer, calls that read a slot each for the first time, and its memory then. */
import { toHex } from "../../node/bytes/hex.ts";
import { TOKEN_ADDRESS } from "../../test/support/token.ts";
import { ask } from "../rpc/ask.ts";
import { type Quantiles, quantilesOf } from "../support/figures.ts";
import { holderSlot, holdersOf } from "../support/grown-chain.ts";
import type { StartNode } from "./nodes.ts";

const CALLS = 2_000;
const STARTS = 3;
/** Spreads the calls over all holders. */
const STEP = 7_919;
/** Returns the slot that the input names: `PUSH1 0 CALLDATALOAD SLOAD PUSH1 0 MSTORE`, then a word. */
const READ_SLOT = "0x6000355460005260206000f3";

/** Figures of the starts. */
export interface Starts {
  readonly firstAnswerMs: Quantiles;
  readonly slotCallMs: Quantiles;
  readonly residentMiB: number | undefined;
}

/** Starts the node on a data directory with so many accounts. */
export async function measureStarts(start: StartNode, datadir: string, accounts: number): Promise<Starts> {
  const answers: number[] = [];
  const calls: number[] = [];
  let residentMiB: number | undefined;
  for (let run = 0; run < STARTS; run++) {
    await using node = await start({ datadir, isValidator: false });
    answers.push(node.firstAnswerMs);
    for (let i = 0; i < CALLS; i++) calls.push(await callSlot(node.targets.http, run * CALLS + i, accounts));
    residentMiB = node.memory();
  }
  return { firstAnswerMs: quantilesOf(answers), slotCallMs: quantilesOf(calls), residentMiB };
}

async function callSlot(url: string, at: number, accounts: number): Promise<number> {
  const place = (at * STEP) % holdersOf(accounts);
  const to = toHex(TOKEN_ADDRESS);
  const params = [{ to, data: toHex(holderSlot(place)) }, "latest", { [to]: { code: READ_SLOT } }];
  const begun = performance.now();
  const found = await ask<string>(url, "eth_call", params);
  const took = performance.now() - begun;
  if (BigInt(found) === 0n) throw new Error(`holder ${place} has nothing`);
  return took;
}
