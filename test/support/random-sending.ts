/** Random signed transactions of all types, most of them wrong in some way, for pools of one genesis. */
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { bareHex, fromHex } from "../../node/bytes/hex.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { signTransaction, type Transaction, type TransactionDraft } from "../../node/model/transaction.ts";
import { signAsFeePayer } from "../../node/model/transaction-signers.ts";
import type { Authorization, TypeFields } from "../../node/model/transaction-type.ts";
import { CHAIN_ID, networkGenesis } from "../../scripts/network/genesis.ts";
import { signAuthorization } from "./authorizations.ts";
import type { Choices } from "./pool-random.ts";

const KEYS = DEVELOPMENT_KEYS.slice(0, 6);
/** The senders: four with money, one with little, one without. */
export const SENDERS: readonly Uint8Array[] = KEYS.map(addressOfKey);
const RICH = 4;
const LITTLE = 6_400_000_000_000n;
const PROGRAM = fromHex(`0x${"c0de".padStart(40, "0")}`);
/** Recipients besides the senders: a program, nobody, a precompiled contract, the last reserved address and others. */
const RECIPIENTS = [
  PROGRAM,
  ...["0", "1", "3fd", "400", "12345678"].map((text) => fromHex(`0x${text.padStart(40, "0")}`)),
];
/** The base fee of block 1, in peb. */
const PRICE = 25_000_000_000n;
const GAS = [0, 20_999, 21_000, 21_000, 53_000, 100_000, 100_000, 400_000, 1_000_000, 30_000_000, 2 ** 40];
const VALUES = [0n, 0n, 1n, 10n ** 18n, 10n ** 30n, 1n << 255n];
const PRICES = [0n, 1n, PRICE - 1n, PRICE, PRICE, PRICE, PRICE, 2n * PRICE, 3n * PRICE, 30n * PRICE];
/** Lengths of inputs: about the limits of code, of init code and of a transaction. */
const LENGTHS = [1, 4, 100, 1_000, 24_577, 33_000, 49_153, 131_072];
const ETHEREUM = [0, 0, 0x7801, 0x7802, 0x7802, 0x7803, 0x7804];
const DEPLOY = 0x28;
const EXECUTION = 0x30;
const UPDATE = 0x20;
const CANCEL = 0x38;
const ANCHORING = 0x48;
const FAMILIES = [0x08, 0x10, UPDATE, DEPLOY, EXECUTION, CANCEL, ANCHORING];
const ACCOUNT_KEYS = [[0x80], [1, 0xc0], [3, 0xc0], [2, 0xa1, 2, ...new Uint8Array(32).fill(9)]];

/** The genesis of these senders, as the text of a file. With `osaka` all forks are active from block 0. */
export async function sendersGenesis({ osaka }: { readonly osaka: boolean }): Promise<string> {
  const key = new Uint8Array(32).fill(7);
  const text = await networkGenesis(
    [{ address: addressOfKey(key), key }],
    Math.floor(Date.now() / 1000) - 10,
  );
  const genesis = JSON.parse(text) as { alloc: Record<string, object>; config: Record<string, unknown> };
  for (const address of SENDERS.slice(RICH)) delete genesis.alloc[bareHex(address)];
  genesis.alloc[bareHex(SENDERS[RICH] as Uint8Array)] = { balance: `0x${LITTLE.toString(16)}` };
  genesis.alloc[bareHex(PROGRAM)] = { balance: "0x0", code: "0x6000" };
  if (osaka) genesis.config["osakaCompatibleBlock"] = 0;
  return JSON.stringify(genesis);
}

/** Makes transactions by one seed. `nonces` are those that the senders have next, by their place. */
export class RandomSending {
  readonly #choices: Choices;
  readonly #nonces: readonly bigint[];

  constructor(choices: Choices, nonces: readonly bigint[]) {
    this.#choices = choices;
    this.#nonces = nonces;
  }

  /** Makes a transaction. */
  make(): Transaction {
    const { int, pick } = this.#choices;
    const isOwnKind = int(2) === 0;
    const isPoor = int(5) === 0;
    const sender = isPoor ? RICH + int(2) : int(RICH);
    const code = isOwnKind ? pick(FAMILIES) + int(3) : pick(ETHEREUM);
    const draft = {
      code,
      nonce: int(10) < 7 ? (this.#nonces[sender] ?? 0n) : BigInt(int(6)),
      gas: BigInt(pick(GAS)),
      ...this.#prices(code),
      value: pick(VALUES),
      to: this.#recipient(),
      input: int(4) === 0 ? this.#input() : new Uint8Array(0),
    };
    return this.#signed(isOwnKind ? this.#ownKind(draft, sender) : this.#ethereum(draft, isPoor), sender);
  }

  #prices(code: number): Pick<TransactionDraft, "gasFeeCap" | "gasTipCap"> {
    const { int, pick } = this.#choices;
    const gasFeeCap = pick(PRICES);
    const hasTip = code >= 0x7802 && int(2) === 0;
    return { gasFeeCap, gasTipCap: hasTip ? pick([0n, 1n, PRICE, gasFeeCap + 1n]) : gasFeeCap };
  }

