/** A recorded chain's folder: genesis.json, chain.rlp.gz or chain.rlp and, where they were kept, the Go node's answers. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { itemAt, type RlpItem } from "../../node/bytes/rlp.ts";
import { type ChainConfig, parseChainConfig } from "../../node/config/chain-config.ts";
import { parseExactJson } from "../../node/config/exact-json.ts";

/** A JSON object of an answer. */
export type Answer = Readonly<Record<string, unknown>>;

/** Contents of the folder; lists of answers are empty where the file is missing. */
export interface RecordedChain {
  readonly config: ChainConfig;
  readonly deriveShaImpl: number;
  readonly blocks: readonly RlpItem[];
  /** `getBlockByNumber` with whole transactions, by number. */
  readonly blockAnswers: readonly Answer[];
  /** `getBlockReceipts` by number. */
  readonly receiptAnswers: ReadonlyMap<number, readonly Answer[]>;
  /** Proposer and committee by block number. */
  readonly consensusAnswers: ReadonlyMap<number, Answer>;
  /** Accounts at the head. */
  readonly head: HeadState | undefined;
}

/** `getAccount` of addresses that transactions touched, and a dump of all accounts, which says less. */
export interface HeadState {
  readonly accounts: Readonly<Record<string, { readonly account: Answer | null }>>;
  readonly dump?: { readonly root: string; readonly accounts: Readonly<Record<string, DumpedAccount>> };
}

/** An account of a dump; hex texts without 0x. */
export interface DumpedAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly root: string;
  readonly codeHash: string;
  readonly code: string;
}

/** Path of the folder's blocks; undefined for a folder that is no chain's. */
export function chainFile(directory: string): string | undefined {
  if (!existsSync(join(directory, "genesis.json"))) return undefined;
  return ["chain.rlp.gz", "chain.rlp"].map((name) => join(directory, name)).find(existsSync);
}

/** Reads a folder. */
export function readRecordedChain(directory: string): RecordedChain {
  const genesis = parseExactJson(readFileSync(join(directory, "genesis.json"), "utf8")) as {
    config: unknown;
  };
  const file = chainFile(directory) ?? join(directory, "chain.rlp.gz");
  const read = readFileSync(file);
  const bytes = new Uint8Array(file.endsWith(".gz") ? gunzipSync(read) : read);
  const receipts = packedJson(directory, "receipts.json.gz") ?? {};
  const consensus = (packedJson(directory, "consensus.json.gz") ?? []) as readonly Answer[];
  return {
    config: parseChainConfig(genesis.config),
    deriveShaImpl: (genesis.config as { deriveShaImpl?: number }).deriveShaImpl ?? 0,
    blocks: splitItems(bytes),
    blockAnswers: (packedJson(directory, "blocks.json.gz") ?? []) as Answer[],
    receiptAnswers: new Map(
      Object.entries(receipts).map(([number, list]) => [Number(number), list as readonly Answer[]]),
    ),
    consensusAnswers: new Map(consensus.map((answer) => [Number(answer["number"]), answer])),
    head: packedJson(directory, "state.json.gz") as HeadState | undefined,
  };
}

function packedJson(directory: string, name: string): unknown {
  const path = join(directory, name);
  return existsSync(path) ? JSON.parse(gunzipSync(readFileSync(path)).toString()) : undefined;
}

function splitItems(bytes: Uint8Array): RlpItem[] {
  const items: RlpItem[] = [];
  for (let at = 0; at < bytes.length; at += items.at(-1)?.raw.length ?? 0) items.push(itemAt(bytes, at));
  return items;
}
