/** Who gets what, by the kinds of node at both ends: pure. `lacking` are the peers that do not have it yet. */
import type { NodeType } from "../p2p/node-type.ts";

/** What the rules look at. */
export interface Recipient {
  readonly type: NodeType;
}

/** Who gets a block, and who its hash only. */
export interface BlockRecipients<P> {
  readonly full: readonly P[];
  readonly hash: readonly P[];
}

/** A number in [0, 1). */
export type Chance = () => number;

/** Proxies that a consensus node gives a whole block. */
const PROXIES_OF_CONSENSUS = 5;
/** Validators that a proxy passes transactions up to. */
const VALIDATORS_OF_PROXY = 2;

/** Who gets a new block: consensus nodes all others and some proxies, the rest a sample downwards. */
export function blockRecipients<P extends Recipient>(
  own: NodeType,
  lacking: readonly P[],
  chance: Chance,
): BlockRecipients<P> {
  if (own === "cn") {
    const full = [...ofType(lacking, "cn"), ...sample(ofType(lacking, "pn"), PROXIES_OF_CONSENSUS, chance)];
    return { full, hash: lacking.filter((peer) => !full.includes(peer)) };
  }
  const below = own === "pn" ? ofType(lacking, "pn", "en") : ofType(lacking, "en");
  const full = sample(below, sampleSize(below.length), chance);
  return { full, hash: below.filter((peer) => !full.includes(peer)) };
}

/** Up to two all, else at least three and the square root. */
function sampleSize(count: number): number {
  return count < 3 ? count : Math.max(3, Math.floor(Math.sqrt(count)));
}

/** Who gets a transaction that just became executable. */
export function transactionRecipients<P extends Recipient>(
  own: NodeType,
  lacking: readonly P[],
  chance: Chance,
): readonly P[] {
  const validators = ofType(lacking, "cn");
  if (own === "cn") return sample(validators, Math.floor(validators.length / 2) + 2, chance);
  if (own === "pn") return [...sample(validators, VALIDATORS_OF_PROXY, chance), ...ofType(lacking, "pn")];
  return ofType(lacking, "cn", "pn", "en");
}

/** Who gets what is still pending again and again: the nearest ones to the validators, at most `most`. */
export function resendRecipients<P extends Recipient>(
  own: NodeType,
  peers: readonly P[],
  { most, chance }: { readonly most: number; readonly chance: Chance },
): readonly P[] {
  if (own === "cn") return [];
  const shuffled = (type: NodeType): P[] => sample(ofType(peers, type), most, chance);
  if (own === "pn") {
    const validators = shuffled("cn");
    return validators.length > 0 ? validators : shuffled("pn");
  }
  return [...shuffled("cn"), ...shuffled("pn"), ...shuffled("en")].slice(0, most);
}

function ofType<P extends Recipient>(peers: readonly P[], ...types: readonly NodeType[]): P[] {
  return peers.filter((peer) => types.includes(peer.type));
}

/** `size` of the peers, each choice equally likely. */
function sample<P>(peers: readonly P[], size: number, chance: Chance): P[] {
  const rest = [...peers];
  const taken: P[] = [];
  while (taken.length < size && rest.length > 0) {
    taken.push(...rest.splice(Math.floor(chance() * rest.length), 1));
  }
  return taken;
}
