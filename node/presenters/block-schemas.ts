/**
 * JSON schemas of blocks, headers, transactions, receipts and logs, as the presenters of this room write them, in Kaia's
 * form (`chain`) and in Ethereum's (`eth`). A member with `?` is absent on some chains, in some types of transactions or
 * in some profiles.
 */
import {
  arraySchema,
  type MemberSchemas,
  mapSchema,
  namedSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  type Schema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";

const { text, integer, boolean, nothing } = plainSchemas;
const { address, hash, data, quantity, anyValue } = schemaRefs;

/** An access list (EIP-2930). */
export const accessListSchema = namedSchema("accessList", () =>
  arraySchema(recordSchema({ address, storageKeys: arraySchema(hash) })),
);

const authorizationList = namedSchema("authorizationList", () =>
  arraySchema(
    recordSchema({
      chainId: quantity,
      address,
      nonce: quantity,
      yParity: quantity,
      r: quantity,
      s: quantity,
    }),
  ),
);

/** The data of an anchoring transaction: a summary of blocks, or any JSON object. */
export const anchoredDataSchema = namedSchema("anchoredData", () => {
  const hashes = { blockHash: hash, parentHash: hash, receiptsRoot: hash, stateRoot: hash };
  const counts = { blockNumber: integer, "blockCount?": integer, "txCount?": integer };
  const summary = recordSchema({ ...hashes, transactionsRoot: hash, ...counts });
  return { anyOf: [summary, mapSchema("object of another chain", anyValue)] };
});

const signatures = namedSchema("signatures", () =>
  arraySchema(recordSchema({ V: quantity, R: quantity, S: quantity })),
);

/** Members of Kaia's form, of which each type of transactions has some. */
const TYPE_MEMBERS: MemberSchemas = {
  "to?": nullableSchema(address),
  "value?": quantity,
  "input?": data,
  "inputJSON?": nullableSchema(anchoredDataSchema),
  "key?": data,
  "humanReadable?": boolean,
  "codeFormat?": quantity,
  "feeRatio?": quantity,
  "feePayer?": address,
  "feePayerSignatures?": signatures,
  "chainId?": quantity,
  "maxPriorityFeePerGas?": quantity,
  "maxFeePerGas?": quantity,
  "accessList?": accessListSchema,
  "maxFeePerBlobGas?": quantity,
  "blobVersionedHashes?": arraySchema(hash),
  "authorizationList?": authorizationList,
};

/** Members that Kaia's forms of a transaction and of its receipt share. */
const CHAIN_TRANSACTION: MemberSchemas = {
  blockHash: hash,
  blockNumber: quantity,
  transactionIndex: quantity,
  from: address,
  senderTxHash: hash,
  typeInt: integer,
  type: text,
  nonce: quantity,
  gasPrice: quantity,
  gas: quantity,
  signatures,
  ...TYPE_MEMBERS,
};

/** A transaction in Kaia's form. */
export const chainTransactionSchema = namedSchema("chainTransaction", () =>
  recordSchema({ ...CHAIN_TRANSACTION, hash }),
);

/** A transaction of the pool: a member more in some profiles. */
export const pooledTransactionSchema = namedSchema("pooledTransaction", () =>
  recordSchema({ ...CHAIN_TRANSACTION, hash, "txHash?": hash }),
);

/** A transaction of the pool with the time of its announcement, as in RFC 3339. */
export const announcedTransactionSchema = namedSchema("announcedTransaction", () =>
  recordSchema({ ...CHAIN_TRANSACTION, hash, time: text }),
);

/** The stand-alone form of a transaction, which signing methods return. */
export const signedTransactionSchema = namedSchema("chainSignedTransaction", () =>
  recordSchema({
    "typeInt?": integer,
    "type?": text,
    nonce: quantity,
    "gasPrice?": quantity,
    gas: quantity,
    "from?": address,
    signatures,
    ...TYPE_MEMBERS,
    hash,
  }),
);

/** Members of Ethereum's form; the place of a transaction of the pool is null. */
const ETH_TRANSACTION: MemberSchemas = {
  blockHash: nullableSchema(hash),
  blockNumber: nullableSchema(quantity),
  transactionIndex: nullableSchema(quantity),
  from: address,
  gas: quantity,
  gasPrice: quantity,
  "maxFeePerGas?": quantity,
  "maxPriorityFeePerGas?": quantity,
  "maxFeePerBlobGas?": quantity,
  hash,
  input: data,
  nonce: quantity,
  to: nullableSchema(address),
  value: quantity,
  type: quantity,
  "accessList?": accessListSchema,
  "chainId?": quantity,
  "blobVersionedHashes?": arraySchema(hash),
  "authorizationList?": authorizationList,
  v: quantity,
  r: quantity,
  s: quantity,
};

/** A transaction in Ethereum's form. */
export const ethTransactionSchema = namedSchema("ethTransaction", () => recordSchema(ETH_TRANSACTION));

/** A signed transaction in the form of geth's `types.Transaction`. */
export const signedEthTransactionSchema = namedSchema("ethSignedTransaction", () =>
  recordSchema({
    type: quantity,
    nonce: quantity,
    gasPrice: nullableSchema(quantity),
    maxPriorityFeePerGas: nullableSchema(quantity),
    maxFeePerGas: nullableSchema(quantity),
    gas: quantity,
    value: quantity,
    input: data,
    v: quantity,
    r: quantity,
    s: quantity,
    to: nullableSchema(address),
    "chainId?": quantity,
    "accessList?": accessListSchema,
    "authorizationList?": authorizationList,
    hash,
  }),
);

const LOG: MemberSchemas = {
  address,
  topics: arraySchema(hash),
  data,
  blockNumber: quantity,
  transactionHash: hash,
  transactionIndex: quantity,
  blockHash: hash,
  logIndex: quantity,
  removed: boolean,
};

/** A log. */
export const logSchema = namedSchema("log", () => recordSchema(LOG));

/** Members that both forms of a receipt have. */
const OUTCOME: MemberSchemas = {
  contractAddress: nullableSchema(address),
  effectiveGasPrice: quantity,
  gasUsed: quantity,
  "blobGasPrice?": quantity,
  "blobGasUsed?": quantity,
  logs: arraySchema(logSchema),
  logsBloom: data,
  status: { enum: ["0x0", "0x1"] },
  transactionHash: hash,
};

/** A receipt in Kaia's form. */
export const chainReceiptSchema = namedSchema("chainReceipt", () =>
  recordSchema({ ...CHAIN_TRANSACTION, ...OUTCOME, "txError?": quantity }),
);

const ETH_RECEIPT: MemberSchemas = {
  ...OUTCOME,
  blockHash: hash,
  blockNumber: quantity,
  cumulativeGasUsed: quantity,
  from: address,
  to: nullableSchema(address),
  transactionIndex: quantity,
  type: quantity,
};

/** A receipt in Ethereum's form. */
export const ethReceiptSchema = namedSchema("ethReceipt", () => recordSchema(ETH_RECEIPT));

/** Members of all forms of headers and blocks. Of the pending block hash, miner and nonce are null. */
const HEADER: MemberSchemas = {
  gasUsed: quantity,
  hash: nullableSchema(hash),
  logsBloom: data,
  number: quantity,
  parentHash: hash,
  receiptsRoot: hash,
  stateRoot: hash,
  timestamp: quantity,
  transactionsRoot: hash,
  "baseFeePerGas?": quantity,
  "blobGasUsed?": quantity,
  "excessBlobGas?": quantity,
  "randomReveal?": data,
};

const CHAIN_HEADER: MemberSchemas = {
  ...HEADER,
  blockScore: quantity,
  extraData: data,
  governanceData: data,
  reward: address,
  timestampFoS: quantity,
  voteData: data,
};

const CHAIN_BLOCK: MemberSchemas = {
  ...CHAIN_HEADER,
  "mixHash?": hash,
  "totalBlockScore?": quantity,
  size: quantity,
};

const ETH_HEADER: MemberSchemas = {
  ...HEADER,
  difficulty: quantity,
  extraData: data,
  gasLimit: quantity,
  miner: nullableSchema(address),
  mixHash: hash,
  nonce: nullableSchema(data),
  sha3Uncles: hash,
  size: quantity,
  "totalDifficulty?": quantity,
};

const ETH_BLOCK: MemberSchemas = { ...ETH_HEADER, uncles: arraySchema(hash) };

/** The transactions of a block, whole or their hashes. */
const transactionsOf = (schema: Schema): Schema => arraySchema({ oneOf: [hash, schema] });

/** A header in Kaia's form. */
export const chainHeaderSchema = namedSchema("chainHeader", () =>
  recordSchema({ ...CHAIN_HEADER, "mixhash?": hash }),
);

/** A block in Kaia's form. */
export const chainBlockSchema = namedSchema("chainBlock", () =>
  recordSchema({
    ...CHAIN_BLOCK,
    "miner?": nothing,
    "nonce?": nothing,
    transactions: transactionsOf(chainTransactionSchema),
  }),
);

/** A block with its receipts and the signers of its seals; block 0 has no seals. */
export const sealedBlockSchema = namedSchema("sealedBlock", () => {
  const addresses = nullableSchema(arraySchema(address));
  return recordSchema({
    ...CHAIN_BLOCK,
    committee: addresses,
    committers: addresses,
    "miner?": nothing,
    "nonce?": nothing,
    originProposer: nullableSchema(address),
    proposer: address,
    round: integer,
    sigHash: hash,
    transactions: arraySchema(chainReceiptSchema),
  });
});

/** A header in Ethereum's form. */
export const ethHeaderSchema = namedSchema("ethHeader", () => recordSchema(ETH_HEADER));

/** A block in Ethereum's form. */
export const ethBlockSchema = namedSchema("ethBlock", () =>
  recordSchema({ ...ETH_BLOCK, transactions: transactionsOf(ethTransactionSchema) }),
);

/** A block that was made on demand: each transaction has its output, a reverted one the reason. */
export const detailedBlockSchema = namedSchema("detailedBlock", () => {
  const transaction = recordSchema({ ...ETH_TRANSACTION, output: data, "revertReason?": text });
  return recordSchema({ ...ETH_BLOCK, transactions: arraySchema(transaction) });
});

/** A block of `eth_simulateV1` with the results of its calls. */
export const simulatedBlockSchema = namedSchema("simulatedBlock", () => {
  const call = recordSchema({
    returnData: data,
    logs: arraySchema(recordSchema({ ...LOG, blockTimestamp: quantity })),
    gasUsed: quantity,
    maxUsedGas: quantity,
    status: { enum: ["0x0", "0x1"] },
    "error?": recordSchema({ code: integer, message: text, "data?": data }),
  });
  const transactions = transactionsOf(ethTransactionSchema);
  return recordSchema({ ...ETH_BLOCK, calls: arraySchema(call), transactions });
});

/** A block of Otterscan: the number of transactions instead of them, and no bloom filter. */
const OTTERSCAN_BLOCK: MemberSchemas = { ...ETH_BLOCK, logsBloom: nothing, transactionCount: integer };

/** A block of Otterscan with its reward and the sum of its fees. */
export const blockDetailsSchema = namedSchema("otterscanBlockDetails", () =>
  recordSchema({
    block: recordSchema(OTTERSCAN_BLOCK),
    issuance: recordSchema({ blockReward: quantity, uncleReward: quantity, issuance: quantity }),
    totalFees: quantity,
  }),
);

/** A block of Otterscan with a page of its transactions. */
export const blockTransactionsSchema = namedSchema("otterscanBlockTransactions", () => {
  const transactions = arraySchema(ethTransactionSchema);
  const receipt = recordSchema({ ...ETH_RECEIPT, logs: nothing, logsBloom: nothing });
  return recordSchema({
    fullblock: recordSchema({ ...OTTERSCAN_BLOCK, transactions }),
    receipts: arraySchema(receipt),
  });
});

/** A page of the transactions of an address. */
export const transactionPageSchema = namedSchema("otterscanTransactions", () =>
  recordSchema({
    txs: arraySchema(ethTransactionSchema),
    receipts: arraySchema(recordSchema({ ...ETH_RECEIPT, timestamp: integer })),
    firstPage: boolean,
    lastPage: boolean,
  }),
);
