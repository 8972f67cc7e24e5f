/** Transfers of coins as logs beside those of contracts: `traceTransfers` of `eth_simulateV1`. */
import type { Address } from "../bytes/brands.ts";
import { fromHex } from "../bytes/hex.ts";
import { wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { FrameStart, Tracer } from "../evm/tracer.ts";
import type { EventLog } from "../model/receipt.ts";

/** The address that stands for the coin. */
const COIN: Address = fromHex(`0x${"ee".repeat(20)}`);
const TRANSFER = keccak256(Buffer.from("Transfer(address,address,uint256)"));

/** A tracer with the logs of one call. */
export interface TransferLogs {
  readonly tracer: Tracer;
  /** Returns the contracts' logs with the transfers, in the order in which they happened. */
  readonly mergedWith: (logs: readonly EventLog[]) => EventLog[];
}

/** Creates a tracer for one call. `count` returns the number of logs that contracts have written so far. */
export function createTransferLogs(count: () => number): TransferLogs {
  let transfers: { readonly before: number; readonly log: EventLog }[] = [];
  const begun: number[] = [];
  return {
    tracer: {
      enter: (start) => {
        begun.push(transfers.length);
        if (movesCoins(start)) transfers.push({ before: count(), log: transferLog(start) });
      },
      exit: ({ failure }) => {
        const first = begun.pop();
        if (failure !== undefined) transfers = transfers.slice(0, first);
      },
    },
    mergedWith: (logs) => [
      ...logs.flatMap((log, at) => [...transfersAt(transfers, at), log]),
      ...transfers.filter(({ before }) => before >= logs.length).map(({ log }) => log),
    ],
  };
}

function transfersAt(transfers: readonly { before: number; log: EventLog }[], at: number): EventLog[] {
  return transfers.filter(({ before }) => before === at).map(({ log }) => log);
}

function movesCoins({ kind, value }: FrameStart): boolean {
  return value > 0n && kind !== "DELEGATECALL" && kind !== "CALLCODE";
}

function transferLog({ from, to, value }: FrameStart): EventLog {
  const [sender, recipient] = [from, to].map((address) => {
    const topic = new Uint8Array(32);
    topic.set(address, 12);
    return topic;
  });
  return {
    address: COIN,
    topics: [TRANSFER, sender, recipient].filter((each) => each !== undefined),
    data: wordBytes(value),
  };
}
