/** Answers of the Go node of version 1, Klaytn, besides those that both lines share. */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import type { LogFilter } from "../calls/arguments/log-filter.ts";
import { decodeEitherTransaction } from "../calls/raw-transaction.ts";
import type { DumpedNode } from "../calls/trie-dump.ts";
import { ExecutionError } from "../execution/error.ts";
import { GovernanceError } from "../governance/error.ts";
import { valueJson } from "../governance/governance-data.ts";
import { CodecError, type Decoder, optional } from "../jsonrpc/codec.ts";
import { type FailureReason, failure, RpcError } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Adapter, type Arguments, type Method, type Parameters } from "../jsonrpc/method.ts";
import { plainSchemas, recordSchema, type Schema, schemaRefs } from "../jsonrpc/schemas.ts";
import { voteValueSchema } from "../presenters/governance-schemas.ts";
import { PENDING_NUMBER } from "../presenters/staking-info.ts";
import {
  type CastVote,
  type OwnVote,
  ownVoteSchema,
  VOTE_PREPARED,
  voteJson,
  voteList,
} from "../rpc/governance-votes.ts";
import { PoolError } from "../txpool/error.ts";
import {
  type AdapterRow,
  adapterStack,
  around,
  mapAnswer,
  omitKeys,
  onError,
  renameKeys,
  withParameters,
  withResult,
} from "./adapters.ts";

const FUNDS = {
  kif: "kff",
  kef: "kcf",
  totalKIFRewards: "totalKFFRewards",
  totalKEFRewards: "totalKCFRewards",
};
const NO_HASH = `0x${"0".repeat(64)}`;
const EOA = 1;
const CODE_MEMBERS = ["storageRoot", "codeHash", "codeFormat", "vmVersion"];
/** The fund of FlexReward, which came later. */
const NEWER_FUND = ["kpf", "totalKPFRewards"];

