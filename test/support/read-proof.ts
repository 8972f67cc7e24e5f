/** Verifies the answer of `eth_getProof` with another library and nothing but a block's state root. */
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { keccak256 } from "ethereum-cryptography/keccak.js";

interface Proof {
  readonly address: string;
  readonly accountProof: readonly string[];
  readonly storageHash: string;
  readonly storageProof: readonly { readonly key: string; readonly proof: readonly string[] }[];
}

/** Values of the slots that were asked for, as words. Throws where a node does not fit its hash. */
export async function readProof(stateRoot: string, answer: unknown): Promise<string[]> {
  const { address, accountProof, storageHash, storageProof } = answer as Proof; // its form is tested elsewhere
  const account = await leaf(stateRoot, address, accountProof);
  if (!Buffer.from(account).includes(Buffer.from(bytes(storageHash))))
    throw new Error(`${address} has another storage`);
  const values: string[] = [];
  for (const { key, proof } of storageProof) {
    const value = RLP.decode(await leaf(storageHash, key, proof)) as Uint8Array; // a slot is a string
    values.push(`0x${Buffer.from(value).toString("hex").padStart(64, "0")}`);
  }
  return values;
}

async function leaf(root: string, key: string, proof: readonly string[]): Promise<Uint8Array> {
  const options = { useKeyHashing: false, root: bytes(root) };
  const found = await verifyMerkleProof(keccak256(bytes(key)), proof.map(bytes), options);
  if (found === null) throw new Error(`${key} is proven not to be there`);
  return found;
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
}
