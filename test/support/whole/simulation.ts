/**
 * Several whole nodes in one process under one clock, one network and one disk each, which all lie by a seed, in the
 * manner of FoundationDB's simulation: delays, cuts, broken sessions, crashes at writes, lost and refused writes,
 * damaged rows, full disks, clocks that jump. After a bad time the world is good again; then every node has to come to
 * the same chain. Throws `WholeFailure` when a chain forks, a validator contradicts itself, a block is lost that was
 * published, or the nodes do not come together.
 */
import type { Genesis } from "../../../node/config/genesis.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import type { Log } from "../../../node/observe/log.ts";
import { nodeKeyOf } from "../../../node/p2p/node-key.ts";
import { seededRandom } from "../random.ts";
import { isDamageOfChain, Judge, type Judged, WholeFailure } from "./judge.ts";
import { drawPlan, isWanted, type WholePlan } from "./plan.ts";
import { type CrashKind, SimulatedDisk } from "./simulated-disk.ts";
import { connectEnds, type NetworkFaults, type SimulatedSession } from "./simulated-network.ts";
import { openSimulatedNode, type SimulatedNode, type SimulatedSeat } from "./simulated-node.ts";
import type { Life, VirtualTime } from "./virtual-time.ts";
import { genesisOf, RICH, transferOf } from "./whole-chain.ts";

/** Figures of a run. */
export interface WholeOutcome {
  readonly seed: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly crashes: number;
  readonly cuts: number;
  readonly damaged: number;
  /** Directories that were begun anew. */
  readonly wiped: number;
  readonly migrations: number;
  readonly seconds: number;
}

/** Time in which a good network has to come together, in milliseconds: rounds may have grown long before. */
const PATIENCE_MS = 2_000_000;
const BLOCKS_AFTER = 3;
/** Interval between two looks at what may go wrong, in milliseconds. */
const HARM_MS = 200;
/** Starts that a node may need after the bad time. */
const MAX_GOOD_FAILURES = 3;

/** Surroundings of a run. */
export interface WholeOptions {
  /** Installed. */
  readonly time: VirtualTime;
  readonly log: Log;
  /** True for disks that lose what they were told to sync: a run must find that out. */
  readonly isForgetful: boolean;
}

/** Runs a seed to its end. */
export async function simulateWhole(
  seed: number,
  { time, log, isForgetful }: WholeOptions,
): Promise<WholeOutcome> {
  const plan = { ...drawPlan(seed), isForgetful };
  time.clear();
  const world = new World(plan, time, log);
  return world.run();
}

/** A node with its lives. */
interface Place extends SimulatedSeat, Judged {
  life: Life;
  node: SimulatedNode | undefined;
  clockErrorMs: number;
  fullUntil: number;
  /** Failures since the world became good. */
  goodFailures: number;
  /** Height below which the node may not sign, as the operator keeps it outside the disk. */
  minHeight: number;
}

interface Cut {
  readonly until: number;
  readonly side: ReadonlySet<number>;
}

class World implements NetworkFaults {
  readonly #plan: WholePlan & Pick<WholeOptions, "isForgetful">;
  readonly #time: VirtualTime;
  readonly #log: Log;
  readonly #random: () => number;
  readonly #genesis: Genesis;
  readonly #places: readonly Place[];
  readonly #sessions = new Map<string, SimulatedSession>();
  readonly #judge = new Judge((message) => this.#fail(message));
  readonly #failure = Promise.withResolvers<never>();
  readonly #start: number;
  readonly #nonces = RICH.map(() => 0);
  #cut: Cut | undefined;
  #crashes = 0;
  #cuts = 0;
  #damaged = 0;
  #wiped = 0;
  #migrations = 0;
  /** The validator whose disk may be lost: one in four may be bad. */
  readonly #unlucky: number;

  constructor(plan: WholePlan & Pick<WholeOptions, "isForgetful">, time: VirtualTime, log: Log) {
    this.#plan = plan;
    this.#time = time;
    this.#log = log;
    this.#random = seededRandom(plan.seed ^ 0x5eed);
    this.#start = time.now;
    this.#unlucky = this.#upTo(plan.cores - 1);
    const types = [
      ...Array.from({ length: plan.cores }, () => "core" as const),
      "proxy",
      "endpoint",
    ] as const;
    this.#places = types.map((type, index) => this.#place(type, index));
    this.#genesis = genesisOf(addressesOf(this.#places), Date.now());
    this.#failure.promise.catch(() => undefined); // `run` meets it
  }

