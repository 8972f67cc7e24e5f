/** Objects as they are held: what is looked at is all there, and what is not takes no room. */
import { expect, test } from "@jest/globals";
import { createObjectPacker } from "../../../operator/kube/cached-object.ts";

const hold = createObjectPacker();
const LONG = "x".repeat(1_000);
const metadata = {
  name: "a",
  namespace: "n",
  uid: "u",
  resourceVersion: "7",
  labels: { "knit.dev/node": "a", "app.kubernetes.io/name": "knit" },
  annotations: { "knit.dev/applied": "d", "knit.dev/template": LONG, other: "o" },
};

test("an object is held whole, and beside it the short labels and annotations of the operator's group", () => {
  const object = { metadata, spec: { list: [1, { deep: null }] } };
  const { meta, object: held } = hold(object);
  expect(held).toEqual(object);
  expect(meta).toMatchObject({ name: "a", uid: "u", resourceVersion: "7", deleted: false });
  expect([meta.labels, meta.annotations]).toEqual([{ "knit.dev/node": "a" }, { "knit.dev/applied": "d" }]);
});

test("objects like and unlike the first of their kind, short and long, are held as they were", () => {
  const holdOne = createObjectPacker();
  const texts = ["", "\u0000é漢🙂", LONG, "y".repeat(100_000), LONG];
  const objects = texts.map((text, index) => ({
    metadata: { ...metadata, name: `n${index}` },
    data: { text },
  }));
  const held = objects.map(holdOne);
  expect(held.map(({ object }) => object)).toEqual(objects);
});

test.each([
  [["kubectl", "knit-operator"], [{ manager: "knit-operator" }]],
  [["kubectl"], []],
])("of who wrote which fields, %j, only whether the operator wrote any is held", (managers, held) => {
  const managedFields = managers.map((manager) => ({ manager, fieldsV1: { "f:spec": {} } }));
  expect(hold({ metadata: { ...metadata, managedFields } }).object).toEqual({
    metadata: { ...metadata, managedFields: held },
  });
});
