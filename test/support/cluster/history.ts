/**
 * A random history of a cluster: people, machines, clocks and operators that end at any request act on the real
 * reconciliation. It throws when two pods sign with one address, when an operator stops a validator that the council
 * needs, when another chain or another identity begins, and when all does not become ready once people have helped.
 */
import { annotations } from "../../../operator/api/names.ts";
import type { Authorities } from "../../../operator/control/rotation.ts";
import { seededRandom } from "../random.ts";
import { ClusterApi, type Stored } from "./api.ts";
import { Chain, type Process } from "./chain.ts";
import { isReady, Kubernetes } from "./kubernetes.ts";
import { SimulatedOperator } from "./operator.ts";
import { People } from "./people.ts";
import { heal, keepWhole } from "./repair.ts";
import { chainOffence, identityOffence, isSuspended, type Scene, setScene, statusOf } from "./scene.ts";

const EPOCH = Date.parse("2026-01-01T00:00:00Z");
/** Time after which an operator must know of a change: the lag of its informers, its polls and their validity. */
const KNOWN_MS = 120_000;
/** Time after which an operator must have seen a node that serves. */
const SEEN_MS = 30_000;
const POLL_MS = 10_000;
/** Time in which all must be ready: a rollout that is given up, and what follows. */
const PATIENCE_MS = 3 * 3_600_000;

/** A history. */
export class History {
  readonly chain = new Chain();
  readonly api = new ClusterApi(() => this.now);
  readonly kubernetes: Kubernetes;
  readonly scene: Scene;
  readonly people: People;
  now = EPOCH;
  /** Difference of the operator's clock. */
  skew = 0;
  /** The latest acts, for the message of a failure. */
  readonly trace: string[] = [];
  /** True in a fifth of the histories: people give up volumes, and endpoints lose theirs when they are scaled down. */
  readonly renews: boolean;
  /** True in a sixth of the histories: people give Nodes the keys of others, and delete Nodes without their objects. */
  readonly moves: boolean;
  /** Addresses that an operator has stopped, until they serve again. */
  readonly #stopped = new Set<string>();
  /**
   * Addresses that a drain has stopped, with the evicted pod, until another one serves: known to Kubernetes at once, to
   * an operator later.
   */
  readonly #drained = new Map<string, string>();
  /** Time at which a Node was last not to run. */
  readonly #unwantedAt = new Map<string, number>();
  readonly #random: () => number;
  readonly #authorities: Authorities;
  #operator: SimulatedOperator;
  /** The genesis that an operator made. */
  #genesis: string | undefined;
  #polledAt = 0;
  #keys = 0;

