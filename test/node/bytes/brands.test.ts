/** The compiler refuses each kind of byte string where another one is expected; `npm run types` compiles this file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import {
  type Address,
  type Hash,
  type NodeId,
  nodeIdOf,
  type PublicKey,
  publicKeyOfNode,
  type StorageKey,
} from "../../../node/bytes/brands.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../node/crypto/secp256k1.ts";

const address: Address = new Uint8Array(20);
const hash: Hash = new Uint8Array(32);
const storageKey: StorageKey = new Uint8Array(32);
const nodeId: NodeId = new Uint8Array(64);
const publicKey: PublicKey = new Uint8Array(64);

const asAddress = (value: Address): number => value.length;
const asHash = (value: Hash): number => value.length;
const asStorageKey = (value: StorageKey): number => value.length;
const asNodeId = (value: NodeId): number => value.length;
const asPublicKey = (value: PublicKey): number => value.length;
const asBytes = (value: Uint8Array): number => value.length;

test("no kind of byte string is taken for another one, and each is a byte string", () => {
  expect([address, hash, storageKey, nodeId, publicKey].map(asBytes)).toEqual([20, 32, 32, 64, 64]);
  const swaps = [
    // @ts-expect-error
    asAddress(hash),
    // @ts-expect-error
    asAddress(storageKey),
    // @ts-expect-error
    asAddress(nodeId),
    // @ts-expect-error
    asAddress(publicKey),
    // @ts-expect-error
    asHash(address),
    // @ts-expect-error
    asHash(storageKey),
    // @ts-expect-error
    asHash(nodeId),
    // @ts-expect-error
    asHash(publicKey),
    // @ts-expect-error
    asStorageKey(address),
    // @ts-expect-error
    asStorageKey(hash),
    // @ts-expect-error
    asStorageKey(nodeId),
    // @ts-expect-error
    asStorageKey(publicKey),
    // @ts-expect-error
    asNodeId(address),
    // @ts-expect-error
    asNodeId(hash),
    // @ts-expect-error
    asNodeId(storageKey),
    // @ts-expect-error
    asNodeId(publicKey),
    // @ts-expect-error
    asPublicKey(address),
    // @ts-expect-error
    asPublicKey(hash),
    // @ts-expect-error
    asPublicKey(storageKey),
    // @ts-expect-error
    asPublicKey(nodeId),
  ];
  expect(swaps).toHaveLength(5 * 4);
});

test("what computes a hash, a key or an address names its kind", () => {
  const digest = keccak256(new Uint8Array(0));
  const key = publicKeyOf(digest);
  const owner = addressOfPublicKey(key);
  // @ts-expect-error
  expect(asAddress(digest)).toBe(32);
  // @ts-expect-error
  expect(asNodeId(key)).toBe(64);
  // @ts-expect-error
  expect(asHash(owner)).toBe(20);
});

test("a node id is the public key of its owner under another kind", () => {
  const key = publicKeyOf(new Uint8Array(32).fill(1));
  expect(publicKeyOfNode(nodeIdOf(key))).toBe(key);
});

/** Names that stand for one of the kinds wherever a parameter or a property has them. */
const NAMES = `
  address addresses sender author rewardbase governingNode feePayer payer voter owner authority
  proposer council beneficiary caller stakingContract contractAddress hash accountHash slotHash
  codeHash blockHash parentHash previousHash txHash transactionHash senderTxHash genesisHash headHash
  stateRoot storageRoot rootHash transactionsRoot receiptsRoot mixHash digest remoteId ownId
  storageKeys publicKeys qualified root creator sealer
`
  .trim()
  .split(/\s+/);

const BARE = new RegExp(
  String.raw`(?<![\w.$])(?:${NAMES.join("|")})\??: (?:readonly )?Uint8Array(?![.\w])`,
  "g",
);

/** Functions that are named for one of the kinds, such as `authorOrZero`, and return a bare byte string. */
const BARE_RESULT =
  /\b(?:function |const )?(\w*(?<!For)(?:[hH]ash|[aA]ddress|[aA]uthor|[sS]igner|[pP]roposer|NodeId|[sS]lotKey|[rR]oot)(?:Of|At|OrZero)?)(?: = )?\([^()]*\): (?:readonly )?Uint8Array(?![.\w])/g;

function offences(pattern: RegExp): string[] {
  const files = readdirSync("node", { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(600);
  return files.flatMap((path) =>
    [...readFileSync(join("node", path), "utf8").matchAll(pattern)].map(([found]) => `${path}: ${found}`),
  );
}

test("no parameter or property with the name of a kind is a bare byte string", () => {
  expect(offences(BARE)).toEqual([]);
});

test("no function with the name of a kind returns a bare byte string", () => {
  expect(offences(BARE_RESULT)).toEqual([]);
});
