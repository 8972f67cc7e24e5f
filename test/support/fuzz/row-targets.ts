/** Targets of fuzzing: rows of databases, of this program and of Go nodes, and answers of contracts. */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { BytesError } from "../../../node/bytes/error.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import {
  decodeRlp,
  decodeRlpTree,
  encodeRlp,
  encodeRlpList,
  listItems,
  type RlpInput,
  stringBytes,
} from "../../../node/bytes/rlp.ts";
import { keyBytes, proposedBlock } from "../../../node/consensus/bft/payload.ts";
import { createMessageSigner } from "../../../node/consensus/bft/signed-message.ts";
import { readRecord, SigningRecord } from "../../../node/consensus/bft/signing-record.ts";
import { ConsensusError } from "../../../node/consensus/error.ts";
import { type AbiInput, decodeParameters } from "../../../node/console/abi.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { GoDataError } from "../../../node/go-data/error.ts";
import { decodeGoReceipts } from "../../../node/go-data/receipts.ts";
import { readGoNode, writeHashedForm } from "../../../node/go-data/trie-node.ts";
import type { ContractReader } from "../../../node/governance/contract-reader.ts";
import { GovernanceError } from "../../../node/governance/error.ts";
import { decodeStaking, encodeStaking, readStaking } from "../../../node/governance/staking-contracts.ts";
import {
  contractParameters,
  registeredKeys,
  registryRecords,
} from "../../../node/governance/system-contracts.ts";
import { emptyAccount, encodeAccount } from "../../../node/model/account.ts";
import { anchoringJson } from "../../../node/model/anchoring.ts";
import { bloomOf } from "../../../node/model/bloom.ts";
import { ModelError } from "../../../node/model/error.ts";
import { encodeHeader } from "../../../node/model/header.ts";
import { decodeStoredReceipts, encodeStoredReceipts } from "../../../node/model/receipt.ts";
import { encodeBranch, encodeExtension, encodeLeaf } from "../../../node/model/trie-node.ts";
import { changesOf, numberBytes, upTo } from "../../../node/state/history/change-page.ts";
import { decodeNode, encodeNode } from "../../../node/state/trie/codec.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { bareHeader } from "../bare-header.ts";
import { abiAnswer, addressWord } from "../contracts.ts";
import { assertSameBytes, type FuzzTarget } from "./target.ts";

const NOTHING = new Uint8Array(0);
const KEY = new Uint8Array(32).fill(3);
const HASH = new Uint8Array(32).fill(0xab);
const ADDRESS = new Uint8Array(20).fill(0x11);
/** Maximum bytes of a trie node in its hashed form. */
const MAX_NODE = 128 * 1024;

/** Maximum bytes of a path in its hex-prefix form: the 64 nibbles of a hash and a flag. */
const MAX_PATH = 33;

/** Types of an answer that a script reads. */
const CONSOLE_OUTPUTS: readonly AbiInput[] = [
  { type: "uint8" },
  { type: "uint256[][]" },
  { type: "tuple", components: [{ type: "string" }, { type: "address[]" }] },
];

