/** Results of checks of BLS proofs of possession, for a method that anybody may call: a check takes some 30 ms. */
import { bareHex } from "../bytes/hex.ts";
import { type BlsPublicInfo, loadPossessionCheck } from "../crypto/bls-possession.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import { callerTurns } from "../runtime/turn-queue.ts";

/** Kept results, more than there are validators. */
const MAX_VERDICTS = 1_000;

/** The results of checks, which are kept by public key and proof. */
export class PossessionVerdicts {
  readonly #load: typeof loadPossessionCheck;
  readonly #verdicts = new RecentMap<boolean>(MAX_VERDICTS);

  constructor(load = loadPossessionCheck) {
    this.#load = load;
  }

  /** Resolves to true for a valid proof. Each check has a turn of the event loop of its own. */
  async of({ publicKey, proof }: BlsPublicInfo, { signal, caller = {} }: CallOrigin): Promise<boolean> {
    const name = `${bareHex(publicKey)}:${bareHex(proof)}`;
    const known = this.#verdicts.get(name);
    if (known !== undefined) return known;
    const isProven = await this.#load();
    await callerTurns.next(caller);
    signal.throwIfAborted();
    const verdict = this.#verdicts.get(name) ?? isProven({ publicKey, proof });
    this.#verdicts.set(name, verdict);
    return verdict;
  }
}
