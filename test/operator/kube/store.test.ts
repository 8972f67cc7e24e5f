/** Objects by key and by namespace agree, whatever comes and goes. */
import { expect, test } from "@jest/globals";
import { Store } from "../../../operator/kube/store.ts";

function anObject(namespace: string, value: number) {
  return { meta: { namespace }, value };
}

test("objects of a namespace are those that are there now", () => {
  const store = new Store<ReturnType<typeof anObject>>();
  for (const [index, key] of ["a/x", "a/y", "b/x"].entries())
    store.set(key, anObject(key.slice(0, 1), index));
  store.set("a/x", anObject("a", 9));
  store.delete("a/y");
  store.delete("a/nothing");
  const valuesOf = (namespace?: string): readonly number[] =>
    [...store.values(namespace)].map(({ value }) => value);
  expect([valuesOf(), valuesOf("a"), valuesOf("b"), valuesOf("c")]).toEqual([[9, 2], [9], [2], []]);
  store.delete("b/x");
  expect([store.size, valuesOf("b"), store.get("a/x")?.value]).toEqual([1, [], 9]);
});
