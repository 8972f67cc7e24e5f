/** The Nodes of the namespace `demo` on the one-node cluster: waits for what an operation or a change brings about. */
import { stringify } from "yaml";
import { type Cluster, eventually, eventuallyIs } from "./cluster.ts";
import { type Kn, type NetworkView, viewNetwork } from "./network-view.ts";

/** Maximum wait for one thing. */
const PATIENCE = 240;
const AT_REST: Readonly<Record<string, string>> = {
  Ready: "True",
  MaintenanceInProgress: "False",
  Progressing: "False",
};
const RESTARTS =
  "{.status.initContainerStatuses[*].restartCount} {.status.containerStatuses[*].restartCount}";
const POD_ROWS = `jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} ${RESTARTS}{"\\n"}{end}`;

/** The Nodes, and waits about them. */
export interface DemoNodes {
  readonly network: NetworkView;
  /** Output of `kubectl` in the namespace. */
  demo(...args: string[]): Promise<string>;
  /** A part of an object, by JSONPath; empty without the object. */
  field(object: string, path: string): Promise<string>;
  apply(objects: readonly object[]): Promise<string>;
  /** Names, identities and restarts of the nodes' pods, a line each. */
  pods(): Promise<string>;
  becomes(object: string, path: string, wanted: string): Promise<unknown>;
  /** Waits until all Nodes are ready, and nothing is changed or maintained. */
  atRest(): Promise<unknown>;
  /** Waits until the newest maintenance of a Node is this one, and has succeeded. */
  maintained(node: string, operation: string): Promise<unknown>;
  /** Requests maintenance, and waits for its end. */
  maintain(node: string, operation: string): Promise<void>;
  /** Notes the pod of a Node, to wait later for another one. */
  recreation(node: string): { note(): Promise<void>; wait(): Promise<void> };
}

function isAtRest({ metadata, status }: Kn): boolean {
  const { observedGeneration, conditions = [] } = status ?? {};
  const isReported = observedGeneration === metadata.generation;
  const holds = new Map(conditions.map(({ type, status: value }) => [type, value]));
  return isReported && Object.entries(AT_REST).every(([type, wanted]) => holds.get(type) === wanted);
}

function conditionsText({ metadata, status }: Kn): string {
  const texts = (status?.conditions ?? []).map(
    ({ type, status: holds, reason }) => `${type}=${holds} ${reason}`,
  );
  return `${metadata.name}: ${texts.join(", ")}`;
}

/** Formats objects as documents of YAML. */
export function yamlOf(objects: readonly object[]): string {
  return objects.map((each) => `---\n${stringify(each)}`).join("");
}

/** Looks at the namespace. */
export function demoNodes(cluster: Cluster): DemoNodes {
  const network = viewNetwork(cluster, "demo");
  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);
  const field = (object: string, path: string): Promise<string> =>
    demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);

  const atRest = (): Promise<unknown> =>
    eventuallyIs(
      "Nodes that are not at rest",
      async () =>
        (await network.nodes())
          .filter((node) => !isAtRest(node))
          .map(conditionsText)
          .join("; "),
      "",
      PATIENCE,
    );

  const maintained = (node: string, operation: string): Promise<unknown> =>
    eventuallyIs(
      `maintenance of ${node}`,
      () => field(`kn/${node}`, ".status.maintenance['operation','state']"),
      `${operation} Succeeded`,
      PATIENCE,
    );

  return {
    network,
    demo,
    field,
    apply: (objects) => cluster.kubectl(["-n", "demo", "apply", "-f", "-"], yamlOf(objects)),
    pods: () => demo("get", "pods", "-l", "app.kubernetes.io/name=knit", "-o", POD_ROWS),
    becomes: (object, path, wanted) =>
      eventuallyIs(`${path} of ${object}`, () => field(object, path), wanted, PATIENCE),
    atRest,
    maintained,
    async maintain(node, operation) {
      await demo("annotate", "kn", node, `knit.dev/run=${operation}`);
      await maintained(node, operation);
    },
    recreation(node) {
      let before = "";
      const uid = (): Promise<string> => field(`pod/${node}-0`, ".metadata.uid");
      return {
        async note() {
          before = await uid();
        },
        async wait() {
          await eventually(
            `another pod of ${node}`,
            async () => ((await uid()) === before ? undefined : true),
            PATIENCE,
          );
          await atRest();
        },
      };
    },
  };
}