  constructor(seed: number, authorities: Authorities) {
    this.#random = seededRandom(seed);
    this.#authorities = authorities;
    const clocks = { random: this.#random, now: () => this.now };
    this.kubernetes = new Kubernetes(this.api, this.chain, clocks);
    this.kubernetes.onStart = (pod) => this.#checkSigner(pod);
    this.renews = seed % 5 === 0;
    this.moves = seed % 6 === 3;
    const whenScaled = this.renews ? "Delete" : "Retain";
    this.scene = setScene(this.api, { random: this.#random, createKey: () => this.createKey(), whenScaled });
    for (let machine = 0; machine < 3 + Math.floor(this.#random() * 4); machine++)
      this.chain.machines.set(`machine-${machine}`, "up");
    this.people = new People(this, this.#random);
    this.#operator = this.#startOperator();
  }

  /** Creates a private key that no other history has by chance. */
  createKey(): string {
    const digits = Math.floor(this.#random() * 2 ** 32).toString(16);
    return `${"1".repeat(40)}${(++this.#keys).toString(16).padStart(8, "0")}${digits.padStart(16, "0")}`;
  }

  /** Plays `steps` steps, and then lets all become ready. */
  async play(steps: number): Promise<void> {
    if (this.#random() < 0.8) await this.#settle("start");
    if (this.#random() < 0.8) this.#pass(150_000 * this.#random());
    for (let step = 0; step < steps; step++) await this.#step();
    heal(this);
    this.#operator = this.#startOperator(1e9);
    await this.#settle("end");
  }

  /** Evicts a pod as a drain does. One that is not ready is always let go, and is missing already for all that is known. */
  evict(pod: Stored): void {
    const process = this.chain.processes.get(pod.metadata.uid);
    const council = this.chain.main?.council ?? [];
    const wasReady = process !== undefined && isReady(pod) && this.chain.isServing(process.address);
    const isLimited = this.#hasBudget(pod.metadata.namespace);
    const isOrphan = this.api.find("Node", process?.member.replace(/-m\d+$/, "") ?? "") === undefined;
    if (!this.kubernetes.evict(pod) || !wasReady || !isLimited || council.length < 4 || isOrphan) return;
    this.note(`drain ${process.member}`);
    this.#judge(process, { restart: false, action: "a drain", drained: pod.metadata.uid });
  }

  /**
   * False where nothing limits drains: no operator has written the council of the Network yet, and a budget with it, or
   * the Network was deleted before.
   */
  #hasBudget(namespace: string): boolean {
    const isIn = ({ metadata }: Stored): boolean => metadata.namespace === namespace;
    const isWritten = this.api
      .list("Network")
      .some((each) => isIn(each) && statusOf(each).council !== undefined);
    return isWritten || this.api.list("PodDisruptionBudget").some(isIn);
  }

  note(text: string): void {
    this.trace.push(`${Math.round((this.now - EPOCH) / 1_000)}s ${text}`);
    if (this.trace.length > 60) this.trace.shift();
  }

  async #step(): Promise<void> {
    const chance = this.#random();
    if (this.#operator.hasEnded) this.#operator = this.#startOperator();
    if (chance < 0.4) await this.#reconcileSome();
    else if (chance < 0.5) this.#operator.watch();
    else if (chance < 0.75) for (let act = 0; act < 4; act++) this.kubernetes.step();
    else if (chance < 0.86) this.#letPeopleAct();
    else this.#pass(this.#random() < 0.25 ? 180_000 * this.#random() : 6_000 * this.#random());
  }

  /** People act once. A suspension that they take back at once is a cause all the same. */
  #letPeopleAct(): void {
    this.people.act();
    this.#noteWanted();
  }

  async #reconcileSome(): Promise<void> {
    const { keys } = this.#operator;
    const some = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => {
      return keys[Math.floor(this.#random() * keys.length)];
    });
    await Promise.all(some.map(async (each) => each && this.#operator.reconcile(each.kind, each.key)));
  }

  #startOperator(life = 5 + Math.floor(this.#random() ** 2 * 400)): SimulatedOperator {
    this.note("another operator");
    const { api, chain } = this;
    const random = this.#random;
    const isCalm = life >= 1e9;
    return new SimulatedOperator(
      {
        api,
        chain,
        random,
        now: () => this.now,
        clock: () => this.now + this.skew,
        authorities: this.#authorities,
        createKey: () => this.createKey(),
        interrupt: () => {
          if (isCalm) return;
          if (random() < 0.3) this.kubernetes.step();
          if (random() < 0.02) this.#letPeopleAct();
          if (random() < 0.1) this.#pass(1_000 * random());
        },
        onWrite: (before, after) => {
          this.#judgeIdentity(before, after);
          this.#judgeStop(before, after);
        },
      },
      life,
    );
  }

  #pass(milliseconds: number): void {
    for (let left = milliseconds; left > 0; left -= POLL_MS) {
      const part = Math.min(left, POLL_MS);
      this.now += part;
      this.chain.pass(part, this.now);
      if (this.chain.branches.size > 1) this.fail("another chain began");
      this.kubernetes.reportPods();
      this.#operator.keepUp();
      for (const address of this.#stopped) if (this.chain.isServing(address)) this.#stopped.delete(address);
      for (const [address, pod] of this.#drained)
        if (!this.chain.processes.has(pod) && this.chain.isServing(address)) this.#drained.delete(address);
      this.#noteWanted();
      if (this.now - this.#polledAt < POLL_MS) continue;
      this.#polledAt = this.now;
      this.#operator.poll();
    }
  }

  #noteWanted(): void {
    const present = new Set<string>();
    const absent = new Set(this.scene.nodeKeys);
    for (const node of this.api.list("Node")) {
      const key = `${node.metadata.namespace}/${node.metadata.name}`;
      const isWanted = node.metadata.deletionTimestamp === undefined && !isSuspended(node);
      (isWanted ? present : absent).add(key);
    }
    for (const key of absent) if (!present.has(key)) this.#unwantedAt.set(key, this.now);
  }

  /** No two running processes have one address. */
  #checkSigner(pod: string): void {
    const process = this.chain.processes.get(pod);
    if (process !== undefined) this.chain.upSince.delete(process.address); // it was down, if for a moment
    const same = [...this.chain.processes.values()].filter(({ address }) => address === process?.address);
    this.note(`${process?.member} starts as ${process?.address.slice(0, 8)} on ${process?.machine}`);
    if (same.length > 1) this.fail(`${same.map(({ member }) => member).join(" and ")} sign with one address`);
  }

  /** An operator makes one genesis, and one key for each recorded address. */
  #judgeIdentity(before: Stored | undefined, after: Stored | undefined): void {
    if (after === undefined || before !== undefined) return;
    const offence =
      identityOffence(this.api, after, this.#genesis) ?? chainOffence(this.api, this.chain, after);
    if (offence !== undefined) this.fail(offence);
    const { "genesis.json": text } = (after["data"] ?? {}) as Readonly<Record<string, string>>;
    if (after.kind === "ConfigMap") this.#genesis ??= text;
  }

  /** Judges a write of an operator that ends or recreates the pod of a validator. */
  #judgeStop(before: Stored | undefined, after: Stored | undefined): void {
    const key = before && `${before.metadata.namespace}/${before.metadata.name}`;
    const pod = this.api.find("Pod", `${key}-0`);
    const action = before && actionOf(before, after, pod);
    if (key === undefined || action === undefined) return;
    this.note(`the operator ${action} ${key}`);
    const process = pod && this.chain.processes.get(pod.metadata.uid);
    if (process === undefined || !this.#isCaused(key, action) || this.#isPermitted("Node", key)) return;
    if (this.#isEnding(pod, action)) return;
    this.#judge(process, { restart: action === "recreates", action: `the operator ${action}` });
  }

  /** True for a pod that ends in any case: it is recreated, and does not come back while its key is lost. */
  #isEnding(pod: Stored | undefined, action: "ends" | "recreates"): boolean {
    if (pod?.metadata.deletionTimestamp === undefined) return false;
    return action === "recreates" || this.people.touchesIdentity;
  }

  /** True for an action that a person asked for; false for the end of a pod whose identity is lost or in use. */
  #isCaused(key: string, action: "ends" | "recreates"): boolean {
    this.#noteWanted();
    const unwantedAt = this.#unwantedAt.get(key.replace(/-m\d+$/, "")) ?? 0;
    if (action === "recreates" || this.now - unwantedAt < KNOWN_MS) return true;
    if (this.people.renewed.has(key)) return true;
    if (!this.people.touchesIdentity && !key.startsWith("demo/endpoint"))
      this.fail(`${key} is ended without a cause`);
    return false;
  }

  /** Others that are known to be missing, or that an operator has stopped, leave room for one more. */
  #judge({ address, member }: Process, { restart, action, drained }: Stop): void {
    const council = this.chain.main?.council ?? [];
    if (!this.#isKnownMember(address)) return;
    const others = council.filter((each) => each !== address);
    const missing = others.filter((each) => this.#isMissing(each, drained !== undefined));
    const most = Math.floor((council.length - 1) / 3);
    const room = restart ? Math.max(1, most) : most;
    const isWholeStop = !restart && !others.some((each) => this.#isWanted(each));
    if (missing.length + 1 > room && !isWholeStop)
      this.fail(
        `${action} of ${member}: ${missing.length} of ${council.length} validators are missing already`,
      );
    if (drained === undefined) this.#stopped.add(address);
    else this.#drained.set(address, drained);
  }

  /** True while the validators are in several namespaces. */
  #isSpread(): boolean {
    return new Set(this.scene.nodeKeys.map((key) => key.split("/")[0])).size > 1;
  }

  /** True for a validator that serves, and for so long that an operator knows it. */
  #isKnownMember(address: string): boolean {
    const { main, councilAt, upSince } = this.chain;
    const isKnownUp = this.now - (upSince.get(address) ?? this.now) > SEEN_MS;
    const isKnown = isKnownUp && this.now - councilAt >= KNOWN_MS;
    return isKnown && main?.council.includes(address) === true && this.chain.isServing(address);
  }

  /** True for a validator that is down, or is to end, as far as an operator, or Kubernetes at a drain, must know. */
  #isMissing(address: string, isDrain: boolean): boolean {
    const since = this.chain.downSince.get(address);
    if (isDrain && this.#drained.has(address)) return true;
    if (isDrain && this.#isSpread()) return false; // each namespace has a budget of its own, written by its operator
    return since !== undefined && (this.#stopped.has(address) || this.now - since > KNOWN_MS);
  }

  /** True for a validator whose Node was to run for so long that an operator must know. */
  #isWanted(address: string): boolean {
    return this.api.list("Node").some((node) => {
      const key = `${node.metadata.namespace}/${node.metadata.name}`;
      const { address: own } = statusOf(node);
      const since = this.#unwantedAt.get(key) ?? Date.parse(node.metadata.creationTimestamp);
      return own === address && this.now - since > KNOWN_MS;
    });
  }

  #isPermitted(kind: "Node" | "Network", key: string): boolean {
    return this.api.find(kind, key)?.metadata.annotations?.[annotations.allowChainStop] !== undefined;
  }

  /** Lets controllers and the operator act until all is ready. */
  async #settle(when: "start" | "end"): Promise<void> {
    const operator = when === "end" ? this.#operator : this.#startOperator(1e9);
    this.#operator = operator;
    const until = this.now + PATIENCE_MS;
    while (this.now < until) {
      if (when === "end") keepWhole(this);
      for (let turn = 0; turn < 3; turn++) this.kubernetes.stepAll();
      this.#pass(5_000);
      operator.keepUp(0);
      operator.poll();
      for (const { kind, key } of operator.keys) await operator.reconcile(kind, key);
      operator.keepUp(0);
      if (this.unready().length === 0) return;
      if (this.now > until - PATIENCE_MS + 600_000) this.#pass(55_000); // what takes long
    }
    this.fail(`not ready at the ${when}: ${this.unready().join("; ")}`);
  }

  /** Lists the Nodes and Networks that are not ready, with their reasons. */
  unready(): readonly string[] {
    return [...this.api.list("Node"), ...this.api.list("Network")].flatMap((object) => {
      const { conditions = [] } = statusOf(object);
      const ready = conditions.find(({ type }) => type === "Ready");
      const { kind, metadata } = object;
      if (ready?.status === "True") return [];
      return [`${kind} ${metadata.namespace}/${metadata.name} ${ready?.reason}: ${ready?.message}`];
    });
  }

  /** Throws with the latest acts. */
  fail(text: string): never {
    throw new Error(`${text}\n${this.trace.join("\n")}`);
  }
}

/** The end of a validator's pod, for the judgement of it. */
interface Stop {
  readonly restart: boolean;
  readonly action: string;
  /** Uid of a pod that a drain evicts. */
  readonly drained?: string;
}

interface SetSpec {
  readonly replicas: number;
  readonly template: unknown;
}

/** Returns the effect of a write of a StatefulSet on its pod; undefined for none. */
function actionOf(
  before: Stored,
  after: Stored | undefined,
  pod: Stored | undefined,
): "ends" | "recreates" | undefined {
  if (before.kind !== "StatefulSet" || before["spec"] === after?.["spec"]) return undefined;
  const was = before["spec"] as SetSpec;
  const is = after?.["spec"] as SetSpec | undefined;
  if (was.replicas === 0) return undefined; // its pod, if it still has one, is ending already
  if (is === undefined || was.replicas > is.replicas) return "ends";
  return pod?.["revision"] === JSON.stringify(is.template) ? undefined : "recreates";
}
