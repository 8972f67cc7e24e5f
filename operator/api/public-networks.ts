/** Public networks, whose block 0 and boot nodes knit contains. */

/** Public networks by their flag of knit, with the hash of block 0 (`params/config.go@v2.2.2`). */
export const publicNetworks = {
  kairos: { genesisHash: "0xe33ff05ceec2581ca9496f38a2bf9baad5d4eed629e896ccb33d1dc991bc4b4a" },
  mainnet: { genesisHash: "0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e" },
} as const;

/** Name of a public network. */
export type PublicNetwork = keyof typeof publicNetworks;

/** Names of the public networks. */
export const publicNetworkNames = ["kairos", "mainnet"] as const satisfies readonly PublicNetwork[];
