/** The answer to peers that ask for the blobs of mined transactions: those that the pool still has. */
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../bytes/rlp.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import { SERVED } from "./limits.ts";
import { messages } from "./messages.ts";
import type { Answer } from "./serving.ts";

/** The blobs of a transaction that is in a block, by its hash; undefined where they are not kept. */
export type FindSidecar = (hash: Uint8Array) => BlobSidecar | undefined;

/** Answers with what is there, four sidecars at most. Throws `ProtocolError` for what cannot be read. */
export function answerSidecars(payload: Uint8Array, find: FindSidecar): Answer {
  const found: Uint8Array[] = [];
  for (const { number, index, hash } of messages.sidecarsRequest.decode(payload)) {
    if (found.length >= SERVED.sidecars) break;
    const sidecar = find(hash);
    if (sidecar === undefined) continue;
    const place = [integerBytes(number), integerBytes(index), hash].map((field) => encodeRlp(field));
    found.push(encodeRlpList([...place, encodeSidecar(sidecar)]));
  }
  return { code: messages.sidecars.code, payload: encodeRlpList(found), items: found.length };
}

function encodeSidecar({ version, blobs, commitments, proofs }: BlobSidecar): Uint8Array {
  return encodeRlp([integerBytes(version), [...blobs], [...commitments], [...proofs]]);
}
