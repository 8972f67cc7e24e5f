/** The interface of BLS12-381 signatures that every backend implements. */

/** A signature, its message and the public key. */
export interface BlsClaim {
  /** 48 bytes, compressed. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  /** 96 bytes, compressed. */
  readonly signature: Uint8Array;
}

/** Operations that have two implementations. Callers have checked sizes and keys. */
export interface BlsCurve {
  readonly name: "blst" | "noble";
  publicKeyOf(key: Uint8Array): Uint8Array;
  sign(key: Uint8Array, message: Uint8Array): Uint8Array;
  verify(claim: BlsClaim): boolean;
}
