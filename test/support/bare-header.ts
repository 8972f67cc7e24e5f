/** Headers for tests that read only a few fields. */
import { EMPTY_BLOOM } from "../../node/model/bloom.ts";
import type { Header } from "../../node/model/header.ts";

const ZEROS = new Uint8Array(32);

/** A header of which only what a test says counts. */
export function bareHeader(facts: Pick<Header, "number"> & Partial<Header>): Header {
  return {
    parentHash: ZEROS,
    rewardbase: new Uint8Array(20),
    stateRoot: ZEROS,
    transactionsRoot: ZEROS,
    receiptsRoot: ZEROS,
    bloom: EMPTY_BLOOM,
    blockScore: 1n,
    gasUsed: 0n,
    time: facts.number,
    timeFoS: 0,
    extra: ZEROS,
    governance: new Uint8Array(0),
    vote: new Uint8Array(0),
    baseFee: undefined,
    randomReveal: undefined,
    mixHash: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    ...facts,
  };
}