  delayMs(): number {
    return 0.1 + this.#random() * (this.#isGood ? 5 : this.#plan.maxDelayMs);
  }

  cutUntil(a: number, b: number): number | undefined {
    const cut = this.#cut;
    if (cut === undefined || cut.until <= this.#time.now || cut.side.has(a) === cut.side.has(b))
      return undefined;
    return cut.until;
  }

  async run(): Promise<WholeOutcome> {
    for (const place of this.#places) this.#begin(place);
    this.#every(500, () => this.#connect());
    this.#every(300, () => this.#transact());
    this.#every(HARM_MS, () => this.#harm());
    await this.#time.run(Promise.race([this.#failure.promise, this.#heal()]), this.#plan.badMs + PATIENCE_MS);
    await this.#time.run(this.#close(), PATIENCE_MS);
    const blocks = this.#judge.blocks;
    const { seed } = this.#plan;
    const [crashes, cuts, damaged] = [this.#crashes, this.#cuts, this.#damaged];
    const [wiped, migrations] = [this.#wiped, this.#migrations];
    const transactions = this.#nonces.reduce((sum, each) => sum + each, 0);
    const seconds = Math.round((this.#time.now - this.#start) / 1000);
    return { seed, blocks, transactions, crashes, cuts, damaged, wiped, migrations, seconds };
  }

  get #atMs(): number {
    return Math.round(this.#time.now - this.#start);
  }

  get #isGood(): boolean {
    return this.#time.now - this.#start >= this.#plan.badMs;
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  #place(type: Place["type"], index: number): Place {
    const key = nodeKeyOf(keccak256(Buffer.from(`knit/whole/${index}`)));
    const place: Place = {
      index,
      type,
      key,
      name: `${type}-${index}`,
      address: key.address,
      disk: new SimulatedDisk(this.#random, this.#plan.isForgetful),
      clock: { now: () => Math.floor(Date.now() + place.clockErrorMs) },
      life: { isOver: true },
      node: undefined,
      clockErrorMs: 0,
      fullUntil: 0,
      goodFailures: 0,
      published: 0,
      minHeight: 0,
    };
    return place;
  }

  #every(ms: number, work: () => void): void {
    this.#time.after(ms, undefined, () => {
      work();
      this.#every(ms, work);
    });
  }

  #fail(message: string): void {
    this.#failure.reject(new WholeFailure(`seed ${this.#plan.seed}, at ${this.#atMs} ms: ${message}`));
  }

  /** Starts a life of a node. */
  #begin(place: Place): void {
    const life: Life = { isOver: false };
    place.life = life;
    this.#time.after(0, life, () => {
      this.#openNode(place, life).catch((error: unknown) => this.#onFailure(place, life, error));
    });
  }

  async #openNode(place: Place, life: Life): Promise<void> {
    const log = this.#logOf(place);
    const node = await openSimulatedNode(place, {
      genesis: this.#genesis,
      access: { time: this.#time, life, faults: this.#diskFaults(place, life) },
      room: this.#roomOf(place, life),
      minHeight: place.minHeight,
      hasStaticPeers: this.#plan.hasStaticPeers,
      random: this.#random,
      log,
      onSend: (message) => this.#judge.checkSent(place, message),
      peerCount: () => this.#peerCount(place),
    });
    for (const failed of [node.open.writer.failed, node.state.ready, node.engine?.failed])
      failed?.catch((error: unknown) => this.#onFailure(place, life, error));
    place.node = node;
    const { chain } = node.open;
    const { header, hash } = chain.head();
    this.#note(place, `opened at ${header.number}`);
    this.#judge.checkOpened(place, header.number, hash);
    chain.onHead((block) => this.#judge.checkPublished(place, block.header.number, block.hash));
  }

  #onFailure(place: Place, life: Life, error: unknown): void {
    if (life.isOver) return;
    this.#note(place, `failed: ${String(error)}`);
    if (isDamageOfChain(error)) this.#replaceDisk(place);
    if (this.#isGood && ++place.goodFailures > MAX_GOOD_FAILURES)
      this.#fail(`${place.name} cannot go on in a good world: ${String(error)}`);
    this.#crash(place, "kill");
  }

  #crash(place: Place, kind: CrashKind): void {
    if (place.life.isOver) return;
    this.#crashes++;
    this.#note(place, `ends: ${kind}`);
    place.life.isOver = true;
    place.node = undefined;
    for (const [name, session] of this.#sessions) {
      if (!name.split("-").includes(String(place.index))) continue;
      session.break();
      this.#sessions.delete(name);
    }
    place.disk.crash(kind);
    const downMs = this.#isGood ? 2_000 : this.#plan.maxDownMs;
    this.#time.after(100 + this.#upTo(downMs), undefined, () => {
      this.#damageDisk(place);
      this.#begin(place);
    });
  }

  /**
   * Trie nodes of any node may be damaged. Blocks and flat state may be damaged, and whole disks lost, on a node that
   * is no validator and on one validator.
   */
  #damageDisk(place: Place): void {
    if (this.#isGood || this.#random() >= this.#plan.damages) return;
    const isExpendable = place.type !== "core" || place.index === this.#unlucky;
    const kind = isExpendable ? this.#upTo(2) : 0;
    if (kind === 2) return this.#replaceDisk(place);
    if (place.disk.damage(kind === 1 ? "chain" : "trie/")) this.#damaged++;
  }

  /** A person reads that the database of a node that still runs is damaged. */
  #replaceDamaged(place: Place): void {
    const { life } = place;
    this.#time.after(1_000, undefined, () => {
      if (life.isOver) return;
      this.#crash(place, "kill");
      this.#replaceDisk(place);
    });
  }

  /** Replaces a lost disk as the operator does: an empty one, and the height that the node had. */
  #replaceDisk(place: Place): void {
    this.#note(place, `gets an empty disk; it had published ${place.published}`);
    this.#wiped++;
    place.disk.wipe();
    this.#judge.forgetSigned(place);
    place.minHeight = Math.max(place.minHeight, place.published);
    place.published = 0;
  }

  #diskFaults(place: Place, life: Life) {
    const { maxWriteMs, crashes, refusals } = this.#plan;
    return {
      delayMs: () => 0.05 + this.#random() * (this.#isGood ? 1 : maxWriteMs),
      onWrite: () => {
        if (life.isOver || this.#isGood || this.#random() >= crashes) return;
        this.#crash(place, this.#random() < 0.5 ? "kill" : "power");
      },
      isRefusing: () => !this.#isGood && this.#random() < refusals,
    };
  }

  #roomOf(place: Place, life: Life) {
    const isLow = (): boolean => place.fullUntil > this.#time.now;
    return {
      get isLow() {
        return isLow();
      },
      room: async (): Promise<void> => {
        while (isLow()) await this.#time.wait(200, life);
      },
    };
  }

  /** Faults that need no write: a crash, a full disk, a clock that jumps, a broken session, a cut. */
  #harm(): void {
    const { cutEveryMs, faultEveryMs, migrationEveryMs } = this.#plan;
    if (this.#random() < HARM_MS / migrationEveryMs) this.#migrate();
    if (this.#isGood) {
      for (const place of this.#places)
        place.clockErrorMs = Math.max(-100, Math.min(100, place.clockErrorMs));
      return;
    }
    if (this.#random() < HARM_MS / cutEveryMs) this.#cutNetwork();
    if (this.#random() >= HARM_MS / faultEveryMs) return;
    const place = this.#places[this.#upTo(this.#places.length - 1)];
    if (place !== undefined) this.#harmPlace(place);
  }

  #harmPlace(place: Place): void {
    const { crashes, maxClockErrorMs } = this.#plan;
    switch (this.#upTo(3)) {
      case 0:
        if (crashes > 0) this.#crash(place, this.#random() < 0.5 ? "kill" : "power");
        return;
      case 1:
        place.fullUntil = this.#time.now + this.#upTo(10_000);
        return;
      case 2:
        place.clockErrorMs = (this.#random() * 2 - 1) * maxClockErrorMs;
        return;
      default:
        [...this.#sessions.values()][this.#upTo(this.#sessions.size)]?.break();
    }
  }

  #migrate(): void {
    const place = this.#places[this.#upTo(this.#places.length - 1)];
    const { node, life } = place ?? {};
    if (node === undefined || life === undefined) return;
    this.#time.after(0, life, () => {
      node.state.migration.start().then(
        (started) => (started === "asked" ? this.#migrations++ : 0),
        () => undefined, // the disk refused it
      );
    });
  }

  #cutNetwork(): void {
    this.#cuts++;
    const side = new Set(this.#places.filter(() => this.#random() < 0.4).map(({ index }) => index));
    const left = this.#plan.badMs - (this.#time.now - this.#start);
    this.#cut = { until: this.#time.now + this.#upTo(Math.min(left, 20_000)), side };
  }

  #connect(): void {
    for (const first of this.#places) {
      for (const second of this.#places) {
        if (first.index >= second.index || !isWanted(first.type, second.type)) continue;
        const name = `${first.index}-${second.index}`;
        if (first.node === undefined || second.node === undefined) continue;
        if (this.#sessions.get(name)?.isOpen === true) continue;
        if (this.cutUntil(first.index, second.index) !== undefined || this.#random() < 0.3) continue;
        this.#sessions.set(name, connectEnds(this.#time, this, [first.node.end, second.node.end]));
      }
    }
  }

  #peerCount({ index }: Place): number {
    const names = [...this.#sessions].filter(([, { isOpen }]) => isOpen).map(([name]) => name.split("-"));
    return names.filter((ends) => ends.includes(String(index))).length;
  }

  /** Sends a transfer through some node. */
  #transact(): void {
    const place = this.#places[this.#upTo(this.#places.length - 1)];
    const { node, life } = place ?? {};
    if (node === undefined || life === undefined) return;
    const from = this.#upTo(RICH.length - 1);
    const key = RICH[from];
    if (key === undefined) return;
    this.#time.after(0, life, () => {
      try {
        const nonce = node.pool.nonce(addressOfKey(key));
        this.#nonces[from] = Math.max(this.#nonces[from] ?? 0, Number(nonce) + 1);
        const to = keccak256(Buffer.from(`to ${this.#upTo(200)}`)).subarray(0, 20);
        node.pool.add(transferOf(key, nonce, to), "local");
      } catch {
        // known or underpriced, or a damaged row: the caller gets an error
      }
    });
  }

  /** Resolves when all nodes are some blocks further than anybody was when the world became good. */
  async #heal(): Promise<void> {
    const time = this.#time;
    while (!this.#isGood) await time.wait(500, undefined);
    const target = this.#judge.blocks + BLOCKS_AFTER;
    const isThere = ({ node }: Place): boolean => (node?.open.chain.head().header.number ?? 0) >= target;
    while (!this.#places.every(isThere)) await time.wait(500, undefined);
  }

  /** Ends all nodes, and checks the state of each against its tries. */
  async #close(): Promise<void> {
    const nodes = this.#places.map(({ node }) => node);
    for (const session of this.#sessions.values()) session.break();
    await this.#time.wait(100, undefined);
    for (const [index, node] of nodes.entries()) {
      const place = this.#places[index];
      if (node === undefined || place === undefined) continue;
      await new Promise<void>((resolve, reject) => {
        this.#time.after(0, place.life, () => void this.#verify(node, place).then(resolve, reject));
      });
    }
    await Promise.race([this.#failure.promise, Promise.resolve()]);
  }

  async #verify(node: SimulatedNode, place: Place): Promise<void> {
    await node.engine?.[Symbol.asyncDispose]();
    place.disk.mend();
    await this.#judge.checkEnd(place, node);
    await node[Symbol.asyncDispose]();
  }

  #note(place: Place, text: string): void {
    this.#log.debug({ at: this.#atMs, node: place.name }, text);
  }

  /** Adds time and node to each line. */
  #logOf(place: Place): Log {
    const fields = (given: object): object => ({ at: this.#atMs, node: place.name, ...given });
    const log: Log = {
      debug: () => undefined,
      info: (given, message) => this.#log.info(fields(given), message),
      warn: (given, message) => this.#log.warn(fields(given), message),
      error: (given, message) => {
        this.#log.error(fields(given), message);
        if (/database failed/.test(message)) this.#replaceDamaged(place);
      },
      child: () => log,
    };
    return log;
  }
}

function addressesOf(places: readonly Place[]): readonly Uint8Array[] {
  return places.filter(({ type }) => type === "core").map(({ address }) => address);
}