/** The targets, one row each. */
export const rowTargets: readonly FuzzTarget[] = [
  {
    name: "trie-node",
    refuses: [BytesError],
    seeds: () => {
      const leaf = encodeLeaf(Uint8Array.of(1, 2, 3), Uint8Array.of(7));
      const long = encodeLeaf(new Uint8Array(63).fill(5), encodeAccount(emptyAccount()));
      return [leaf, long, encodeExtension(Uint8Array.of(4), long), encodeBranch([leaf, undefined, long])];
    },
    run(input) {
      if (!isTrieNode(decodeRlpTree(decodeRlp(input)))) return;
      const out = new Uint8Array(input.length + 64);
      assertSameBytes(input, out.subarray(0, encodeNode(decodeNode(input, 0), out)));
    },
  },
  {
    name: "go-trie-node",
    refuses: [BytesError, RangeError],
    seeds: () => {
      const counted = concatBytes(HASH, new Uint8Array(7).fill(1));
      const children = Array.from({ length: 17 }, (_, i) => (i % 5 === 0 ? counted : NOTHING));
      const account = concatBytes(
        Uint8Array.of(2),
        encodeRlp([[NOTHING, Uint8Array.of(1), NOTHING, Uint8Array.of(1, 0xc0)], counted, HASH, NOTHING]),
      );
      return [
        encodeRlp(children),
        encodeRlp([Uint8Array.of(0x11), counted]),
        encodeRlp([Uint8Array.of(0x20, 1), account]),
      ];
    },
    run(input) {
      const plain = hashedForm(input);
      assertSameBytes(plain, hashedForm(plain));
    },
  },
  {
    name: "go-receipts",
    refuses: [BytesError, GoDataError],
    seeds: () => [goReceipts([[ADDRESS, [HASH], HASH]], []), goReceipts([])],
    run(input) {
      const stored = encodeStoredReceipts(decodeGoReceipts(withBlooms(input)));
      assertSameBytes(stored, encodeStoredReceipts(decodeStoredReceipts(stored)));
    },
  },
  {
    name: "signing-record",
    refuses: [BytesError, ModelError, ConsensusError],
    seeds: signingRecords,
    async run(input) {
      const [signed, locked] = listItems(decodeRlp(input)).map(stringBytes);
      if (signed === undefined) return;
      const record = readRecord(await signingStore(signed, locked));
      if (record === undefined) throw new Error("the record is gone");
      const written = createMemoryStore();
      await new SigningRecord(written).sync(record);
      assertSameBytes(signed, written.get(SIGNED) ?? NOTHING);
      assertSameBytes(locked ?? NOTHING, written.get(LOCKED) ?? NOTHING);
    },
  },
  {
    name: "staking",
    refuses: [BytesError],
    seeds: () => [
      encodeStaking({
        source: 1,
        nodes: [{ node: ADDRESS, stakingContract: ADDRESS, reward: ADDRESS, amount: 5_000_000n }],
        kef: ADDRESS,
        kif: ADDRESS,
        kpf: undefined,
        pools: [{ node: ADDRESS, pool: ADDRESS, amount: 1n }],
      }),
    ],
    run(input) {
      const row = encodeStaking(decodeStaking(1, input));
      assertSameBytes(row, encodeStaking(decodeStaking(1, row)));
    },
  },
  {
    name: "contract-answer",
    refuses: [GovernanceError],
    seeds: () =>
      [
        abiAnswer(
          { list: [0n, 1n, 2n, 3n, 4n] },
          { list: Array.from({ length: 5 }, () => addressWord(ADDRESS)) },
        ),
        abiAnswer({ list: [addressWord(ADDRESS)] }, { list: [{ tuple: [HASH, HASH] }] }),
        abiAnswer({ list: [Buffer.from("istanbul.epoch")] }, { list: [Uint8Array.of(30)] }),
        abiAnswer(addressWord(ADDRESS)),
      ].map((answer, i) => concatBytes(Uint8Array.of(i), answer)),
    run(input) {
      const reader = answering(input.subarray(1));
      CONTRACT_READERS[(input[0] ?? 0) % CONTRACT_READERS.length]?.(reader);
    },
  },
  {
    name: "console-answer",
    refuses: [],
    seeds: () => [
      abiAnswer(
        1n,
        { list: [{ list: [1n, 2n] }, { list: [] }] },
        { tuple: [Buffer.from("text"), { list: [addressWord(ADDRESS)] }] },
      ),
    ],
    run(input) {
      try {
        decodeParameters(CONSOLE_OUTPUTS, bareHex(input));
      } catch (error) {
        if (!/^the (lists of the )?result /.test((error as Error).message)) throw error;
      }
    },
  },
  {
    name: "anchoring",
    refuses: [],
    seeds: () => [
      encodeRlp([NOTHING, encodeRlp([HASH, HASH, HASH, HASH, HASH, Uint8Array.of(1), NOTHING, NOTHING])]),
      encodeRlp([Uint8Array.of(128), Buffer.from('{"a":[1e3,{"b":null}]}')]),
    ],
    run: (input) => void JSON.stringify(anchoringJson(input)),
  },
  {
    name: "change-page",
    refuses: [RangeError],
    seeds: () => [
      concatBytes(numberBytes(7, 3, 0, 200, 3), Uint8Array.of(1, 2), numberBytes(2 ** 40, 1)),
      numberBytes(0),
    ],
    run(input) {
      const changes = [...changesOf(input, 0)];
      const areBlocks = changes.every(({ block, at }) => Number.isFinite(block) && at <= input.length);
      if (!areBlocks) throw new Error("a change of no block");
      assertSameBytes(
        changes.length === 0 ? NOTHING : input,
        upTo(input, Number.POSITIVE_INFINITY) ?? NOTHING,
      );
    },
  },
];

/** True for the RLP of a branch, a leaf or an extension in its only form (yellow paper, appendix D). */
function isTrieNode(tree: RlpInput): boolean {
  if (tree instanceof Uint8Array) return false;
  if (tree.length === 17)
    return isEmpty(tree[16]) && tree.slice(0, 16).every((child) => isEmpty(child) || isChild(child));
  const [path, value] = tree;
  if (tree.length !== 2 || !(path instanceof Uint8Array) || !isPath(path)) return false;
  return (path[0] ?? 0) >= 0x20 ? value instanceof Uint8Array : isChild(value);
}

