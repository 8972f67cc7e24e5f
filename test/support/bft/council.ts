/** Several validators in one process, each with a chain of its own, over a network made of function calls. */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { mapKey, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import type {
  ConsensusEnvelope,
  ConsensusPeers,
  EnvelopeListener,
} from "../../../node/consensus/consensus-peers.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";

/** A member of the council. */
export interface Seat {
  readonly key: Uint8Array;
  readonly address: Uint8Array;
}

/** Seats by made-up keys. */
export function seats(count: number): readonly Seat[] {
  return Array.from({ length: count }, (_, i) => {
    const key = keccak256(Buffer.from(`knit/seat/${i}`));
    return { key, address: addressOfKey(key) };
  });
}

/** Members of a genesis that differ; `istanbul` is that of its configuration. */
interface GenesisFields {
  readonly timestamp?: number;
  readonly alloc?: object;
  readonly istanbul?: object;
}

/** A chain whose council they are; the proposer goes round. Accounts have nothing and it began long ago, unless said. */
export function councilGenesis(
  council: readonly Pick<Seat, "address">[],
  { timestamp = 100, alloc = {}, istanbul = {} }: GenesisFields = {},
): Genesis {
  const addresses = council.map(({ address }) => address);
  const extra = concatBytes(new Uint8Array(32), encodeRlp([addresses, new Uint8Array(0), []]));
  const reward = { mintingAmount: 100, minimumStake: 0, ratio: "100/0/0" };
  return parseGenesis(
    JSON.stringify({
      config: {
        chainId: 9,
        istanbul: { epoch: 30, policy: 0, sub: 22, ...istanbul },
        unitPrice: 1,
        deriveShaImpl: 0,
        governance: { governanceMode: "none", reward },
      },
      timestamp: `0x${timestamp.toString(16)}`,
      extraData: toHex(extra),
      blockScore: "0x1",
      alloc,
    }),
  );
}

/** The network: everybody hears everybody who is plugged in. */
export class Hub {
  readonly #listeners = new Map<string, EnvelopeListener>();
  readonly #addresses = new Map<string, Uint8Array>();
  readonly #onSend: (from: Seat, envelope: ConsensusEnvelope) => void;

  constructor(onSend: (from: Seat, envelope: ConsensusEnvelope) => void = () => undefined) {
    this.#onSend = onSend;
  }

  /** The network as one of them sees it. */
  plug(seat: Seat): ConsensusPeers {
    const own = mapKey(seat.address);
    return {
      connectedAddresses: () =>
        [...this.#addresses].filter(([name]) => name !== own).map(([, address]) => address),
      send: (to, envelope) => {
        this.#onSend(seat, envelope);
        const listener = this.#listeners.get(mapKey(to));
        if (listener !== undefined) setImmediate(() => listener(seat.address, envelope));
        return listener !== undefined;
      },
      noteVote: () => undefined,
      onMessage: (listener) => {
        this.#listeners.set(own, listener);
        this.#addresses.set(own, seat.address);
        return () => {
          this.#listeners.delete(own);
          this.#addresses.delete(own);
        };
      },
    };
  }
}
