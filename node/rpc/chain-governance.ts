/** Governance at a block: parameters, staking, rewards, forks, registered contracts and BLS keys. */

import { bareHex, toHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber, resolveNumber } from "../calls/arguments/block-number.ts";
import { creditTexts } from "../calls/credit.ts";
import { findBlock, headAt } from "../calls/lookup.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { forks } from "../config/forks.ts";
import { mainnet } from "../config/presets/networks.ts";
import type { BlsPublicInfo } from "../crypto/bls-possession.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { valuesJson } from "../governance/governance-data.ts";
import { activeContract, registryRecords } from "../governance/system-contracts.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, mapSchema, nullableSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import {
  chainConfigSchema,
  parametersSchema,
  rewardSchema,
  stakingSchema,
} from "../presenters/governance-schemas.ts";
import { configJson, type GovernanceMethodDeps, parametersInForce } from "../presenters/parameters.ts";
import { rewardJson } from "../presenters/rewards.ts";
import { PENDING_NUMBER, stakingJson } from "../presenters/staking-info.ts";
import { PossessionVerdicts } from "./possession-verdicts.ts";

const LATEST = "latest" as const;
const { boolean, integer } = plainSchemas;
/** A proof of possession that does not fit is an empty object, as the error of the Go node. */
const blsKeySchema = recordSchema({
  pop: text.schema,
  publicKey: text.schema,
  verifyErr: nullableSchema(recordSchema({})),
});
const creditSchema = recordSchema({
  photo: text.schema,
  names: text.schema,
  "endingPhoto?": text.schema,
  "endingNames?": text.schema,
});
const at = { number: optional(blockNumber, LATEST) };

/** The methods of `chain` and `governance` about the state of governance. */
export function chainGovernanceMethods(deps: GovernanceMethodDeps): Method[] {
  return [...parameterMethods(deps), ...amountMethods(deps), ...contractMethods(deps)];
}

/** Returns the number of a referenced block, which need not exist yet; `pending` is the next block. */
export function numberOf({ chain }: GovernanceMethodDeps, number: BlockNumber): number {
  const head = chain.head().header.number;
  return number === "pending" ? head + 1 : resolveNumber(head, number);
}

function parameterMethods(deps: GovernanceMethodDeps): Method[] {
  return [
    method({
      name: "chain_getParams",
      aliases: ["governance_getParams"],
      summary: "Returns all governance parameters in force at a block.",
      params: at,
      result: plain<object>("parameters by name", parametersSchema),
      handle: ({ number }) => valuesJson(parametersInForce(deps, numberOf(deps, number))),
    }),
    method({
      name: "chain_getChainConfig",
      aliases: ["governance_getChainConfig"],
      summary: "Returns the chain's configuration with the governance parameters in force at a block.",
      params: at,
      result: plain<object>("chain configuration", chainConfigSchema),
      handle: ({ number }) => configJson(deps, numberOf(deps, number)),
    }),
    method({
      name: "chain_forkStatus",
      summary: "Returns the forks that are active at a block.",
      params: { number: blockNumber },
      result: plain<object>("forks", forkSchema),
      handle: ({ number }) => forkJson(deps, number),
    }),
  ];
}

/** Members of `chain_forkStatus` with the fork that each reports. The Klaytn line has some of them, and `IsDragon`. */
const FORK_FLAGS: readonly (readonly [flag: string, configKey: string])[] = forks
  .filter(({ ordered }) => ordered)
  .map(({ name, configKey }) => [
    `Is${name.charAt(0).toUpperCase()}${name.slice(1, -"Block".length)}`,
    configKey,
  ]);

const forkSchema = recordSchema({
  ...Object.fromEntries(
    [...FORK_FLAGS.map(([flag]) => flag).sort(), "IsDragon"].map((flag) => [`${flag}?`, boolean]),
  ),
  ChainID: integer,
  IsKIP103: boolean,
});

function forkJson({ chain }: GovernanceMethodDeps, asked: BlockNumber): object {
  const { number } = headAt(chain, asked).header;
  const { chainId, forks: scheduled } = chain.config;
  const flags = FORK_FLAGS.map(([flag, key]) => {
    return [flag, number >= (scheduled.get(key) ?? Number.POSITIVE_INFINITY)];
  });
  return sortKeys({
    ...Object.fromEntries(flags),
    ChainID: jsonInteger(chainId),
    IsKIP103: scheduled.get("kip103CompatibleBlock") === number,
  });
}

