/** Watches a rollout of the example network: how many are replaced at once, until all have what is asked for. */
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

/** Patches the Nodes' specs and waits for the end. Gives how many members were replaced at once at most. */
export async function rollOut(
  cluster: Cluster,
  names: readonly string[],
  { spec, isWell }: { readonly spec: object; readonly isWell: () => Promise<boolean> },
): Promise<number> {
  const before = await digests(cluster);
  for (const name of names)
    await cluster.kubectl([
      "-n",
      "demo",
      "patch",
      "kn",
      name,
      "--type=merge",
      "-p",
      JSON.stringify({ spec }),
    ]);
  let most = 0;
  const look = async (): Promise<true | undefined> => {
    const path = "jsonpath={.items[*].status.rollout.member}";
    const rolling = (await cluster.kubectl(["-n", "demo", "get", "kn", "-o", path]))
      .split(" ")
      .filter(Boolean);
    most = Math.max(most, rolling.length);
    const isTaken = (await digests(cluster)).every((digest, index) => digest !== before[index]);
    return isTaken && rolling.length === 0 && (await isWell()) ? true : undefined;
  };
  await eventually("all to have it", look, 240);
  return most;
}

async function digests(cluster: Cluster): Promise<readonly string[]> {
  const path = "{.items[*].spec.template.metadata.annotations.knit\\.dev/settings}";
  return (await cluster.kubectl(["-n", "demo", "get", "sts", "-o", `jsonpath=${path}`])).split(" ");
}
