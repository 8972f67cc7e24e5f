/** Bills of materials: the packages of one program alone, resolved as Node.js does. */
import { expect, test } from "@jest/globals";
import { surplusPackages } from "../../scripts/keep-packages.ts";
import { billOf, closureOf, importedPackages, type LockedPackages, readLock } from "../../scripts/sbom.ts";

const LOCK: LockedPackages = {
  "": { version: "1.0.0" },
  "node_modules/a": { version: "1.0.0", dependencies: { b: "2", "@s/c": "1" }, license: "MIT" },
  "node_modules/a/node_modules/b": { version: "2.0.0", optionalDependencies: { absent: "1" } },
  "node_modules/b": { version: "1.0.0" },
  "node_modules/@s/c": { version: "1.0.0", dependencies: { a: "1", b: "1" } },
  "node_modules/unused": { version: "1.0.0" },
};

test("a package is the one beside its user, else the one above; circles end", () => {
  expect(Object.fromEntries(closureOf(LOCK, ["a"]))).toEqual({
    "node_modules/a": ["node_modules/a/node_modules/b", "node_modules/@s/c"],
    "node_modules/a/node_modules/b": [],
    "node_modules/@s/c": ["node_modules/a", "node_modules/b"],
    "node_modules/b": [],
  });
});

interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly licenses: readonly unknown[];
    readonly hashes: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const bill = (program: string) => billOf(program, readLock(), importedPackages(program)) as Bill;

test.each([
  ["node", "classic-level", "@kubernetes/client-node"],
  ["node", "secp256k1", "@kubernetes/client-node"],
  ["node", "@chainsafe/blst-linux-x64-gnu", "@kubernetes/client-node"],
  ["operator", "@kubernetes/client-node", "classic-level"],
])("the bill of %s has %s and not %s", (program, own, other) => {
  const { components, dependencies } = bill(program);
  const names = components.map(({ name }) => name);
  expect(names).toContain(own);
  expect(names).not.toContain(other);
  const refs = new Set(components.map(({ purl }) => purl));
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
  expect(components.filter(({ licenses }) => licenses.length === 0).map(({ name }) => name)).toEqual([]);
  expect(components.every(({ hashes: [hash] }) => hash?.content.length === 128)).toBe(true);
});

test("the image of a program leaves out the packages of the other and their inner ones", () => {
  expect(surplusPackages(LOCK, ["b"])).toEqual([
    "node_modules/a",
    "node_modules/@s/c",
    "node_modules/unused",
  ]);
  const node = surplusPackages(readLock(), importedPackages("node"));
  expect(node).toContain("node_modules/@kubernetes/client-node");
  expect(node).not.toContain("node_modules/classic-level");
});
