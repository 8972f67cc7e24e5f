/** Makes a chain of transfers between many accounts, the way a lone validator would, into a folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes } from "../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import { writeBlockFile } from "../../node/chain/block-file-writer.ts";
import { rawBlock } from "../../node/chain/block-rows.ts";
import { writeGenesis } from "../../node/chain/genesis-block.ts";
import { openConsensusChain } from "../../node/compose/consensus-chain.ts";
import { parseGenesis } from "../../node/config/genesis.ts";
import { rulesAt } from "../../node/config/rules.ts";
import { draftHeader } from "../../node/consensus/proposal.ts";
import { withCommittedSeals, withProposerSeal } from "../../node/consensus/seal.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { executeTransactions } from "../../node/execution/block.ts";
import { blockContext } from "../../node/execution/block-context.ts";
import { createBlock } from "../../node/model/block.ts";
import { listRoot } from "../../node/model/list-root.ts";
import { encodeReceipt } from "../../node/model/receipt.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";
import { silentLog } from "../../node/observe/log.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { openState } from "../../node/state/open-state.ts";
import type { State } from "../../node/state/state.ts";
import { memoryTries } from "../../node/state/trie/generations.ts";
import type { World } from "../../node/state/world/world.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";
import { TOKEN_ADDRESS, TOKEN_CODE, tokenSlot, tokenTransfer } from "./token.ts";

/** Size and contents of the chain. */
export interface TransferChainOptions {
  readonly accounts: number;
  readonly blocks: number;
  /** In each block. */
  readonly transfers: number;
  /** Numbers of the transaction types, taken in turn; legacy alone without it. */
  readonly types?: readonly number[];
  /** Every so manieth transaction is a transfer of tokens; none without it. */
  readonly tokenEvery?: number;
  /** Blocks behind those, with so many transfers of tokens each; needs `tokenEvery`. */
  readonly tail?: readonly number[];
  /** The transactions of one more block at the end. */
  readonly last?: readonly Transaction[];
  /** Members of the chain configuration that differ, as in a genesis file. */
  readonly config?: object;
  /** Members of `governance.reward` that differ. */
  readonly reward?: object;
}

/** The chain id of every made chain. */
export const CHAIN_ID = 9001;
const UNIT_PRICE = 25_000_000_000n;
const HIGHEST_BASE_FEE = 750_000_000_000n;
const DYNAMIC_FEE = 0x7802;
const START = 1_600_000_000;
/** Key of the only validator of every made chain. */
export const VALIDATOR_KEY = keccak256(Buffer.from("validator of a made chain"));

/** Key of a funded account by its place, from 0. */
export function senderKey(place: number): Uint8Array {
  return keccak256(fixedBytes(place + 1, 8));
}

/** Writes genesis.json and chain.rlp.gz (from block 0) into `directory`. */
export async function makeTransferChain(directory: string, terms: TransferChainOptions): Promise<void> {
  await mkdir(directory, { recursive: true });
  const text = transferGenesis(terms);
  await writeFile(join(directory, "genesis.json"), text);
  const store = createMemoryStore();
  await using state = await openState({ chain: store, trie: memoryTries() });
  await writeGenesis({ store, state }, parseGenesis(text));
  const open = await openConsensusChain(
    { store, state, [Symbol.asyncDispose]: async () => undefined },
    silentLog,
    systemClock,
  );
  await makeTransferBlocks(open, state, terms);
  const numbers = Array.from(
    { length: open.chain.head().header.number + 1 },
    (_, number) => rawBlock(store, number) ?? new Uint8Array(0),
  );
  await writeBlockFile(join(directory, "chain.rlp.gz"), numbers);
}

/** Returns the genesis file of the chain. */
export function transferGenesis(terms: TransferChainOptions): string {
  return genesisText(keysOf(terms).map(addressOfKey), terms);
}

function keysOf({ accounts }: TransferChainOptions): Uint8Array[] {
  return Array.from({ length: accounts }, (_, i) => senderKey(i));
}

/** Makes all blocks of the chain behind block 0 and syncs the last of them. */
export async function makeTransferBlocks(
  open: Open,
  state: State,
  terms: TransferChainOptions,
): Promise<void> {
  const next = transferSource(keysOf(terms), open.chain, terms);
  const several = (count: number, isOfTokens?: boolean): Transaction[] =>
    Array.from({ length: count }, () => next(isOfTokens));
  for (let number = 1; number <= terms.blocks; number++)
    await makeBlock(open, state, several(terms.transfers));
  for (const count of terms.tail ?? []) await makeBlock(open, state, several(count, true));
  if (terms.last !== undefined) await makeBlock(open, state, terms.last);
  await open.writer.settle();
}

