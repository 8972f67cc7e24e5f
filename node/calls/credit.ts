/**
 * Texts of the main network's credit contract, which v2.2.2 of the Go node knows by heart
 * (`api/api_kaia_blockchain.go@v2.2.2`, `GetCypressCredit`). The contract's code is run for them.
 */
import type { Chain } from "../chain/chain.ts";
import { mainnetCode } from "../config/presets/mainnet-code.ts";
import { createEvm } from "../evm/evm.ts";
import { evmBlock } from "../execution/block-context.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import { emptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";

/** Pictures as data URLs and names separated by commas. */
export interface CreditTexts {
  readonly photo: string;
  readonly names: string;
  readonly endingPhoto: string;
  readonly endingNames: string;
}

const ADDRESS = new Uint8Array(20);
/** More than the largest picture needs. */
const GAS = 1_000_000_000n;

/** Returns the texts. Throws `StateError` `state-missing` when the newest state is not kept. */
export function creditTexts(chain: Chain): CreditTexts {
  const { header } = chain.head();
  const world = chain.worldAt(header.number);
  world.setAccount(ADDRESS, { ...emptyAccount(), kind: "contract", key: FAIL_KEY });
  world.setCode(ADDRESS, mainnetCode().creditV2);
  const evm = createEvm({
    world,
    rules: chain.rules(header.number),
    chainId: chain.config.chainId,
    block: evmBlock(header, { author: ADDRESS, blockHash: () => undefined }),
    transaction: { origin: ADDRESS, gasPrice: 0n, feePayer: ADDRESS, blobHashes: [] },
    computationLimit: Number.POSITIVE_INFINITY,
  });
  const text = (name: string): string => {
    const input = encodeCall(`${name}()`);
    const { output } = evm.call({ caller: ADDRESS, to: ADDRESS, input, value: 0n, gas: GAS });
    return Buffer.from(new AbiTuple(output).bytes(0)).toString("latin1");
  };
  return {
    photo: text("getPhoto"),
    names: text("getNames"),
    endingPhoto: text("getEndingPhoto"),
    endingNames: text("getEndingNames"),
  };
}
