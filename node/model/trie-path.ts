/** How nodes of a Merkle Patricia trie write paths and name each other (yellow paper, appendices C and D). */
import { encodeRlp } from "../bytes/rlp.ts";
import { keccak256 } from "../crypto/keccak.ts";

/** A key as a path: one half byte each. */
export function halfBytes(bytes: Uint8Array): Uint8Array {
  const path = new Uint8Array(bytes.length * 2);
  bytes.forEach((byte, i) => {
    path[2 * i] = byte >> 4;
    path[2 * i + 1] = byte & 15;
  });
  return path;
}

/** Hex-prefix encoding of a path's part (appendix C). */
export function compactPath(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const odd = path.length % 2;
  const bytes = new Uint8Array(1 + (path.length >> 1));
  bytes[0] = (isLeaf ? 0x20 : 0) + (odd === 1 ? 0x10 + (path[0] as number) : 0);
  for (let i = odd; i < path.length; i += 2) {
    bytes[(i >> 1) + 1] = ((path[i] as number) << 4) | (path[i + 1] as number); // in range: an even rest
  }
  return bytes;
}

/** How a parent names a node, of which this is the RLP: by its hash, or by itself when that is shorter. */
export function nodeReference(node: Uint8Array): Uint8Array {
  return node.length < 32 ? node : encodeRlp(keccak256(node));
}
