/** Decides whether this node makes blocks, and starts it when it does. */
import type { Accounts } from "./accounts/accounts.ts";
import { concatBytes, equalBytes } from "./bytes/compare.ts";
import { integerBytes } from "./bytes/integer.ts";
import { encodeRlp } from "./bytes/rlp.ts";
import type { OpenChain } from "./chain/open-chain.ts";
import type { NodeOptions } from "./config/options.ts";
import { programVersion } from "./config/version.ts";
import { openSealer, type Sealer } from "./consensus/sealer.ts";
import { deriveBlsKey } from "./crypto/bls-key.ts";
import { sign } from "./crypto/secp256k1.ts";
import type { NodeDatabase } from "./database.ts";
import type { Ballots } from "./governance/ballots.ts";
import { rewardbaseOf } from "./node-accounts.ts";
import type { NodeNetwork } from "./node-network.ts";
import type { Clock } from "./observe/clock.ts";
import type { Log } from "./observe/log.ts";
import type { NodeKey } from "./p2p/node-key.ts";
import { createPause } from "./pause.ts";
import type { TxPool } from "./txpool/pool.ts";

/** What the sealer is made of. */
export interface SealerSurroundings {
  readonly options: NodeOptions;
  readonly database: NodeDatabase;
  readonly open: OpenChain;
  readonly ballots: Ballots;
  readonly pool: TxPool;
  readonly accounts: Accounts;
  readonly nodeKey: NodeKey;
  readonly network: NodeNetwork;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts to make blocks on a core node that is the chain's only validator; undefined on all others. */
export function openNodeSealer(surroundings: SealerSurroundings): Sealer | undefined {
  const { options, database, open, ballots, pool, accounts, nodeKey, network, clock, log } = surroundings;
  const { chain, writer, governance } = open;
  if (options.type !== "core" || !isOnlyValidator(surroundings)) return undefined;
  const { intervalMs, timeLimitMs } = options.consensus;
  return openSealer({
    config: chain.config,
    writer,
    state: database.state,
    ready: Promise.all([database.state.ready, network.expectsPeers ? network.protocol.heardHead : undefined]),
    room: () => database.disk.room(),
    governance,
    vote: () => ballots.next(),
    candidates: (baseFee) => pool.byPrice(baseFee),
    drop: (tx) => pool.drop(tx.hash),
    address: nodeKey.address,
    sign: (digest) => sign(digest, nodeKey.key),
    blsKey: deriveBlsKey(nodeKey.key),
    rewardbase: rewardbaseOf(options, accounts) ?? nodeKey.address,
    vanity: vanity(),
    intervalMs,
    limitMs: timeLimitMs,
    pause: createPause(),
    clock,
    log,
  });
}

function isOnlyValidator({ open: { chain, governance }, nodeKey, log }: SealerSurroundings): boolean {
  const council = governance.council(chain.head().header.number + 1);
  const validators = council.length;
  if (!council.some((member) => equalBytes(member, nodeKey.address))) {
    log.warn({ validators }, "this node is not a validator of its chain: it makes no blocks");
    return false;
  }
  if (validators > 1) {
    log.warn({ validators }, "blocks need other validators, whom this release cannot reach");
    return false;
  }
  return true;
}

const VANITY_BYTES = 32;

/** Free text of a header, in the Go node's form: RLP of version, client, runtime and system, cut or padded. */
function vanity(): Uint8Array {
  const [major = 0, minor = 0, patch = 0] = programVersion().split(".").map(Number);
  const text = encodeRlp([
    integerBytes((major << 16) | (minor << 8) | patch),
    Buffer.from("knit"),
    Buffer.from(`node${process.versions.node}`),
    Buffer.from(process.platform),
  ]);
  return concatBytes(text, new Uint8Array(VANITY_BYTES)).subarray(0, VANITY_BYTES);
}
