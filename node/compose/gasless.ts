/** Opens the rules of gasless transactions (KIP-247) of a node. */
import type { OpenChain } from "../chain/open-chain.ts";
import { sign } from "../crypto/secp256k1.ts";
import { type Gasless, openGasless } from "../gasless/gasless.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { systemClock } from "../runtime/clock.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of gasless transactions. */
export interface GaslessParts {
  readonly options: Pick<NodeOptions, "type" | "gasless" | "development">;
  readonly open: Pick<OpenChain, "chain">;
  readonly nodeKey: NodeKey;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Balance of which a proposer lends, in peb. */
const MIN_BALANCE = 10n ** 18n;

/**
 * Opens the rules; undefined where they are disabled, on development chains, and on a node that makes blocks without the
 * balance that the Go node demands at its start, too.
 */
export function openNodeGasless({ options, open, nodeKey, log, metrics }: GaslessParts): Gasless | undefined {
  const { chain } = open;
  if (options.gasless.isDisabled || options.development !== undefined) return undefined;
  const balance = chain.stateAt(chain.head().header.number).account(nodeKey.address)?.balance ?? 0n;
  if (options.type === "core" && balance < MIN_BALANCE) {
    log.info({ balance, min: MIN_BALANCE }, "no fees are lent: the node's account lacks the balance");
    return undefined;
  }
  return openGasless({
    chain,
    options: options.gasless,
    sign: (digest) => sign(digest, nodeKey.key),
    clock: systemClock,
    metrics,
  });
}
