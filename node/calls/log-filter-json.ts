import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { BlockNumber } from "./arguments/block-number.ts";
import type { LogFilter } from "./arguments/log-filter.ts";

/** A filter as JSON again, for a reader thread. */
export function logFilterJson({ from, to, blockHash, addresses, topics }: LogFilter): object {
  return {
    ...(from === undefined ? {} : { fromBlock: shown(from) }),
    ...(to === undefined ? {} : { toBlock: shown(to) }),
    ...(blockHash === undefined ? {} : { blockHash: toHex(blockHash) }),
    address: addresses.map(toHex),
    topics: topics.map((each) => (each.length === 0 ? null : each.map(toHex))),
  };
}

function shown(number: BlockNumber): string {
  return typeof number === "number" ? toQuantity(number) : number;
}
