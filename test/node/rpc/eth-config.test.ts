/** `eth_config` (EIP-7910) of a chain whose forks are still to come; what is expected was answered by a Go node 2.2.1. */
import { expect, test } from "@jest/globals";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { ethConfigMethods } from "../../../node/rpc/methods/eth-config.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain } from "../../support/chain.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";

const at = (digits: string): string => `0x${digits.padStart(40, "0")}`;
const EARLY = ["istanbul", "london", "ethTxType", "magma", "kore", "shanghai", "cancun"];

test("forks to come show their id, their blobs and the contracts that they bring", async () => {
  const config = {
    ...Object.fromEntries(EARLY.map((name) => [`${name}CompatibleBlock`, 0])),
    kip103CompatibleBlock: 3,
    kip103ContractAddress: at("5007"),
    randaoCompatibleBlock: 5,
    kip160CompatibleBlock: 7,
    kip160ContractAddress: at("5008"),
    kaiaCompatibleBlock: 7,
    pragueCompatibleBlock: 7,
    osakaCompatibleBlock: 9,
    blobSchedule: { osaka: { target: 2, max: 4, baseFeeUpdateFraction: 99 } },
    randaoRegistry: { records: { KIP113: at("5006") }, owner: at("1") },
  };
  await using open = await aChain(parseGenesis(makerGenesis({}, config)));
  const rows = ethConfigMethods({ chain: open.chain, pool: { get: () => undefined } });
  expect(await askRow(rows, "eth_config")).toMatchObject({
    current: {
      blobSchedule: null,
      chainId: "0x2329",
      forkId: "0x6102f05a",
      systemContracts: { ADDRESS_BOOK: at("400") },
    },
    next: {
      blobSchedule: null,
      forkId: "0xb529a4f2",
      systemContracts: { ADDRESS_BOOK: at("400"), KIP103: at("5007") },
    },
    last: {
      blobSchedule: { target: 2, max: 4, baseFeeUpdateFraction: 99 },
      forkId: "0x3554d38c",
      systemContracts: {
        ADDRESS_BOOK: at("400"),
        HISTORY_STORAGE_ADDRESS: "0x0000f90827f1c53a10cb7a02335b175320002935",
        KIP103: at("5007"),
        KIP160: at("5008"),
        REGISTRY: at("401"),
      },
    },
  });
});
