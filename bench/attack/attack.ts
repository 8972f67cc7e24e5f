/** The shape of an attack: one file in `attacks/`, named as the command names it, which exports `attack`. */

/** The node under attack, on 127.0.0.1. */
export interface AttackTarget {
  /** `http://127.0.0.1:PORT` */
  readonly http: string;
  /** `ws://127.0.0.1:PORT` */
  readonly ws: string;
  readonly httpPort: number;
  readonly wsPort: number;
  readonly peerPort: number;
  /** The node's URL for peers: `kni://ID@127.0.0.1:PORT`. */
  readonly kni: string;
}

/** Figures of the attacker: connections, messages, megabytes. */
export type AttackFigures = Readonly<Record<string, number>>;

/** One attack. It runs in a process of its own and has no rights that a stranger lacks. */
export interface Attack {
  /** One line for the list of attacks. */
  readonly summary: string;
  /** Flags of the node besides the common ones. */
  readonly flags?: readonly string[];
  /** True where a good peer is watched too. */
  readonly watchesPeer?: boolean;
  /** Attacks until the signal is aborted, and connects again where it is cut off. */
  readonly run: (target: AttackTarget, signal: AbortSignal) => Promise<AttackFigures>;
}

/** Peers, clients and subscribers of all hostile kinds together. */
export const MIX: readonly string[] = ["stranger-peers", "stranger-clients", "stranger-subscribers"];

/** Attacks that are one command together. */
export const MIXES: Readonly<Record<string, readonly string[]>> = { mix: MIX };

const DIRECTORY = new URL("attacks/", import.meta.url);

/** The attack of a name. Throws when there is none. */
export async function loadAttack(name: string): Promise<Attack> {
  if (!/^[a-z-]+$/.test(name)) throw new Error(`no attack is named ${name}`);
  const { attack } = (await import(new URL(`${name}.ts`, DIRECTORY).href)) as { readonly attack: Attack };
  return attack;
}

/** The folder of all attacks. */
export const ATTACKS: URL = DIRECTORY;
