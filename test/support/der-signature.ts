/** Signatures of ECDSA in DER (RFC 3279 section 2.2.3): two positive integers of at most 32 bytes in a sequence. */

/** Returns r and s, 32 bytes each; undefined for any bytes that are not the one encoding of such a signature. */
export function signatureOfDer(der: Uint8Array): Uint8Array | undefined {
  const [tag, length = 0] = der;
  if (tag !== 0x30 || length > 127 || der.length !== length + 2) return undefined;
  const r = integerAt(der, 2);
  const s = r === undefined ? undefined : integerAt(der, r.end);
  if (r === undefined || s === undefined || s.end !== der.length) return undefined;
  const signature = new Uint8Array(64);
  signature.set(r.bytes, 32 - r.bytes.length);
  signature.set(s.bytes, 64 - s.bytes.length);
  return signature;
}

interface DerInteger {
  readonly bytes: Uint8Array;
  readonly end: number;
}

function integerAt(der: Uint8Array, at: number): DerInteger | undefined {
  const [tag, length = 0] = der.subarray(at);
  const end = at + 2 + length;
  const content = der.subarray(at + 2, end);
  if (tag !== 2 || end > der.length || !isPositive(content)) return undefined;
  const bytes = content[0] === 0 ? content.subarray(1) : content;
  return bytes.length > 32 ? undefined : { bytes, end };
}

/** True for the shortest form of an integer that is not negative. */
function isPositive([first, second = 255]: Uint8Array): boolean {
  return first !== undefined && first < 128 && (first > 0 || second > 127);
}