/** The rows of Klaytn. */
export const klaytnRows: readonly AdapterRow[] = [
  {
    methods: ["admin_nodeInfo"],
    difference: "The configuration has no `kip160ContractAddress` and no parameters of FlexReward.",
    adapt: mapAnswer(
      (info: { readonly protocols: { readonly istanbul: { readonly config: ShownConfig } } }) => {
        const { istanbul } = info.protocols;
        const config = klaytnConfig(istanbul.config);
        return { ...info, protocols: { istanbul: { ...istanbul, config } } };
      },
    ),
  },
  {
    methods: ["chain_getChainConfig"],
    difference:
      "The configuration has no `kip160ContractAddress`, no `randaoRegistry` and no parameters of FlexReward.",
    adapt: mapAnswer((config: ShownConfig) => omitKeys(klaytnConfig(config), ["randaoRegistry"])),
  },
  {
    methods: ["chain_getParams"],
    difference: "The parameters of FlexReward are not reported.",
    adapt: mapAnswer((values: object) =>
      omitKeys(values, ["reward.stakingrewardthreshold", "reward.useflexreward"]),
    ),
  },
  {
    methods: ["admin_syncStakingInfo"],
    difference: "The error names no blocks.",
    adapt: around(() => {
      throw failure("there is no staking info to be synced");
    }),
  },
  {
    methods: ["chain_getAccount"],
    difference: "Externally owned accounts have no storage root, code hash and code format.",
    adapt: mapAnswer((found: ShownAccount | undefined) => found && klaytnAccount(found)),
  },
  {
    methods: ["chain_forkStatus"],
    difference: "The forks of version 2 are not reported; Kaia's is `IsDragon`.",
    adapt: mapAnswer((forks: object) =>
      sortKeys(renameKeys(omitKeys(forks, ["IsOsaka", "IsPrague"]), { IsKaia: "IsDragon" })),
    ),
  },
  {
    methods: ["chain_getStakingInfo"],
    difference: "The block is optional.",
    adapt: withParameters({ number: optional(blockNumber, "latest" as const) }),
  },
  {
    methods: ["chain_getRewards"],
    difference: "The funds are `kff` and `kcf`, and the error of an unknown block, also `pending`, names it.",
    adapt: adapterStack(
      mapAnswer((reward: object) => renameKeys(omitKeys(reward, NEWER_FUND), FUNDS)),
      around((next, args, context) => {
        if (args["number"] === "pending") throw noRewardBlock(PENDING_NUMBER);
        return next(args, context);
      }),
      onReason("no-block", ({ number }) => noRewardBlock(number)),
    ),
  },
  {
    methods: ["governance_getRewardsAccumulated"],
    difference: "The funds are `KFF` and `KCF`, and times are text.",
    adapt: mapAnswer((sum: { readonly firstBlockTime: number; readonly lastBlockTime: number }) => ({
      ...renameKeys(omitKeys(sum, NEWER_FUND), FUNDS),
      firstBlockTime: timeText(sum.firstBlockTime),
      lastBlockTime: timeText(sum.lastBlockTime),
    })),
  },
  {
    methods: ["chain_getCypressCredit"],
    difference: "Only the first picture and its names are reported; the error names the network Cypress.",
    adapt: adapterStack(
      mapAnswer((texts: object) => omitKeys(texts, ["endingPhoto", "endingNames"])),
      onReason("no-credit", () => failure("no cypress credit contract")),
    ),
  },
  {
    methods: ["chain_getBlsInfos"],
    difference: "The error before the Randao fork is shorter.",
    adapt: onReason("before-fork", () => failure("Randao fork is not enabled")),
  },
  {
    methods: ["chain_getHeaderByHash"],
    difference: "The error about an unknown hash contains its bytes in decimal.",
    adapt: onReason("no-header", ({ hash }) => noHeader(hash as Uint8Array)), // its codec's value
  },
  {
    methods: ["chain_getLogs"],
    difference: "Searches from `pending` begin at block 0, those to `pending` end at the newest block.",
    adapt: adapterStack(
      onReason("no-header", ({ filter }) => noHeader((filter as LogFilter).blockHash)), // its codec's value
      around((next, { filter }, context) => next({ filter: withoutPending(filter as LogFilter) }, context)), // likewise
    ),
  },
  {
    methods: ["chain_recoverFromTransaction"],
    difference: "Legacy and Ethereum transactions are refused.",
    adapt: around((next, args, context) => {
      const raw = args["raw"] as Uint8Array; // its codec's value
      if (raw.length > 0) refusePlain(raw);
      return next(args, context);
    }),
  },
  {
    methods: ["personal_ecRecover", "chain_recoverFromMessage"],
    difference: "The error of a V that is neither 27 nor 28 names Klaytn.",
    adapt: onReason("bad-recovery-id", () => failure("invalid Klaytn signature (V is not 27 or 28)")),
  },
  {
    methods: [
      "chain_sendRawTransaction",
      "eth_sendRawTransaction",
      "chain_sendTransaction",
      "eth_sendTransaction",
      "chain_sendTransactionAsFeePayer",
      "chain_resend",
      "eth_resend",
      "personal_sendTransaction",
      "personal_sendTransactionAsFeePayer",
      "personal_sendValueTransfer",
      "personal_sendAccountUpdate",
    ],
    difference: "The errors of recipients with code, and of those without, have other texts.",
    adapt: onError((error) => {
      throw refusal(error) ?? error;
    }),
  },
  {
    methods: ["debug_dumpStateTrie"],
    difference: "Accounts without storage have no row for it.",
    adapt: mapAnswer(({ root, tries }: { readonly root: string; readonly tries: readonly DumpedNode[] }) => ({
      root,
      tries: tries.filter(({ type, hash, path }) => type !== "storage" || hash !== NO_HASH || path !== "0x"),
    })),
  },
  {
    methods: ["governance_vote"],
    difference: "Other words.",
    adapt: adapterStack(
      mapAnswer(() => VOTE_PREPARED),
      onError((error) => {
        throw error instanceof GovernanceError ? withCapital(error) : error;
      }),
    ),
  },
  {
    methods: ["governance_votes"],
    difference: "No parameter, and entries with the voter instead of the block.",
    adapt: adapterStack(
      around((next, _args, context) => next({ number: "latest" }, context)),
      withParameters({}),
      withResult(
        voteList(
          ({ value: vote }: CastVote) => ({
            validator: toHex(vote.voter),
            key: voteJson(vote).Name,
            value: valueJson(vote.value),
          }),
          recordSchema({ validator: schemaRefs.address, key: plainSchemas.text, value: voteValueSchema }),
        ),
      ),
    ),
  },
  {
    methods: ["governance_myVotes"],
    difference: "Another order of members, and amounts as text.",
    adapt: withResult(
      voteList(({ number, vote, casted }: OwnVote) => {
        const { Name: Key, Value } = voteJson(vote);
        const value = vote.kind === "parameter" ? valueJson(vote.value) : Value;
        return { Key, Value: value, Casted: casted, BlockNum: number };
      }, ownVoteSchema),
    ),
  },
];

