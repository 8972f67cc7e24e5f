/**
 * RLP, transactions and blocks against their oracles, in the same run and in turns: `node bench/formats.ts`.
 * One JSON line each; `ns` is the median of the rounds in CPU time of the thread, which other programs disturb
 * little, and `ratio` how many times faster ours is.
 */
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { RLP } from "@ethereumjs/rlp";
import { createTxFromRLP } from "@ethereumjs/tx";
import { Transaction as EthersTransaction } from "ethers";
import { toHex } from "../node/bytes/hex.ts";
import { decodeRlp, decodeRlpTree, encodeRlp, type RlpInput } from "../node/bytes/rlp.ts";
import { keccak256 } from "../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../node/crypto/secp256k1.ts";
import { createBlock, decodeBlock, encodeBlock } from "../node/model/block.ts";
import type { Header } from "../node/model/header.ts";
import {
  decodeTransaction,
  senderOf,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../node/model/transaction.ts";
import { senderKeys } from "../node/model/transaction-signers.ts";
import { compare } from "./support/pairs.ts";

const CHAIN_ID = 1001n;
const RLP_ORACLE = "@ethereumjs/rlp";
const TX_ORACLE = "@ethereumjs/tx";

const key = keccak256(Buffer.from("key"));
const from = addressOfKey(key);
const by = (digest: Uint8Array) => sign(digest, key);

function aDraft(code: number, nonce: number): TransactionDraft {
  const prices = { gasFeeCap: 50_000_000_000n, gasTipCap: 25_000_000_000n };
  const call = { to: keccak256(Buffer.from(`to ${nonce}`)).subarray(12), value: 10n ** 18n };
  return {
    code,
    nonce: BigInt(nonce),
    gas: 21_000n,
    ...prices,
    ...call,
    input: new Uint8Array(0),
    fields: { from },
  };
}

const signSample = (code: number, nonce = 7): Transaction =>
  signTransaction(aDraft(code, nonce), CHAIN_ID, by);
const [legacy, dynamic, valueTransfer] = [signSample(0), signSample(0x7802), signSample(0x08)];

const header: Header = {
  parentHash: keccak256(Buffer.from("parent")),
  rewardbase: from,
  stateRoot: keccak256(Buffer.from("state")),
  transactionsRoot: keccak256(Buffer.from("transactions")),
  receiptsRoot: keccak256(Buffer.from("receipts")),
  bloom: new Uint8Array(256),
  blockScore: 1n,
  number: 123_456_789,
  gasUsed: 21_000_000n,
  time: 1_700_000_000,
  timeFoS: 12,
  extra: new Uint8Array(32),
  governance: new Uint8Array(0),
  vote: new Uint8Array(0),
  baseFee: 25_000_000_000n,
  randomReveal: undefined,
  mixHash: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
};
const block = createBlock(
  header,
  Array.from({ length: 1_000 }, (_, nonce) => signSample(0, nonce)),
);
const blockBytes = encodeBlock(block);

function compareRlp(): void {
  const inputs = { "legacy transaction": legacy.raw, "block of 1000 transactions": blockBytes };
  for (const [what, bytes] of Object.entries(inputs)) {
    const tree = decodeRlpTree(decodeRlp(bytes));
    compare({
      name: `RLP decode, ${what}`,
      ours: () => decodeRlpTree(decodeRlp(bytes)),
      oracle: () => RLP.decode(bytes),
      oracleName: RLP_ORACLE,
    });
    compare({
      name: `RLP encode, ${what}`,
      ours: () => encodeRlp(tree),
      oracle: () => RLP.encode(tree as Parameters<typeof RLP.encode>[0]),
      oracleName: RLP_ORACLE,
    });
  }
  const long: RlpInput = [new Uint8Array(100_000).fill(7)];
  const longBytes = encodeRlp(long);
  compare({
    name: "RLP decode, a list with 100 kB",
    ours: () => decodeRlpTree(decodeRlp(longBytes)),
    oracle: () => RLP.decode(longBytes),
    oracleName: RLP_ORACLE,
  });
}

const common = createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: Hardfork.London });

/** @ethereumjs/tx takes Ethereum's own form: without the byte that stands before typed transactions. */
const byTxOracle = (bytes: Uint8Array) => createTxFromRLP(bytes, { common, freeze: false });

function compareTransactions(): void {
  for (const [what, tx] of Object.entries({ legacy, "dynamic fee": dynamic })) {
    const bytes = tx.raw.subarray(tx.type.hashFrom);
    const hex = toHex(bytes);
    compare({
      name: `transaction decode, ${what}`,
      ours: () => decodeTransaction(tx.raw),
      oracle: () => byTxOracle(bytes),
      oracleName: TX_ORACLE,
    });
    compare({
      name: `transaction encode, ${what}`,
      ours: () => tx.type.encode(tx, tx.signatures),
      oracle: (
        (decoded) => () =>
          decoded.serialize()
      )(byTxOracle(bytes)),
      oracleName: TX_ORACLE,
    });
    const ours = () => senderOf(decodeTransaction(tx.raw), CHAIN_ID);
    compare({
      name: `transaction decode and sender, ${what}`,
      ours,
      oracle: () => byTxOracle(bytes).getSenderAddress(),
      oracleName: TX_ORACLE,
    });
    compare({
      name: `transaction decode and sender, ${what}`,
      ours,
      oracle: () => EthersTransaction.from(hex).from,
      oracleName: "ethers",
    });
  }
  compare({
    name: "transaction decode, value transfer of the chain's own",
    ours: () => decodeTransaction(valueTransfer.raw),
    oracle: () => byTxOracle(legacy.raw),
    oracleName: `${TX_ORACLE}, legacy`,
  });
  compare({
    name: "transaction decode and public key, value transfer of the chain's own",
    ours: () => senderKeys(decodeTransaction(valueTransfer.raw), CHAIN_ID),
    oracle: () => byTxOracle(legacy.raw).getSenderPublicKey(),
    oracleName: `${TX_ORACLE}, legacy`,
  });
}

function compareBlocks(): void {
  const bodies = block.transactions.map(({ raw }) => raw);
  compare({
    name: "block of 1000 transactions decode",
    ours: () => decodeBlock(blockBytes),
    oracle: () => bodies.map(byTxOracle),
    oracleName: `${TX_ORACLE}, transactions alone`,
  });
  compare({
    name: "block of 1000 transactions encode",
    ours: () => encodeBlock(block),
    oracle: (
      (decoded) => () =>
        RLP.encode([decoded.map((tx) => tx.raw())])
    )(bodies.map(byTxOracle)),
    oracleName: `${TX_ORACLE}, transactions alone`,
  });
  compare({
    name: "block of 1000 transactions decode with senders",
    ours: () => decodeBlock(blockBytes).transactions.map((tx) => senderOf(tx, CHAIN_ID)),
    oracle: () => bodies.map((raw) => byTxOracle(raw).getSenderAddress()),
    oracleName: `${TX_ORACLE}, transactions alone`,
  });
}

compareRlp();
compareTransactions();
compareBlocks();
