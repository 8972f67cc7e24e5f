/**
 * One signer per address through random histories: Nodes with one key come, go, are suspended and looked at by operators
 * that end at any step, while the cluster makes and ends pods in its own time.
 */
import { expect, test } from "@jest/globals";
import { type KeyView, planKey } from "../../../operator/plan/node-key.ts";
import { type Signer, signerTrouble } from "../../../operator/plan/signer.ts";
import type { Stop } from "../../../operator/plan/stop.ts";
import { seededRandom } from "../../support/random.ts";

const HISTORIES = 2_000;
const STEPS = 60;
const ADDRESS = "0xaa";

/** A Node whose Secret holds the key, or another one, or is gone. */
interface Member {
  readonly key: string;
  readonly createdAt: number;
  suspended: boolean;
  isThere: boolean;
  recorded: string | undefined;
  secret: string | undefined;
  /** Replicas of the StatefulSet, and those that its controller has seen. */
  replicas: number;
  seen: number;
  /** Undefined: no pod. Otherwise the address that it runs with, and whether it is ending. */
  pod: { address: string | undefined; ending: boolean } | undefined;
}

function keyView({ key, recorded, secret, pod }: Member): KeyView {
  const runs = pod?.address === recorded ? "recorded" : "other";
  const isAllowed = false;
  return {
    node: key,
    secret: "key",
    recorded,
    found: secret,
    isAllowed,
    pod: pod === undefined ? "absent" : runs,
  };
}

function scale(member: Member, stop: Stop | undefined): void {
  if (stop?.pod === "stays") return;
  member.replicas = stop === undefined && !member.suspended ? 1 : 0;
}

class History {
  readonly members: Member[];
  readonly #random: () => number;
  /** Members that the present operator let start. */
  #started = new Set<string>();

  constructor(random: () => number) {
    this.#random = random;
    this.members = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, index) => ({
      key: `demo/${index}`,
      createdAt: Math.floor(random() * 2),
      suspended: false,
      isThere: true,
      recorded: undefined,
      secret: ADDRESS,
      replicas: 0,
      seen: 0,
      pod: undefined,
    }));
  }

  get signers(): readonly Member[] {
    return this.members.filter(({ pod }) => pod?.address === ADDRESS);
  }

  step(): void {
    const member = this.members[Math.floor(this.#random() * this.members.length)];
    if (member === undefined) return;
    const acts = [
      () => this.#reconcile(member),
      () => this.#reconcile(member),
      () => this.#controller(member),
      () => this.#controller(member),
      () => this.#people(member),
    ];
    if (this.#random() < 0.05) this.#started = new Set(); // another operator
    acts[Math.floor(this.#random() * acts.length)]?.();
  }

  /** Lets all go on until nothing changes, once people have put the key back and deleted pods with another one. */
  settle(): void {
    for (const member of this.members) {
      if (member.isThere) member.secret = member.recorded ?? ADDRESS;
      if (member.pod?.address !== member.recorded) member.pod = undefined; // told as `WrongNode`
    }
    for (let round = 0; round < 8; round++)
      for (const member of this.members) {
        this.#reconcile(member, true);
        for (let look = 0; look < 3; look++) this.#controller(member, true);
      }
  }

  /**
   * Nobody writes another Node's key into a Secret that a pod is about to read: that only the node itself could tell
   * before it signs.
   */
  #people(member: Member): void {
    const chance = this.#random();
    if (chance < 0.3) member.suspended = !member.suspended;
    else if (chance < 0.5) member.secret = undefined;
    else if (chance < 0.6) member.secret = "0xbb";
    else if (chance < 0.8) member.secret = member.recorded ?? ADDRESS;
    else if (member.isThere) this.#remove(member);
    else member.isThere = true;
  }

  /** The status goes with the Node, and its StatefulSet; its pod may stay for long. */
  #remove(member: Member): void {
    Object.assign(member, { isThere: false, recorded: undefined, replicas: 0 });
    this.#started.delete(member.key);
  }

  /** As the steps do it; the operator may end before it has written the StatefulSet or the status. */
  #reconcile(member: Member, isWhole = false): void {
    if (!member.isThere) return;
    const end = isWhole ? 3 : Math.floor(this.#random() * 4);
    const plan = planKey(keyView(member));
    if (plan === "make") return; // it is waited for
    const stop = plan === "use" ? this.#signerStop(member) : plan;
    if (end === 0) return;
    if (plan === "use") member.recorded = member.secret;
    if (end > 1) scale(member, stop);
  }

  #signerStop(member: Member) {
    if (member.suspended || member.secret !== ADDRESS) {
      this.#started.delete(member.key);
      return undefined;
    }
    const others = this.members.filter((each) => each !== member);
    const present = others.filter(
      (each) => each.isThere && (each.recorded === ADDRESS || this.#started.has(each.key)),
    );
    const counted = present
      .map((each) => this.#signer(each))
      .filter((each, index) => each.isRunning || present[index]?.suspended === false);
    const pods = others
      .filter(({ pod }) => pod?.address === ADDRESS)
      .map(({ key }): Signer => ({ key: `${key}-0`, kind: "pod", createdAt: 0, isRunning: true }));
    const own = this.#signer(member);
    const stop = signerTrouble(own, [...counted, ...(own.isRunning ? [] : pods)], ADDRESS);
    if (stop === undefined) this.#started.add(member.key);
    else this.#started.delete(member.key);
    return stop;
  }

  #signer({ key, createdAt, suspended, replicas, seen, pod }: Member): Signer {
    const isStarting = !suspended && this.#started.has(key);
    return {
      key,
      kind: "node",
      createdAt,
      isRunning: isStarting || pod !== undefined || replicas + seen > 0,
    };
  }

  /** The StatefulSet's controller and the kubelet, each in its own time. */
  #controller(member: Member, isPrompt = false): void {
    const { pod } = member;
    if (pod?.ending === true) {
      if (isPrompt || this.#random() < 0.5) member.pod = undefined;
      return;
    }
    if (member.seen !== member.replicas) {
      member.seen = member.replicas;
      return;
    }
    if (pod !== undefined && member.seen === 0) pod.ending = true;
    else if (pod === undefined && member.seen === 1 && member.secret !== undefined)
      member.pod = { address: member.secret, ending: false };
  }
}

test("no two pods ever sign with one address, and one does when one may", () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const history = new History(seededRandom(seed));
    for (let step = 0; step < STEPS; step++) {
      history.step();
      if (history.signers.length > 1) throw new Error(`seed ${seed}, step ${step}: two signers`);
    }
    history.settle();
    const may = history.members.some(
      ({ isThere, suspended, recorded }) => isThere && !suspended && recorded !== "0xbb",
    );
    if (history.signers.length !== (may ? 1 : 0))
      throw new Error(`seed ${seed}: ${history.signers.length} signers at the end`);
  }
  expect(HISTORIES).toBeGreaterThan(0);
});