  #recipient(): Uint8Array {
    return this.#choices.pick([...RECIPIENTS, ...SENDERS]);
  }

  #input(): Uint8Array {
    return new Uint8Array(this.#choices.pick(LENGTHS)).fill(this.#choices.int(2));
  }

  #ethereum(draft: TransactionDraft, isPoor: boolean): TransactionDraft {
    const { int, pick } = this.#choices;
    const many = <T>(one: () => T): T[] => Array.from({ length: int(3) }, one);
    const { code } = draft;
    const to = int(6) === 0 && code < 0x7803 ? undefined : draft.to;
    if (code === 0) return { ...draft, to };
    const accessList = many(() => ({
      address: pick(SENDERS),
      storageKeys: many(() => new Uint8Array(32).fill(int(3))),
    }));
    const lists: TypeFields = { accessList };
    if (code === 0x7804)
      return { ...draft, fields: { ...lists, authorizationList: many(() => this.#authorization()) } };
    if (code !== 0x7803) return { ...draft, to, fields: lists };
    // what blobs may cost is no part of the Go node's look at the funds, as it is of ours
    const blobVersionedHashes = isPoor ? [] : many(() => new Uint8Array(32).fill(1));
    const maxFeePerBlobGas = pick([1n, 8n * PRICE, 1000n * PRICE]);
    return { ...draft, fields: { ...lists, blobVersionedHashes, maxFeePerBlobGas } };
  }

  #authorization(): Authorization {
    const { int, pick } = this.#choices;
    const chainId = BigInt(pick([0, CHAIN_ID, CHAIN_ID, 5]));
    const content = { chainId, address: pick(SENDERS), nonce: BigInt(pick([0, 0, 1, 3])) };
    const signed = signAuthorization(content, pick(KEYS));
    return int(4) < 3 ? signed : { ...signed, yParity: 2 };
  }

  #ownKind(draft: TransactionDraft, sender: number): TransactionDraft {
    const { int, pick } = this.#choices;
    const payment = draft.code % 4;
    const family = draft.code - payment;
    const fields: TypeFields = {
      from: int(12) === 0 ? pick(SENDERS) : (SENDERS[sender] as Uint8Array),
      ...(payment > 0 && { feePayer: pick(SENDERS) }),
      ...(payment === 2 && { feeRatio: pick([0, 1, 30, 99, 100, 255]) }),
    };
    const bare = { ...draft, to: undefined, value: 0n, input: new Uint8Array(0) };
    if (family === CANCEL) return { ...bare, fields };
    if (family === UPDATE)
      return { ...bare, fields: { ...fields, key: Uint8Array.from(pick(ACCOUNT_KEYS)) } };
    if (family === ANCHORING) return { ...bare, input: this.#input(), fields };
    if (family !== DEPLOY) return { ...draft, ...(family === 0x08 && { input: bare.input }), fields };
    const to = int(5) === 0 ? draft.to : undefined;
    const odd = { humanReadable: int(8) === 0, codeFormat: int(8) === 0 ? 1 : 0 };
    return { ...draft, to, input: this.#input(), fields: { ...fields, ...odd } };
  }

  /** Signs, now and then with the key of somebody else or for another chain. */
  #signed(draft: TransactionDraft, sender: number): Transaction {
    const { int, pick } = this.#choices;
    const chainId = BigInt(int(20) === 0 ? 5 : CHAIN_ID);
    const key = int(15) === 0 ? pick(KEYS) : (KEYS[sender] as Uint8Array);
    const tx = signTransaction(draft, chainId, (digest) => sign(digest, key));
    const feePayer = draft.fields?.feePayer;
    if (feePayer === undefined) return tx;
    const payerKey = int(12) === 0 ? pick(KEYS) : (KEYS[SENDERS.indexOf(feePayer)] as Uint8Array);
    return signAsFeePayer(tx, { feePayer, chainId }, (digest) => sign(digest, payerKey));
  }
}
