/**
 * The random histories find each protection of the operator that is taken away: a history fails with the words of the
 * rule that it breaks. The searches start at seeds that fail today.
 */
import { beforeEach, expect, jest, test } from "@jest/globals";
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import { pod } from "../../../operator/api/names.ts";
import { createAuthority } from "../../../operator/control/authority.ts";
import type { KeyPlan, KeyView } from "../../../operator/plan/node-key.ts";

const STEPS = 120;
/** Histories that are searched for the failure. */
const MAX_HISTORIES = 400;

type Exports = Readonly<Record<string, (...values: never[]) => unknown>>;

interface Mutation {
  readonly protection: string;
  readonly module: string;
  /** Exports in place of those of the module. */
  readonly exports: (real: Exports) => object;
  readonly seed: number;
  /** Message of the history that fails. */
  readonly failure: RegExp;
}

const mutations: readonly Mutation[] = [
  {
    protection: "a recorded key is not replaced",
    module: "../../../operator/plan/node-key.ts",
    exports: () => ({ planKey: ({ found }: KeyView): KeyPlan => (found === undefined ? "make" : "use") }),
    seed: 7,
    failure: /gets a second key|sign with one address/,
  },
  {
    protection: "a node refuses a key of another address than the operator has seen",
    module: "../../../operator/build/stateful-set.ts",
    exports: ({ podTemplate }) => ({
      podTemplate: (...given: never[]) => withoutAddress(podTemplate?.(...given) as V1PodTemplateSpec),
    }),
    seed: 424,
    failure: /sign with one address/,
  },
  {
    protection: "one Node of those with a key gets a pod",
    module: "../../../operator/plan/signer.ts",
    exports: () => ({ signerTrouble: () => undefined }),
    seed: 1,
    failure: /sign with one address/,
  },
  {
    protection: "the council keeps its quorum",
    module: "../../../operator/reconcile/council.ts",
    exports: () => ({ limitingCouncils: () => [] }),
    seed: 6,
    failure: /validators are missing already/,
  },
  {
    protection: "a drain leaves a quorum",
    module: "../../../operator/build/disruption-budgets.ts",
    exports: ({ validatorBudget }) => ({
      validatorBudget: (network: never, given: object) =>
        validatorBudget?.(network, { ...given, minAvailable: 0 } as never),
    }),
    seed: 16,
    failure: /a drain of .* validators are missing already/,
  },
  {
    protection: "a recorded genesis is not made again",
    module: "../../../operator/plan/genesis.ts",
    exports: () => ({
      planGenesis: ({ found }: { readonly found: unknown }) => ({ do: found === undefined ? "make" : "use" }),
    }),
    seed: 8,
    failure: /another genesis is written|another chain began/,
  },
  {
    protection: "a sole validator with a lost claim stops and asks",
    module: "../../../operator/plan/chain-loss.ts",
    exports: () => ({ lossTrouble: () => undefined }),
    seed: 96,
    failure: /nobody has the chain|another chain began/,
  },
  {
    protection: "a volume is given up only while others have the chain and the council goes on",
    module: "../../../operator/plan/renewal.ts",
    exports: () => ({ renewalTrouble: () => undefined }),
    seed: 215,
    failure: /validators are missing already|another chain began|nobody has the chain/,
  },
];

function withoutAddress(template: V1PodTemplateSpec): V1PodTemplateSpec {
  for (const container of template.spec?.containers ?? [])
    container.env = (container.env ?? []).filter(({ name }) => name !== pod.addressVariable);
  return template;
}

beforeEach(() => {
  jest.resetModules();
});

test.each(mutations)(
  "without this a history fails: $protection",
  async ({ module, exports, seed, failure }) => {
    const real = (await import(module)) as Exports;
    jest.resetModules();
    jest.unstable_mockModule(module, () => ({ ...real, ...exports(real) }));
    const { History } = await import("../../support/cluster/history.ts");
    jest.unstable_unmockModule(module);
    const current = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
    const failures: string[] = [];
    for (let each = seed; each < seed + MAX_HISTORIES && failures.length === 0; each++) {
      const history = new History(each, { current, next: undefined, previous: undefined });
      await history.play(STEPS).catch((error: unknown) => failures.push(`${each}: ${String(error)}`));
    }
    expect(failures.join("")).toMatch(failure);
  },
  600_000,
);
