/** The operator as a process on a control plane of its own, for all tests of a block. */
import { afterAll, beforeAll, describe } from "@jest/globals";
import { type Cluster, type ClusterOptions, openCluster, whyNoCluster } from "./cluster.ts";
import { applyChart, type OperatorProcess, startOperator } from "./operator-process.ts";

/** Cluster and operator of the tests; set once they run. */
export interface Operated {
  readonly cluster: Cluster;
  /** Running operator; a test that ends it sets the next one. */
  operator: OperatorProcess;
  /** Output of `kubectl` in the namespace `demo`. */
  demo(...args: string[]): Promise<string>;
}

/** Objects that exist before the operator. */
export interface OperatedOptions {
  /** `demo` when absent. */
  readonly namespaces?: readonly string[];
  /** Flags for the chart. */
  readonly flags?: readonly string[];
  /** Options of the control plane. */
  readonly control?: ClusterOptions;
  readonly prepare?: (cluster: Cluster) => Promise<void>;
}

/** A block of tests; where there can be no control plane it is skipped, and its name says why. */
export function aboutOperator(
  name: string,
  { namespaces = ["demo"], flags = [], control = {}, prepare }: OperatedOptions,
  tests: (on: Operated) => void,
): void {
  const missing = whyNoCluster();
  const about = missing === undefined ? describe : describe.skip;
  about(`${name}${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
    const open: { cluster?: Cluster; operator?: OperatorProcess } = {};

    beforeAll(async () => {
      const cluster = await openCluster(control);
      open.cluster = cluster;
      await prepare?.(cluster);
      for (const namespace of namespaces) await cluster.kubectl(["create", "namespace", namespace]);
      await applyChart(cluster, ...flags);
      open.operator = await startOperator(cluster);
    }, 900_000);

    afterAll(async () => {
      await open.operator?.[Symbol.asyncDispose]();
      await open.cluster?.[Symbol.asyncDispose]();
    }, 60_000);

    tests({
      get cluster() {
        return there(open.cluster);
      },
      get operator() {
        return there(open.operator);
      },
      set operator(next) {
        open.operator = next;
      },
      demo: (...args) => there(open.cluster).kubectl(["-n", "demo", ...args]),
    });
  });
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the cluster is not open before the tests run");
  return value;
}
