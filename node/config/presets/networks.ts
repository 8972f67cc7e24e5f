/** The public networks: what is known of them here. */
import { kairosGenesis } from "./kairos.ts";

/** A public network. */
export interface NetworkPreset {
  readonly name: string;
  /** Hash of block 0. */
  readonly genesisHash: `0x${string}`;
  /** The genesis file, ready for `JSON.stringify`; absent where the accounts of block 0 are not included. */
  readonly genesis?: object;
}

/** The main network. Its genesis file has 1.5 MB of accounts and is not included. */
export const mainnet: NetworkPreset = {
  name: "main network",
  genesisHash: "0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e",
};

/** The test network Kairos, once called Baobab. */
export const kairos: NetworkPreset = {
  name: "Kairos",
  genesisHash: "0xe33ff05ceec2581ca9496f38a2bf9baad5d4eed629e896ccb33d1dc991bc4b4a",
  genesis: kairosGenesis,
};