interface ShownAccount {
  readonly accType: number;
  readonly account: object;
}

interface ShownConfig {
  readonly governance: { readonly reward: object };
}

/** Removes the members of a chain's configuration that came later. */
function klaytnConfig(config: ShownConfig): object {
  const reward = omitKeys(config.governance.reward, ["stakingRewardThreshold", "useFlexReward"]);
  return omitKeys({ ...config, governance: { ...config.governance, reward } }, ["kip160ContractAddress"]);
}

/** Removes storage and code from the JSON of an externally owned account. */
export function klaytnAccount({ accType, account }: ShownAccount): ShownAccount {
  return { accType, account: accType === EOA ? omitKeys(account, CODE_MEMBERS) : account };
}

/** Replaces the error with a reason. */
function onReason(reason: FailureReason, replace: (args: Arguments) => Error): Adapter {
  return onError((error, args) => {
    throw error instanceof RpcError && error.reason === reason ? replace(args) : error;
  });
}

function noRewardBlock(number: unknown): RpcError {
  return failure(`the block does not exist (block number: ${String(number)})`);
}

function noHeader(hash: Hash = new Uint8Array(0)): RpcError {
  return failure(`the header does not exist (hash: [${hash.join(" ")}])`);
}

function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}

function withoutPending({ from, to, ...filter }: LogFilter): LogFilter {
  return {
    ...filter,
    from: from === "pending" ? 0 : from,
    to: to === "pending" ? "latest" : to,
  };
}

function refusePlain(raw: Uint8Array): void {
  const { code, ethType } = decodeEitherTransaction(raw).type;
  if (code === 0 || ethType > 0) throw failure("should not be called by a legacy transaction");
}

function refusal(error: unknown): Error | undefined {
  const cause = error instanceof PoolError ? error.cause : undefined;
  const code = cause instanceof ExecutionError ? cause.code : undefined;
  if (code === "recipient-with-code") {
    return failure("this type transaction cannot be sent to contract addresses");
  }
  return code === "recipient-without-code"
    ? failure("not a program account (e.g., an account having code and storage)")
    : undefined;
}

function withCapital({ code, message }: GovernanceError): Error {
  const isOwn = code === "no-vote-right" || code === "bad-ballot";
  return failure(isOwn ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : message);
}

const NEW_TAGS: ReadonlySet<unknown> = new Set(["safe", "finalized"]);
/** Schemas of the codecs that accept block tags. */
const BLOCK_SCHEMAS: ReadonlySet<Schema> = new Set([schemaRefs.block, schemaRefs.blockNumber]);

/** Refuses the block tags `safe` and `finalized` in the parameters of a method that takes a block. */
export function withoutNewTags(row: Method): Method {
  if (!row.params.some(({ schema }) => BLOCK_SCHEMAS.has(schema))) return row;
  return row.adapt(({ params, ...definition }) => {
    const checked = Object.entries(params).map(([name, codec]) => [
      name,
      BLOCK_SCHEMAS.has(codec.schema) ? withoutTags(codec) : codec,
    ]);
    return { ...definition, params: Object.fromEntries(checked) as Parameters }; // under the same names
  });
}

function withoutTags(codec: Decoder<unknown>): Decoder<unknown> {
  return {
    ...codec,
    decode(json) {
      if (NEW_TAGS.has(json)) throw new CodecError("hex string without 0x prefix");
      return codec.decode(json);
    },
  };
}
