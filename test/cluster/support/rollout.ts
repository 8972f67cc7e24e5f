/** Watches a rollout in the namespace `demo`: how many are replaced at once, until all have what is asked for. */
import { type Cluster, eventually } from "./cluster.ts";

/** Events in the namespace `demo`, as a JSONPath shows them. */
export function eventsOf(cluster: Cluster, selector: string, path: string): Promise<string> {
  return cluster.kubectl([
    "-n",
    "demo",
    "get",
    "events",
    `--field-selector=${selector}`,
    "-o",
    `jsonpath=${path}`,
  ]);
}

/** The change to make, and the work beside it. */
export interface RolloutOptions {
  /** Asks for what every member is then replaced for. */
  readonly change: () => Promise<unknown>;
  /** Looked at once all have it. */
  readonly isWell: () => Promise<boolean>;
  /** Called once for each member whose turn is seen. */
  readonly onTurn?: (member: string) => Promise<unknown>;
  readonly seconds?: number;
}

/** Asks for it and waits for the end. Gives how many members were replaced at once at most. */
export async function rollOut(
  cluster: Cluster,
  { change, isWell, onTurn, seconds = 240 }: RolloutOptions,
): Promise<number> {
  const before = await digests(cluster);
  await change();
  let most = 0;
  const turns = new Set<string>();
  const look = async (): Promise<true | undefined> => {
    const path = "jsonpath={.items[*].status.rollout.member}";
    const rolling = (await cluster.kubectl(["-n", "demo", "get", "kn", "-o", path]))
      .split(" ")
      .filter(Boolean);
    most = Math.max(most, rolling.length);
    for (const member of rolling.filter((each) => !turns.has(each))) {
      turns.add(member);
      await onTurn?.(member);
    }
    const isTaken = (await digests(cluster)).every((digest, index) => digest !== before[index]);
    return isTaken && rolling.length === 0 && (await isWell()) ? true : undefined;
  };
  await eventually("all to have it", look, seconds);
  return most;
}

/** Patches the specs of Nodes. */
export async function patchNodes(cluster: Cluster, names: readonly string[], spec: object): Promise<void> {
  const patch = JSON.stringify({ spec });
  for (const name of names)
    await cluster.kubectl(["-n", "demo", "patch", "kn", name, "--type=merge", "-p", patch]);
}

async function digests(cluster: Cluster): Promise<readonly string[]> {
  const path = "{.items[*].spec.template.metadata.annotations.knit\\.dev/settings}";
  return (await cluster.kubectl(["-n", "demo", "get", "sts", "-o", `jsonpath=${path}`])).split(" ");
}
