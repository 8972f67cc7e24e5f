/** The genesis of a chain that the operator makes: its validators, its terms, every fork that needs no contract. */

import type { GenesisTerms } from "../api/network-spec.ts";
import { proposerPolicies } from "../api/network-spec.ts";

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

/** Roots of transactions and receipts over their hashes one behind the other. */
const DERIVE_SHA = 2;

/**
 * The genesis file. `validators` are the addresses of the core nodes' keys, the first of which governs; `time` is its
 * second since the epoch. Amounts that a double cannot hold are put in as they are written.
 */
export function genesisText(terms: GenesisTerms, validators: readonly string[], time: number): string {
  const { chainId, balances, consensus, governance } = terms;
  const { unitPrice, mintingAmount, minimumStake } = governance;
  const genesis = {
    config: {
      chainId,
      ...Object.fromEntries(FORKS.map((name) => [`${name}CompatibleBlock`, 0])),
      istanbul: {
        epoch: consensus.epoch,
        policy: proposerPolicies.indexOf(consensus.policy),
        sub: consensus.committeeSize,
      },
      unitPrice,
      deriveShaImpl: DERIVE_SHA,
      governance: {
        governingNode: validators[0],
        governanceMode: governance.mode,
        reward: {
          mintingAmount: exact(mintingAmount),
          ratio: governance.ratio,
          deferredTxFee: governance.deferredTxFee,
          stakingUpdateInterval: governance.stakingUpdateInterval,
          proposerUpdateInterval: governance.proposerUpdateInterval,
          minimumStake,
        },
      },
    },
    timestamp: `0x${time.toString(16)}`,
    extraData: extraData(validators),
    blockScore: "0x1",
    alloc: Object.fromEntries(
      balances.map(({ address, peb }) => [
        address.slice(2).toLowerCase(),
        { balance: `0x${BigInt(peb).toString(16)}` },
      ]),
    ),
  };
  return `${JSON.stringify(genesis, undefined, 2).replaceAll(/"exact (\d+)"/g, "$1")}\n`;
}

/** Digits that stand in the file without quotes. */
function exact(digits: string): string {
  return `exact ${BigInt(digits)}`;
}

const ADDRESS_BYTES = 20;
const VANITY_BYTES = 32;

/** 32 bytes of vanity and the RLP of validators, proposer's seal and committed seals: the last two are empty. */
function extraData(validators: readonly string[]): string {
  const length = (ADDRESS_BYTES + 1) * validators.length;
  const addresses = validators.map((address) => `94${address.slice(2).toLowerCase()}`).join("");
  const list = `${listHead(length)}${addresses}`;
  return `0x${"00".repeat(VANITY_BYTES)}${listHead(list.length / 2 + 2)}${list}80c0`;
}

/** How RLP begins a list of `length` bytes. */
function listHead(length: number): string {
  if (length <= 55) return (0xc0 + length).toString(16);
  const digits = length.toString(16);
  const bytes = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0xf7 + bytes.length / 2).toString(16)}${bytes}`;
}
