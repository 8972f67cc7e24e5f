/** Blobs of mined transactions on a development chain, whole, as Anvil returns them. */
import type { Chain } from "../chain/chain.ts";
import { data, hash, listOf, nullable } from "../jsonrpc/codecs/hex.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Sidecars } from "../txpool/sidecars.ts";

/** Dependencies of the methods. */
export interface DevBlobDeps {
  readonly chain: Pick<Chain, "findTransaction">;
  readonly sidecars: Pick<Sidecars, "sidecarAt" | "blob">;
}

/** The methods of blobs. */
export function devBlobMethods({ chain, sidecars }: DevBlobDeps): Method[] {
  return [
    method({
      name: "dev_getBlobByHash",
      aliases: ["anvil_getBlobByHash"],
      summary: "Returns the blob with a versioned hash; null for one that no mined transaction has.",
      params: { versionedHash: hash },
      result: nullable(data),
      handle: ({ versionedHash }) => sidecars.blob(versionedHash),
    }),
    method({
      name: "dev_getBlobsByTransactionHash",
      aliases: ["anvil_getBlobsByTransactionHash"],
      summary: "Returns the blobs of a mined transaction; null for one that is unknown or has none.",
      params: { hash },
      result: nullable(listOf(data, "[]hexutil.Bytes")),
      handle: (args) => {
        const place = chain.findTransaction(args.hash);
        return place && sidecars.sidecarAt(place)?.blobs;
      },
    }),
  ];
}
