/** Look-ups in absent blocks, whose errors were recorded from Klaytn v1.12.1 (Kaia v2.2.2 returns null), and in the pool. */
import { expect, test } from "@jest/globals";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { chainByIndexMethods } from "../../../node/rpc/chain-by-index.ts";
import { askRow } from "../../support/ask-row.ts";

const HASH = `0x${"ff".repeat(32)}`;
const NO_HASH = `the block does not exist (block hash: ${HASH})`;
const NO_NUMBER = "the block does not exist (block number: 4294967295)";

async function ask(profile: ProfileName, name: string, params: readonly unknown[]): Promise<unknown> {
  const chain = {
    head: () => ({ header: { number: 9 } }),
    block: () => undefined,
    blockByHash: () => undefined,
  };
  const rows = chainByIndexMethods({ chain, pool: {}, ...rpcProfiles[profile].options } as never);
  return askRow(rows, name, ...params);
}

test.each<[string, readonly unknown[], string, unknown]>([
  ["getBlockTransactionCountByHash", [HASH], NO_HASH, null],
  ["getBlockTransactionCountByNumber", ["0xffffffff"], NO_NUMBER, null],
  ["getTransactionByBlockHashAndIndex", [HASH, "0x0"], NO_HASH, null],
  ["getTransactionByBlockNumberAndIndex", ["0xffffffff", "0x0"], NO_NUMBER, null],
  ["getRawTransactionByBlockHashAndIndex", [HASH, "0x0"], NO_HASH, "0x"],
  ["getRawTransactionByBlockNumberAndIndex", ["0xffffffff", "0x0"], NO_NUMBER, "0x"],
])(
  "%s of an absent block fails in Klaytn's module and is empty elsewhere",
  async (name, params, message, empty) => {
    await expect(ask("klaytn", `chain_${name}`, params)).rejects.toMatchObject({ code: -32000, message });
    expect(await ask("klaytn", `eth_${name}`, params)).toBe(empty);
    expect(await ask("kaia", `chain_${name}`, params)).toBe(empty);
  },
);

test("a waiting transaction that anchors nothing is told from one that nobody knows", async () => {
  const waiting = { type: { name: "TxTypeValueTransfer" } };
  const chain = { findTransaction: () => undefined };
  const rows = chainByIndexMethods({
    chain,
    pool: { get: (hash: Uint8Array) => (hash[0] === 1 ? waiting : undefined) },
    ...rpcProfiles.kaia.options,
  } as never);
  const name = "chain_getDecodedAnchoringTransactionByHash";
  const messages = [`0x${"01".repeat(32)}`, HASH].map((hash) =>
    askRow(rows, name, hash).then(String, ({ message }: Error) => message),
  );
  expect(await Promise.all(messages)).toEqual(["invalid transaction type", "can't find the transaction"]);
});