/** Gives signed transfers, one after the other, from each account in turn; of tokens when that is asked for. */
function transferSource(
  keys: readonly Uint8Array[],
  chain: Open["chain"],
  { types = [0], tokenEvery = Number.POSITIVE_INFINITY }: TransferChainOptions,
): (isOfTokens?: boolean) => Transaction {
  const addresses = keys.map(addressOfKey);
  const nonces = keys.map(() => 0n);
  let next = 0;
  return (isOfTokens = next % tokenEvery === tokenEvery - 1) => {
    const at = next++;
    const from = at % keys.length;
    const nonce = nonces[from] ?? 0n;
    nonces[from] = nonce + 1n;
    const hasBaseFee = chain.rules(1).baseFee;
    const cap = hasBaseFee ? HIGHEST_BASE_FEE + BigInt(at) : UNIT_PRICE;
    const code = types[at % types.length] ?? 0;
    const to = addresses[(at * 7919 + 13) % keys.length] ?? addressOfKey(VALIDATOR_KEY);
    const what = isOfTokens
      ? { to: TOKEN_ADDRESS, value: 0n, input: tokenTransfer(to, 1) }
      : { to, value: 1n, input: new Uint8Array(0) };
    const draft = {
      code,
      nonce,
      gas: 100_000n,
      gasFeeCap: cap,
      gasTipCap: hasBaseFee && code === DYNAMIC_FEE ? BigInt(at) : cap,
      ...what,
    };
    return signTransaction(draft, chain.config.chainId, (digest) =>
      sign(digest, keys[from] ?? VALIDATOR_KEY),
    );
  };
}

/** An open chain of such a directory. */
export type Open = Awaited<ReturnType<typeof openConsensusChain>>;

/**
 * Makes the next block of these transactions, as the validator of every made chain. `change` is made behind them: a state
 * grows by it faster than by transactions.
 */
export async function makeBlock(
  { chain, writer }: Open,
  state: State,
  transactions: readonly Transaction[],
  change: (world: World) => void = () => undefined,
): Promise<void> {
  const { config } = chain;
  const parent = writer.tip;
  const number = parent.header.number + 1;
  const rules = rulesAt(config, number);
  const parameters = chain.parameters(number);
  const address = addressOfKey(VALIDATOR_KEY);
  const draft = draftHeader({
    parent,
    rules,
    parameters,
    validators: [address],
    rewardbase: address,
    vanity: new Uint8Array(32),
    now: (START + number) * 1000,
  });
  const world = state.begin();
  const blockHash = writer.hashOf.bind(writer);
  const context = blockContext(config, draft, { author: address, blockHash });
  const outcome = await executeTransactions(world, transactions, context, () => undefined);
  change(world);
  using sealed = await writer.seal({ world, outcome }, draft, rules);
  const { deriveShaImpl } = parameters;
  const header = {
    ...draft,
    stateRoot: sealed.stateRoot,
    transactionsRoot: listRoot(
      deriveShaImpl,
      transactions.map((tx) => tx.raw),
    ),
    receiptsRoot: listRoot(deriveShaImpl, outcome.receipts.map(encodeReceipt)),
    bloom: outcome.bloom,
    gasUsed: outcome.gasUsed,
  };
  const seal = (digest: Uint8Array): Uint8Array => sign(digest, VALIDATOR_KEY);
  const block = createBlock(withCommittedSeals(withProposerSeal(header, seal), [seal]), transactions);
  await sealed.complete(block).commit(false);
}

function genesisText(
  addresses: readonly Uint8Array[],
  { config, reward, tokenEvery }: TransferChainOptions,
): string {
  const alloc = {
    ...Object.fromEntries(
      addresses.map((account) => [bareHex(account), { balance: "0x21e19e0c9bab2400000" }]),
    ),
    ...(tokenEvery !== undefined && { [bareHex(TOKEN_ADDRESS)]: tokenAccount(addresses) }),
  };
  return makerGenesis(alloc, config, reward);
}

/** A genesis file with these accounts, whose only validator is that of every made chain. */
export function makerGenesis(alloc: object, config: object = {}, reward: object = {}): string {
  const address = addressOfKey(VALIDATOR_KEY);
  return JSON.stringify({
    config: {
      chainId: CHAIN_ID,
      istanbul: { epoch: 604_800, policy: 0, sub: 22 },
      unitPrice: Number(UNIT_PRICE),
      deriveShaImpl: 2,
      governance: {
        governingNode: toHex(address),
        governanceMode: "single",
        reward: {
          mintingAmount: 9_600_000_000_000_000_000,
          ratio: "34/54/12",
          kip82ratio: "20/80",
          useGiniCoeff: false,
          deferredTxFee: true,
          stakingUpdateInterval: 86_400,
          proposerUpdateInterval: 3600,
          minimumStake: 5_000_000,
          ...reward,
        },
        kip71: {
          lowerboundbasefee: 25_000_000_000,
          upperboundbasefee: 750_000_000_000,
          gastarget: 30_000_000,
          maxblockgasusedforbasefee: 60_000_000,
          basefeedenominator: 20,
        },
      },
      ...config,
    },
    timestamp: `0x${START.toString(16)}`,
    extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([[address], new Uint8Array(0), []]))),
    blockScore: "0x1",
    alloc,
  });
}

/** The token with a balance for everybody. */
function tokenAccount(holders: readonly Uint8Array[]): object {
  return {
    balance: "0x0",
    code: toHex(TOKEN_CODE),
    storage: Object.fromEntries(holders.map((holder) => [toHex(tokenSlot(holder)), "0x0f4240"])),
  };
}
