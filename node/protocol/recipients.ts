/**
 * Selection of recipients by the node types of both ends, as `BroadcastBlock`, `BroadcastTxs` and
 * `ReBroadcastTxs` of node/cn/handler.go@v2.2.2. Pure. `lacking` are the peers that do not have the item yet.
 */
import type { RandomFraction } from "../p2p/discovery/tables.ts";
import type { NodeType } from "../p2p/node-type.ts";

/** Fields of a peer that the selection uses. */
export interface Recipient {
  readonly type: NodeType;
}

/** Recipients of a whole block, and of its hash only. */
export interface BlockRecipients<P> {
  readonly full: readonly P[];
  readonly hash: readonly P[];
}

/** Number of proxies that a consensus node sends a whole block to. */
const MAX_BLOCK_PROXIES = 5;
/** Number of validators that a proxy sends a transaction to. */
const MAX_TRANSACTION_VALIDATORS = 2;

/**
 * Selects the recipients of a new block. A consensus node serves all consensus nodes and some proxies, other
 * nodes a sample of the nodes below them. All others get the hash: a consensus node outside of the council has
 * no validators as peers, and learns of blocks from proxies.
 */
export function blockRecipients<P extends Recipient>(
  own: NodeType,
  lacking: readonly P[],
  randomFraction: RandomFraction,
): BlockRecipients<P> {
  if (own === "cn") {
    const full = [
      ...ofType(lacking, "cn"),
      ...sample(ofType(lacking, "pn"), MAX_BLOCK_PROXIES, randomFraction),
    ];
    return { full, hash: lacking.filter((peer) => !full.includes(peer)) };
  }
  const below = own === "pn" ? ofType(lacking, "pn", "en") : ofType(lacking, "en");
  const full = sample(below, sampleSize(below.length), randomFraction);
  return { full, hash: lacking.filter((peer) => !full.includes(peer)) };
}

/** Returns the size of a sample of `count` peers: the square root, at least three. */
function sampleSize(count: number): number {
  return count < 3 ? count : Math.max(3, Math.floor(Math.sqrt(count)));
}

/** Selects the recipients of a transaction that became executable. */
export function transactionRecipients<P extends Recipient>(
  own: NodeType,
  lacking: readonly P[],
  randomFraction: RandomFraction,
): readonly P[] {
  const validators = ofType(lacking, "cn");
  if (own === "cn") return sample(validators, Math.floor(validators.length / 2) + 2, randomFraction);
  if (own === "pn")
    return [...sample(validators, MAX_TRANSACTION_VALIDATORS, randomFraction), ...ofType(lacking, "pn")];
  return ofType(lacking, "cn", "pn", "en");
}

/**
 * Selects up to `max` recipients of transactions that stay pending, those nearest to the validators first.
 */
export function resendRecipients<P extends Recipient>(
  own: NodeType,
  peers: readonly P[],
  { max, randomFraction }: { readonly max: number; readonly randomFraction: RandomFraction },
): readonly P[] {
  if (own === "cn") return [];
  const shuffled = (type: NodeType): P[] => sample(ofType(peers, type), max, randomFraction);
  if (own === "pn") {
    const validators = shuffled("cn");
    return validators.length > 0 ? validators : shuffled("pn");
  }
  return [...shuffled("cn"), ...shuffled("pn"), ...shuffled("en")].slice(0, max);
}

function ofType<P extends Recipient>(peers: readonly P[], ...types: readonly NodeType[]): P[] {
  return peers.filter((peer) => types.includes(peer.type));
}

/** Returns `size` random peers. */
function sample<P>(peers: readonly P[], size: number, randomFraction: RandomFraction): P[] {
  const rest = [...peers];
  const taken: P[] = [];
  while (taken.length < size && rest.length > 0) {
    taken.push(...rest.splice(Math.floor(randomFraction() * rest.length), 1));
  }
  return taken;
}
