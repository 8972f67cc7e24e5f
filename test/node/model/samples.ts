/** Recorded facts of real chains, see `test/vectors/samples`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { fromHex } from "../../../node/bytes/hex.ts";
import { itemAt, type RlpItem } from "../../../node/bytes/rlp.ts";

const root = new URL("../../vectors/", import.meta.url);

export interface TransactionSample {
  readonly name: string;
  readonly type?: string;
  readonly typeInt: number;
  readonly chainId?: number;
  readonly raw: string;
  readonly txHash?: string;
  readonly senderTxHash?: string;
  /** Sender that the first signature recovers to: null for signatures that are nobody's. */
  readonly sender?: string | null;
  readonly feePayerSigner?: string | null;
  readonly senderKey?: string;
  readonly feePayerKey?: string;
  /** Bytes that are hashed for the signature, and for `senderTxHash`. */
  readonly sigRLP?: string;
  readonly feePayerSigRLP?: string;
  readonly senderTxHashRLP?: string;
  readonly txJson?: Readonly<Record<string, unknown>>;
  readonly rpcJson?: Readonly<Record<string, unknown>>;
}

export interface HeaderSample {
  readonly chain: string;
  readonly number: number;
  readonly hash: string;
  readonly rlp: string;
  readonly sigHash?: string;
  readonly proposer?: string | null;
  readonly committers?: readonly string[] | null;
  readonly round?: number;
}

export interface BlockSample {
  readonly chain: string;
  readonly chainId: number;
  readonly deriveShaImpl: number;
  readonly number: number;
  readonly rlp: string;
  readonly transactionsRoot: string;
  readonly transactions: readonly Readonly<Record<string, string>>[];
  readonly effective: readonly string[];
}

export interface ReceiptSample {
  readonly deriveShaImpl: number;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly receipts: readonly {
    readonly status: string;
    readonly txError: string | null;
    readonly gasUsed: string;
    readonly logsBloom: string;
    readonly transactionHash: string;
    readonly contractAddress: string | null;
    readonly logs: readonly { readonly address: string; readonly topics: string[]; readonly data: string }[];
  }[];
}

export interface GenesisSample {
  readonly name: string;
  readonly text: string;
  readonly stateRoot: string;
  readonly hash: string;
  readonly governanceData?: string;
}

/** The folder of a recorded chain. */
export const chainFolder = (name: string): string => fileURLToPath(new URL(`chains/${name}`, root));

function sample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`samples/${name}.json`, root), "utf8"));
}

export const transactionSamples = () =>
  JSON.parse(
    gunzipSync(readFileSync(new URL("samples/transactions.json.gz", root))).toString(),
  ) as readonly TransactionSample[];
export const headerSamples = () => sample("headers") as readonly HeaderSample[];
export const blockSamples = () => sample("blocks") as readonly BlockSample[];
export const receiptSamples = () => sample("receipts") as readonly ReceiptSample[];
export const genesisSamples = () => sample("genesis") as readonly GenesisSample[];
/** The configuration as a Go node printed it. */
export const chainConfigText = (): string =>
  readFileSync(new URL("samples/chain-config-prague.json", root), "utf8").trim();

/** The blocks of the recorded chain of transfers. */
export function transferBlocks(): RlpItem[] {
  const bytes = new Uint8Array(gunzipSync(readFileSync(new URL("chains/transfers/chain.rlp.gz", root))));
  const blocks: RlpItem[] = [];
  for (let at = 0; at < bytes.length; at += blocks.at(-1)?.raw.length ?? 0) blocks.push(itemAt(bytes, at));
  return blocks;
}

/** Answers of the Go node about them. */
export function transferBlockJson(): readonly {
  hash: string;
  transactionsRoot: string;
  transactions: { hash: string; from: string }[];
}[] {
  return JSON.parse(gunzipSync(readFileSync(new URL("chains/transfers/blocks.json.gz", root))).toString());
}

/** The sample block of a chain, as bytes. */
export function sampleBlock(chain: string): Uint8Array {
  const found = blockSamples().find((block) => block.chain === chain);
  if (found === undefined) throw new Error(`no sample block of ${chain}`);
  return fromHex(found.rlp);
}
