/** Code of contracts of tests that answer questions with fixed words. */
import { bytesToBigint, fixedBytes } from "../../node/bytes/integer.ts";
import { encodeCall } from "../../node/governance/abi.ts";

const [MSTORE, RETURN, CALLDATALOAD, SHR, EQ, ISZERO, JUMPI, JUMPDEST, STOP] = [
  0x52, 0xf3, 0x35, 0x1c, 0x14, 0x15, 0x57, 0x5b, 0x00,
] as const;

/** A question by its signature, and the words of the answer. */
export type FixedAnswer = readonly [signature: string, words: readonly bigint[]];

/** Code that returns words by the question asked, whatever its arguments, and nothing for all others. */
export function answeringCode(answers: readonly FixedAnswer[]): Uint8Array {
  const code: number[] = [];
  for (const [signature, words] of answers) {
    const stores = words.flatMap((word, i) => [...push(word, 32), ...push(i * 32, 2), MSTORE]);
    const block = [...stores, ...push(words.length * 32, 2), ...push(0, 1), RETURN];
    const selector = bytesToBigint(encodeCall(signature).subarray(0, 4));
    const asked = [...push(0, 1), CALLDATALOAD, ...push(224, 1), SHR];
    const head = [...asked, ...push(selector, 4), EQ, ISZERO];
    const end = code.length + head.length + 4 + block.length;
    code.push(...head, ...push(end, 2), JUMPI, ...block, JUMPDEST);
  }
  return Uint8Array.from([...code, STOP]);
}

/** The words of an answer in the contract ABI. */
export function wordsOf(answer: Uint8Array): readonly bigint[] {
  return Array.from({ length: answer.length / 32 }, (_, i) =>
    bytesToBigint(answer.subarray(i * 32, i * 32 + 32)),
  );
}

function push(value: bigint | number, size: number): number[] {
  return [0x5f + size, ...fixedBytes(value, size)];
}
