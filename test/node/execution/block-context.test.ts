/** Tests of the context in which a block's transactions run. */
import { expect, test } from "@jest/globals";
import { decodeRlp } from "../../../node/bytes/rlp.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { blockContext, evmBlock } from "../../../node/execution/block-context.ts";
import { decodeHeader, encodeHeader, type Header } from "../../../node/model/header.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

const author = aValidator(1);

function randomOf(header: Header): Uint8Array {
  return evmBlock(header, { author: author.address, blockHash: () => undefined }).random;
}

test("a header with blob gas and without randomness gives its parent's hash, as draft and as read from the wire", () => {
  const draft = { ...aHeader(aGenesisBlock([author]), [author]), blobGasUsed: 0n, excessBlobGas: 0n };
  const read = decodeHeader(decodeRlp(encodeHeader(draft)));
  expect([randomOf(draft), randomOf(read)]).toEqual([draft.parentHash, draft.parentHash]);
  const mixHash = new Uint8Array(32).fill(9);
  expect(randomOf({ ...draft, mixHash })).toEqual(mixHash);
});

/** Maximum numbers of blobs of a transaction and of a block under a schedule. */
function maxBlobsUnder(schedule: object): readonly number[] {
  const header = aHeader(aGenesisBlock([author]), [author]);
  const context = blockContext(parseChainConfig({ chainId: 1, ...schedule }), header, {
    author: author.address,
    blockHash: () => undefined,
  });
  return [context.maxBlobs, context.maxBlockBlobs];
}

test("a transaction has one blob at most; the schedule says how many a block has", () => {
  const blobSchedule = { osaka: { target: 3, max: 6, baseFeeUpdateFraction: 5_007_716 } };
  expect(maxBlobsUnder({ blobSchedule })).toEqual([1, 6]);
  expect(maxBlobsUnder({})).toEqual([1, 1]);
  expect(maxBlobsUnder({ blobSchedule: { osaka: { target: 3 } } })).toEqual([1, 0]);
});
