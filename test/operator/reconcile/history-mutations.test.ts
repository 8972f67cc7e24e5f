/**
 * The random histories find each protection of the operator that is taken away: a history fails with the words of the
 * rule that it breaks. The searches start at seeds that fail today.
 */
import { registerHooks } from "node:module";
import { afterAll, expect, test } from "@jest/globals";
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import { pod } from "../../../operator/api/names.ts";
import { createAuthority } from "../../../operator/control/authority.ts";
import type { KeyPlan, KeyView } from "../../../operator/plan/node-key.ts";
import type { Signer } from "../../../operator/plan/signer.ts";
import type { History } from "../../support/cluster/history.ts";

const STEPS = 120;
/** Histories that are searched for the failure. */
const MAX_HISTORIES = 400;

type Histories = { readonly History: typeof History };
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
    seed: 13,
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
    protection: "a StatefulSet with the key of a Node that is gone is waited for",
    module: "../../../operator/plan/signer.ts",
    exports: ({ signerTrouble }) => ({
      signerTrouble: (own: never, others: readonly Signer[], address: never) =>
        signerTrouble?.(own, others.filter(({ kind }) => kind !== "set") as never, address),
    }),
    seed: 543,
    failure: /sign with one address/,
  },
  {
    protection: "the council keeps its quorum",
    module: "../../../operator/reconcile/council.ts",
    exports: () => ({ limitingCouncils: () => [] }),
    seed: 11,
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
    seed: 216,
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

/** Query of the modules that are loaded for a mutation, which gives its place in the list. */
const QUERY = "mutation";
const changes = new Map<string, object>();
(globalThis as Record<symbol, unknown>)[Symbol.for("knit.test.mutations")] = changes;

/** Loads the module of a mutation, and all that import it, once more: with the exports in place of those of the module. */
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const place = context.parentURL === undefined ? null : placeOf(context.parentURL);
    const isOurs = resolved.url.startsWith("file:") && !resolved.url.includes("/node_modules/");
    return place === null || !isOurs ? resolved : { ...resolved, url: `${resolved.url}?${QUERY}=${place}` };
  },
  load(url, context, next) {
    const exported = changes.get(url);
    if (exported === undefined) return next(url, context);
    const lines = Object.keys(exported).map(
      (name) => `export const ${name} = changed[${JSON.stringify(name)}];`,
    );
    const source = [
      `const changed = globalThis[Symbol.for("knit.test.mutations")].get(${JSON.stringify(url)});`,
      ...lines,
    ].join("\n");
    return { format: "module", source, shortCircuit: true };
  },
});
afterAll(() => hooks.deregister());

function placeOf(url: string): string | null {
  return url.startsWith("file:") ? new URL(url).searchParams.get(QUERY) : null;
}

/** Imports the histories with an operator that has a mutation. */
async function importHistories(place: number, { module, exports }: Mutation): Promise<Histories> {
  const real = (await import(module)) as Exports;
  const query = `?${QUERY}=${place}`;
  changes.set(new URL(`${module}${query}`, import.meta.url).href, { ...real, ...exports(real) });
  return (await import(`../../support/cluster/history.ts${query}`)) as Histories;
}

test.each(mutations.map((mutation, place) => ({ ...mutation, place })))(
  "without this a history fails: $protection",
  async ({ place, seed, failure, ...mutation }) => {
    const { History } = await importHistories(place, { ...mutation, seed, failure });
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
