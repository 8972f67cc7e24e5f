/** Members of the chain configuration that the main network and Kairos have in common (`kaia/params/config.go@v2.2.2`). */
import { jsonInteger } from "../exact-json.ts";

/** The last members of a public network's configuration, in the Go node's order, ready for `JSON.stringify`. */
export function publicTerms(governingNode: `0x${string}`): object {
  return {
    istanbul: { epoch: 604_800, policy: 2, sub: 22 },
    blobSchedule: { osaka: { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716 } },
    unitPrice: 25_000_000_000,
    deriveShaImpl: 2,
    governance: {
      governingNode,
      governanceMode: "single",
      govParamContract: `0x${"00".repeat(20)}`,
      reward: {
        mintingAmount: jsonInteger(9_600_000_000_000_000_000n),
        ratio: "34/54/12",
        useGiniCoeff: true,
        deferredTxFee: true,
        stakingUpdateInterval: 86_400,
        proposerUpdateInterval: 3_600,
        minimumStake: 5_000_000,
      },
    },
  };
}
