/** The parts that the rows of Ethereum's typed transactions share (EIP-2718). */

import { checkParitySignature, digestOfFirst } from "../transaction-codec.ts";
import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import type { TransactionType } from "../transaction-type.ts";

const ENVELOPE = 0x78;
const NO_TAIL = new Uint8Array(0);

/** The shared parts of Ethereum's typed transactions (EIP-2718): everything but name, fields and JSON. */
export type EthereumFacts = Omit<TransactionType, "name" | "read" | "encode" | "json" | "jsonGasPrice">;

/** Returns the shared parts of Ethereum's type `number`, whose digest covers the first `count` fields. */
export function ethereumFacts(number: number, count: number): EthereumFacts {
  const prefix = Uint8Array.of(ENVELOPE, number);
  const signed = { listAt: prefix.length, count };
  return {
    code: ENVELOPE * 256 + number,
    ethType: number,
    prefix,
    hashFrom: 1,
    isAlwaysAccepted: false,
    action: "call",
    recipientRule: "be-unreserved",
    role: "transaction",
    creates: ({ to }) => to === undefined,
    hasTypeInJson: true,
    checkSignatures: checkParitySignature,
    decodeV: (body, { v }) => ({ parity: Number(v), chainId: body.chainId }),
    digest: (body) => digestOfFirst(body.raw, signed, number, NO_TAIL),
    encodeV: BigInt,
    intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.inputGas, rules),
    floorGas: floorGasOf,
  };
}