function amountMethods(deps: GovernanceMethodDeps): Method[] {
  return [
    method({
      name: "chain_getStakingInfo",
      aliases: ["governance_getStakingInfo"],
      summary: "Returns the staking information that applies to a block. Amounts are in KAIA.",
      params: { number: blockNumber },
      result: plain<object>("staking information", stakingSchema),
      handle: ({ number }) => {
        const isUnknown = number === "pending" && deps.stakingForm === "with-pools";
        return stakingJson(deps, isUnknown ? PENDING_NUMBER : numberOf(deps, number));
      },
    }),
    method({
      name: "chain_getRewards",
      summary: "Returns the rewards of a block and their recipients, in peb.",
      params: at,
      result: plain<object>("rewards", rewardSchema),
      handle: ({ number }) => {
        const block = findBlock(deps.chain, number);
        if (block === undefined) throw failure("block not found", "no-block");
        return rewardJson(deps, block);
      },
    }),
  ];
}

function contractMethods(deps: GovernanceMethodDeps): Method[] {
  const { chain, governance } = deps;
  const registered = { name: text, number: blockNumber };
  const reader = (number: BlockNumber) => {
    const head = chain.head().header.number;
    const wanted = resolveNumber(head, number);
    if (!chain.rules(wanted).randao) throw failure("Randao fork is not enabled");
    if (wanted > head) throw failure("block does not exist in blockchain");
    return governance.contracts(wanted);
  };
  return [
    method({
      name: "chain_getActiveAddressFromRegistry",
      summary: "Returns the address of the active contract with a name in the registry (KIP-149).",
      params: registered,
      result: address,
      handle: ({ name, number }) => {
        const found = activeContract(reader(number), name);
        if (found === undefined) throw failure(`no active address for ${name}`);
        return found;
      },
    }),
    method({
      name: "chain_getAllRecordsFromRegistry",
      summary: "Returns all contracts with a name in the registry and their activation blocks (KIP-149).",
      params: registered,
      result: plain<readonly object[]>(
        "records",
        arraySchema(recordSchema({ activation: integer, addr: address.schema })),
      ),
      handle: ({ name, number }) => {
        const records = registryRecords(reader(number), name);
        if (records.length === 0) throw failure(`${name} has not been registered`);
        return records.map(({ activation, address: where }) => ({
          activation: jsonInteger(activation),
          addr: `0x${bareHex(where)}`,
        }));
      },
    }),
    ...recordMethods(deps),
  ];
}

function recordMethods(deps: GovernanceMethodDeps): Method[] {
  const verdicts = new PossessionVerdicts();
  return [
    method({
      name: "chain_getBlsInfos",
      summary:
        "Returns the registered BLS public keys of all nodes before a block, with the result of each proof of possession.",
      params: { number: blockNumber },
      result: plain<object>("BLS keys by node", mapSchema("key by node", blsKeySchema)),
      handle: ({ number }, origin) =>
        keysJson(deps, contractsNumber(deps, number), (key) => verdicts.of(key, origin)),
    }),
    method({
      name: "chain_getCypressCredit",
      summary: "Returns pictures and names of the main network's credit contract. Fails on other networks.",
      params: {},
      result: plain<object>("pictures and names", creditSchema),
      handle: () => creditJson(deps),
    }),
  ];
}

function creditJson({ chain }: GovernanceMethodDeps): object {
  if (toHex(chain.genesisHash) !== mainnet.genesisHash)
    throw failure("no mainnet credit contract", "no-credit");
  return creditTexts(chain);
}

/** Returns the block whose contracts are read; `pending` is the newest one where absent blocks are refused. */
function contractsNumber(deps: GovernanceMethodDeps, number: BlockNumber): number {
  return numberOf(deps, number === "pending" && deps.refusesAbsentBlocks ? "latest" : number);
}

async function keysJson(
  deps: GovernanceMethodDeps,
  number: number,
  isProven: (key: BlsPublicInfo) => Promise<boolean>,
): Promise<object> {
  const { chain, governance } = deps;
  if (!chain.rules(number).randao) {
    throw failure("cannot read kip113 address from registry before randao fork", "before-fork");
  }
  if (deps.refusesAbsentBlocks && number > chain.head().header.number)
    throw failure("block does not exist in blockchain");
  if (number === 0) throw failure("block number cannot be zero");
  if (number > chain.head().header.number + 1) throw failure("unknown ancestor");
  const rows: [string, object][] = [];
  for (const { node, key } of governance.blsKeys(number)) {
    const { publicKey, proof } = key;
    const verifyErr = (await isProven({ publicKey, proof })) ? null : {};
    rows.push([checksumAddress(node), { pop: bareHex(proof), publicKey: bareHex(publicKey), verifyErr }]);
  }
  return sortKeys(Object.fromEntries(rows));
}
