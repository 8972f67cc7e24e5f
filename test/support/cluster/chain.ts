/**
 * The nodes of random histories and their chain: processes with the key that they read at their start, volumes with
 * blocks, and a council that makes blocks while its quorum is connected. Another block 1 is another chain.
 */
import { genesisRecord } from "../../../operator/build/genesis-record.ts";

/** A volume: the block 0 and the chain on it. */
export interface Volume {
  readonly name: string;
  genesis: string | undefined;
  /** Chain of its blocks above 0. */
  chain: string | undefined;
  height: number;
}

/** A running node. */
export interface Process {
  /** `namespace/name` of its member. */
  readonly member: string;
  readonly machine: string;
  readonly ip: string;
  readonly volume: Volume;
  /** Address and id of the key that it read. */
  readonly address: string;
  readonly id: string;
  /** True for one that signs nothing before its chain has block 1. */
  readonly isGated: boolean;
  /** True for one whose image never serves. */
  readonly isBroken: boolean;
}

/** State of a machine. A cut one runs its pods, which nobody reaches. */
export type Machine = "up" | "cut" | "dead";

interface Branch {
  council: readonly string[];
  height: number;
}

/** Returns the quorum of Istanbul BFT. */
export function quorumOf(validators: number): number {
  return validators < 4 ? validators : Math.ceil((2 * validators) / 3);
}

const BLOCK_MS = 1_000;
const LEVEL_BLOCKS = 30;

/** The nodes. */
export class Chain {
  /** Processes by the uid of their pod. */
  readonly processes = new Map<string, Process>();
  readonly volumes = new Map<string, Volume>();
  readonly machines = new Map<string, Machine>();
  readonly branches = new Map<string, Branch>();
  /** Time of the last change of a council. */
  councilAt = 0;
  /** Time since which an address does not serve. */
  readonly downSince = new Map<string, number>();
  /** Time since which an address serves. */
  readonly upSince = new Map<string, number>();
  readonly #votes: { readonly address: string; readonly isAdded: boolean }[] = [];

  /** Processes that reach each other. */
  get connected(): readonly Process[] {
    return [...this.processes.values()].filter(({ machine }) => this.machines.get(machine) === "up");
  }

  /** The chain with the most blocks. */
  get main(): Branch | undefined {
    return [...this.branches.values()].sort((a, b) => b.height - a.height)[0];
  }

  /** Creates an empty volume. */
  addVolume(): Volume {
    const volume = { name: `pv-${this.volumes.size}`, genesis: undefined, chain: undefined, height: 0 };
    this.volumes.set(volume.name, volume);
    return volume;
  }

  /** Votes for or against an address; the next block carries it. */
  vote(address: string, isAdded: boolean): void {
    this.#votes.push({ address, isAdded });
  }

  /** Council as a process reports it. */
  councilOf({ volume }: Process): readonly string[] {
    const branch = this.branches.get(volume.chain ?? "");
    return branch?.council ?? validatorsIn(volume.genesis ?? "");
  }

  /** True for an address with a process that takes part in consensus. */
  isServing(address: string): boolean {
    return this.connected.some((each) => each.address === address && this.isLevel(each));
  }

  /** True for a process that serves, with the newest blocks. */
  isLevel({ isBroken, volume }: Process): boolean {
    const { main } = this;
    if (isBroken) return false;
    return main === undefined || (volume.chain !== undefined && main.height - volume.height <= LEVEL_BLOCKS);
  }

  /** Lets time pass: nodes sync, and councils with a quorum make blocks. */
  pass(milliseconds: number, now: number): void {
    const nodes = this.connected.filter(({ isBroken }) => !isBroken);
    this.#sync(nodes);
    this.#begin(nodes);
    for (const [chain, branch] of this.branches)
      this.#makeBlocks(chain, branch, { nodes, milliseconds, now });
    this.#sync(nodes);
    this.#note(now);
  }

  /** Empty nodes take the chain of their peers, and others its newest blocks. */
  #sync(nodes: readonly Process[]): void {
    for (const { volume } of nodes) {
      const peers = nodes.filter(
        (peer) => peer.volume.genesis === volume.genesis && peer.volume.chain !== undefined,
      );
      const same = peers.filter((peer) => volume.chain === undefined || peer.volume.chain === volume.chain);
      const best = same.sort((a, b) => b.volume.height - a.volume.height)[0]?.volume;
      if (best === undefined || best.height <= volume.height) continue;
      volume.chain = best.chain;
      volume.height = best.height;
    }
  }

  /** Validators of block 0 that know no other block make block 1. */
  #begin(nodes: readonly Process[]): void {
    const empty = nodes.filter(({ volume, isGated }) => volume.chain === undefined && !isGated);
    for (const genesis of new Set(empty.map(({ volume }) => volume.genesis))) {
      if (genesis === undefined) continue;
      const council = validatorsIn(genesis);
      const signers = empty.filter(({ volume }) => volume.genesis === genesis);
      const addresses = new Set(
        signers.map(({ address }) => address).filter((each) => council.includes(each)),
      );
      if (council.length === 0 || addresses.size < quorumOf(council.length)) continue;
      const chain = `chain-${this.branches.size + 1}`;
      this.branches.set(chain, { council, height: 1 });
      for (const { volume } of signers) Object.assign(volume, { chain, height: 1 });
    }
  }

  #makeBlocks(
    chain: string,
    branch: Branch,
    { nodes, milliseconds, now }: { nodes: readonly Process[]; milliseconds: number; now: number },
  ): void {
    const on = nodes.filter(({ volume }) => volume.chain === chain && volume.height === branch.height);
    const signers = new Set(on.map(({ address }) => address).filter((each) => branch.council.includes(each)));
    if (signers.size < quorumOf(branch.council.length)) return;
    branch.height += Math.max(1, Math.floor(milliseconds / BLOCK_MS));
    for (const { volume } of on) volume.height = branch.height;
    for (const { address, isAdded } of this.#votes.splice(0)) {
      const others = branch.council.filter((each) => each !== address);
      if (!isAdded && others.length === 0) continue;
      branch.council = isAdded ? [...others, address] : others;
      this.councilAt = now;
    }
  }

  #note(now: number): void {
    for (const address of this.main?.council ?? []) {
      const [since, other] = this.isServing(address)
        ? [this.upSince, this.downSince]
        : [this.downSince, this.upSince];
      other.delete(address);
      if (!since.has(address)) since.set(address, now);
    }
  }
}

const validators = new Map<string, readonly string[]>();

/** Validators in a genesis file. */
function validatorsIn(genesis: string): readonly string[] {
  const known = validators.get(genesis) ?? (genesis === "" ? [] : genesisRecord(genesis, true).validators);
  if (validators.size > 1_000) validators.clear();
  validators.set(genesis, known);
  return known;
}
