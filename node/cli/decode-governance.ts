/** JSON of the votes and governance data of headers. */
import { toHex } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { decodeRlp, stringBytes } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { parseExactJson } from "../config/exact-json.ts";
import { PARAMETERS } from "../governance/parameter-rows.ts";
import { isValidatorVote } from "../governance/vote.ts";
import { partError, withOffset } from "./decode-error.ts";

/** Decodes a header's vote: `[voter, parameter, value]`. Throws `DecodeError`. */
export function decodeVoteJson(bytes: Uint8Array): object {
  return withOffset("vote", 0, () => {
    const cursor = new RlpCursor(bytes);
    const end = cursor.enter();
    const voter = toHex(cursor.address());
    const keyAt = cursor.at;
    const key = Buffer.from(cursor.string(100)).toString("latin1");
    if (!/^[a-z0-9]+\.[a-z0-9]+$/i.test(key)) {
      throw partError("vote", 0, "no parameter's name", keyAt);
    }
    const value = cursor.string();
    cursor.leave(end);
    if (!cursor.done) throw partError("vote", 0, "bytes after the vote", cursor.at);
    return { voter, key, value: valueJson(key, value), valueBytes: toHex(value) };
  });
}

function valueJson(key: string, value: Uint8Array): unknown {
  const name = key.toLowerCase();
  const kind = isValidatorVote(name) ? "addresses" : PARAMETERS.get(name)?.kind;
  if (kind === "integer") return bytesToBigint(value);
  if (kind === "boolean") return value.some((byte) => byte !== 0);
  if (kind === "address" && value.length === 20) return toHex(value);
  // Early nodes wrote addresses of validators as text: what is no multiple of 20 bytes, or begins as text does.
  const isText = kind !== "addresses" || value.length % 20 !== 0 || (value[0] === 0x30 && value[1] === 0x78);
  if (isText) return Buffer.from(value).toString();
  return Array.from({ length: value.length / 20 }, (_, i) => toHex(value.subarray(i * 20, i * 20 + 20)));
}

/**
 * Decodes a header's governance data: an RLP string of a JSON object, or the bare object. Integers above 2^53
 * become bigint. Throws `DecodeError`.
 */
export function decodeGovernanceJson(bytes: Uint8Array): unknown {
  const bare = bytes[0] === 0x7b;
  const text = bare ? bytes : withOffset("governance data", 0, () => stringBytes(decodeRlp(bytes)));
  const at = bare ? 0 : bytes.length - text.length;
  const json = withOffset("governance data", at, () => parseExactJson(Buffer.from(text).toString()));
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  throw partError("governance data", at, "not a JSON object");
}
