/** The genesis of a chain that the operator makes: one validator, every fork that knit runs from block 0. */
import type { NodeSpec } from "../api/node-spec.ts";

type Terms = NonNullable<NonNullable<NodeSpec["network"]["genesis"]>["create"]>;

const FORKS = [
  "istanbul",
  "london",
  "ethTxType",
  "magma",
  "kore",
  "shanghai",
  "cancun",
  "kaia",
  "prague",
] as const;

const UNIT_PRICE = 25_000_000_000;
const MINTED_PEB = "9600000000000000000";
/** A number that a double cannot hold is put in as text, behind `JSON.stringify`. */
const MINTED = "MINTED";

/** The genesis file. `validator` is the address of the core node's key, `time` its second since the epoch. */
export function genesisText({ chainId, balances }: Terms, validator: string, time: number): string {
  const genesis = {
    config: {
      chainId,
      ...Object.fromEntries(FORKS.map((name) => [`${name}CompatibleBlock`, 0])),
      istanbul: { epoch: 604_800, policy: 0, sub: 22 },
      unitPrice: UNIT_PRICE,
      deriveShaImpl: 2,
      governance: {
        governingNode: validator,
        governanceMode: "single",
        reward: { mintingAmount: MINTED, ratio: "100/0/0", deferredTxFee: true, minimumStake: 0 },
      },
    },
    timestamp: `0x${time.toString(16)}`,
    extraData: extraData(validator),
    blockScore: "0x1",
    alloc: Object.fromEntries(
      balances.map(({ address, peb }) => [
        address.slice(2).toLowerCase(),
        { balance: `0x${BigInt(peb).toString(16)}` },
      ]),
    ),
  };
  return `${JSON.stringify(genesis, undefined, 2).replace(`"${MINTED}"`, MINTED_PEB)}\n`;
}

/** 32 bytes of vanity and the RLP of validators, proposer's seal and committed seals: the last two are empty. */
function extraData(validator: string): string {
  return `0x${"00".repeat(32)}d8d594${validator.slice(2).toLowerCase()}80c0`;
}
