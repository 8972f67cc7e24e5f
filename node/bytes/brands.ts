/**
 * The byte strings that are easily confused, as types: an address, a hash, a storage key, a node id and a public key are
 * not assignable to one another. A byte string without a brand, such as a part of a message, is assignable to all of
 * them, so decoders name the type of what they return. The brand exists at compile time alone.
 * `test/node/bytes/brands.test.ts` shows that no pair can be swapped.
 */
declare const kind: unique symbol;

interface Kind<Name extends string> {
  readonly [kind]?: Name;
}

/** Address of an account: 20 bytes. */
export type Address<Buffer extends ArrayBufferLike = ArrayBufferLike> = Uint8Array<Buffer> & Kind<"Address">;

/** Keccak-256 hash, or the root of a trie: 32 bytes. The key of an account or a slot in a trie is a hash too. */
export type Hash<Buffer extends ArrayBufferLike = ArrayBufferLike> = Uint8Array<Buffer> & Kind<"Hash">;

/** Key of a storage slot before it is hashed: 32 bytes. */
export type StorageKey = Uint8Array & Kind<"StorageKey">;

/** Identity of a peer: 64 bytes. */
export type NodeId = Uint8Array & Kind<"NodeId">;

/** Public key of secp256k1, its coordinates x and y: 64 bytes. */
export type PublicKey = Uint8Array & Kind<"PublicKey">;

/** Returns the node id of the owner of a key: the same bytes. */
export function nodeIdOf(publicKey: PublicKey): NodeId {
  const bytes: Uint8Array = publicKey;
  return bytes;
}

/** Returns the key that a node id is: the same bytes. They may be no point of the curve. */
export function publicKeyOfNode(id: NodeId): PublicKey {
  const bytes: Uint8Array = id;
  return bytes;
}
