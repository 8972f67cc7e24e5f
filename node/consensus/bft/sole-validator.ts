/**
 * A council of one after a restart. A node with static nodes signs nothing before a peer has reported its head, which a
 * sole validator need not wait for when its directory shows that nothing of its chain is missing. Peers come first
 * even then: one that is connected may have newer blocks, as after the restore of an old copy.
 */
import type { Address } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Governance } from "../../governance/governance.ts";
import type { Rows } from "../../store/store.ts";
import { readSigner } from "./doppelganger.ts";
import { readRecord } from "./signing-record.ts";

/** State of a validator at its start. */
export interface StartingValidator {
  readonly address: Address;
  readonly chain: Pick<Chain, "head">;
  readonly governance: Pick<Governance, "council">;
  readonly store: Rows;
  /** Height below which nothing is signed; undefined when nobody keeps it outside the directory. */
  readonly minHeight: number | undefined;
}

/** Time in which a peer may report its head before a sole validator goes on, milliseconds. */
const PEERLESS_MS = 5_000;

/**
 * True for the only validator of its chain whose blocks and signing record are complete. At block 0 the minimum height
 * must tell that there was no other chain: an emptied directory looks like a new one.
 */
export function isCompleteAlone({
  address,
  chain,
  governance,
  store,
  minHeight,
}: StartingValidator): boolean {
  const head = chain.head().header.number;
  const [sole, ...others] = governance.council(head + 1);
  if (sole === undefined || others.length > 0 || !equalBytes(sole, address)) return false;
  if (head === 0) return minHeight === 0;
  const signer = readSigner(store);
  const signed = readRecord(store)?.signed;
  const isOwn = signer === undefined ? signed !== undefined : equalBytes(signer, address);
  return isOwn && head + 1 >= (signed?.view.sequence ?? 0);
}

/** Peers whose heads a starting validator compares with its own. */
export interface StartingPeers {
  /** Resolves once no connected peer is ahead. */
  readonly synced: Promise<void>;
  readonly count: () => number;
}

/** Resolves once the validator may sign: when it is level with its peers, or when a complete sole one has no peer. */
export async function untilLevel(
  validator: StartingValidator,
  { synced, count }: StartingPeers,
  peerlessMs = PEERLESS_MS,
): Promise<void> {
  if (!isCompleteAlone(validator)) return synced;
  const { promise: alone, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (count() === 0) resolve();
  }, peerlessMs);
  timer.unref();
  await Promise.race([synced, alone]);
  clearInterval(timer);
}
