import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import { checkParitySignature, digestOfFirst } from "../transaction-parts.ts";
import type { TransactionType } from "../transaction-type.ts";

const ENVELOPE = 0x78;
const NO_TAIL = new Uint8Array(0);

/** What Ethereum's typed kinds share (EIP-2718): everything but name, fields and their JSON. */
export type EthereumFacts = Omit<TransactionType, "name" | "read" | "encode" | "json" | "shownPrice">;

/** The shared facts of Ethereum's kind `number`, which signs its first `count` fields. */
export function ethereumFacts(number: number, count: number): EthereumFacts {
  const prefix = Uint8Array.of(ENVELOPE, number);
  const signed = { listAt: prefix.length, count };
  return {
    code: ENVELOPE * 256 + number,
    ethType: number,
    prefix,
    hashFrom: 1,
    always: false,
    action: "call",
    recipientMust: "be-unreserved",
    role: "transaction",
    creates: ({ to }) => to === undefined,
    namesItself: true,
    checkSignatures: checkParitySignature,
    meaning: (body, { v }) => ({ parity: Number(v), chainId: body.chainId }),
    digest: (body) => digestOfFirst(body.raw, signed, number, NO_TAIL),
    v: BigInt,
    intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.inputGas, rules),
    floorGas: floorGasOf,
  };
}