/** True for the hex-prefix form of at most 64 nibbles; keys of tries are hashes. */
function isPath(path: Uint8Array): boolean {
  const flag = path[0];
  if (flag === undefined || path.length > MAX_PATH) return false;
  return flag < 0x40 && ((flag & 0x10) !== 0 || (flag & 0x0f) === 0);
}

/** True for a reference to a node: a hash, or a node of less than 32 bytes. */
function isChild(item: RlpInput | undefined): boolean {
  if (item === undefined) return false;
  if (item instanceof Uint8Array) return item.length === 32;
  return isTrieNode(item) && encodeRlp(item).length < 32;
}

function isEmpty(item: RlpInput | undefined): boolean {
  return item instanceof Uint8Array && item.length === 0;
}

function hashedForm(stored: Uint8Array): Uint8Array {
  const out = new Uint8Array(MAX_NODE);
  return out.slice(0, writeHashedForm(stored, readGoNode(stored), out));
}

/** Returns receipts as a Go node stores them, one for each list of logs. */
function goReceipts(...receipts: readonly (readonly RlpInput[])[]): Uint8Array {
  return encodeRlp(
    receipts.map((logs) => [
      Uint8Array.of(1),
      new Uint8Array(256),
      HASH,
      ADDRESS,
      logs,
      Uint8Array.of(0x52, 8),
    ]),
  );
}

/** Returns stored receipts whose blooms are those of their logs, which no mutation meets. */
function withBlooms(input: Uint8Array): Uint8Array {
  const tree = decodeRlpTree(decodeRlp(input));
  if (tree instanceof Uint8Array) return input;
  return encodeRlp(tree.map((receipt) => (receipt instanceof Uint8Array ? receipt : withBloom(receipt))));
}

function withBloom(receipt: readonly RlpInput[]): readonly RlpInput[] {
  const [status, bloom, hash, contract, logs, ...rest] = receipt;
  if (status === undefined || bloom === undefined || hash === undefined) return receipt;
  if (contract === undefined || !Array.isArray(logs)) return receipt;
  const sources = (logs as readonly RlpInput[]).flatMap((log) => {
    if (log instanceof Uint8Array) return [];
    const [address, topics] = log;
    const areTopics = Array.isArray(topics) && topics.every((topic) => topic instanceof Uint8Array);
    return address instanceof Uint8Array && areTopics ? [{ address, topics }] : [];
  });
  return [status, bloomOf(sources), hash, contract, logs as readonly RlpInput[], ...rest];
}

const SIGNED = tables.meta.key("signed");
const LOCKED = tables.meta.key("locked");

/** Records of a validator: after a commit with its lock, in a reserved view, and without a lock. */
function signingRecords(): Uint8Array[] {
  const block = proposedBlock(bareHeader({ number: 1 }), encodeRlpList([]));
  const vote = { view: { sequence: 1, round: 0 }, digest: block.hash, parent: block.parent } as const;
  const signer = createMessageSigner(addressOfKey(KEY), (digest) => sign(digest, KEY));
  const proof = [signer({ ...vote, kind: "prepare" }).bytes, signer({ ...vote, kind: "commit" }).bytes];
  const digest = keyBytes(block.hash);
  const signed = encodeRlp([integerBytes(1), NOTHING, NOTHING, digest, digest, NOTHING]);
  const reserved = new Uint8Array(32).fill(0xff);
  const rlp = encodeRlpList([encodeHeader(block.header), block.body]);
  return [
    encodeRlp([signed, encodeRlpList([encodeRlp(NOTHING), rlp, encodeRlp(proof)])]),
    encodeRlp([encodeRlp([integerBytes(9), integerBytes(2), reserved, reserved, NOTHING, NOTHING])]),
  ];
}

async function signingStore(signed: Uint8Array, locked: Uint8Array | undefined): Promise<Store> {
  const store = createMemoryStore();
  const batch = store.createBatch();
  batch.put(SIGNED, signed);
  if (locked !== undefined) batch.put(LOCKED, locked);
  await store.write(batch, { sync: true });
  return store;
}

/** Uses of contracts by the protocol. */
const CONTRACT_READERS: readonly ((reader: ContractReader) => void)[] = [
  (reader) => void readStaking(reader, 1, true),
  (reader) => void registeredKeys(reader, ADDRESS),
  (reader) => void contractParameters(reader, ADDRESS, 1),
  (reader) => void registryRecords(reader, "Name"),
];

/** Contracts that answer everything with the same bytes. */
function answering(output: Uint8Array): ContractReader {
  return { account: () => undefined, code: () => HASH, balance: () => 1n, call: () => output };
}
