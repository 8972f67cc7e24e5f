/** Tests of the builders of schemas: members, names, and schemas that contain themselves. */
import { expect, test } from "@jest/globals";
import {
  arraySchema,
  namedSchema,
  plainSchemas,
  recordSchema,
  referencedSchemas,
} from "../../../node/jsonrpc/schemas.ts";

const { text, integer } = plainSchemas;

test("a member whose key ends with a question mark may be absent, and there are no others", () => {
  expect(recordSchema({ name: text, "age?": integer })).toEqual({
    type: "object",
    properties: { name: text, age: integer },
    required: ["name"],
    additionalProperties: false,
  });
});

test("named schemas are found through one another, once each and in the order of their names", () => {
  const tree = namedSchema("tree", (self) => recordSchema({ "leaf?": leaf, children: arraySchema(self) }));
  const leaf = namedSchema("leaf", () => text);
  const found = referencedSchemas({ a: [tree], b: { c: tree }, d: leaf, e: null });
  expect(Object.keys(found)).toEqual(["leaf", "tree"]);
  expect(found["tree"]).toEqual({
    type: "object",
    properties: {
      leaf: { $ref: "#/components/schemas/leaf" },
      children: { type: "array", items: { $ref: "#/components/schemas/tree" } },
    },
    required: ["children"],
    additionalProperties: false,
  });
  expect(referencedSchemas({ a: text })).toEqual({});
});

test("a schema is built when it is needed", () => {
  const late = namedSchema("late", () => {
    throw new Error("too early");
  });
  expect(late).toEqual({ $ref: "#/components/schemas/late" });
  expect(() => referencedSchemas(late)).toThrow("too early");
});

test("two schemas with one name are refused", () => {
  const [first, second] = [namedSchema("same", () => text), namedSchema("same", () => integer)];
  expect(() => referencedSchemas([first, second])).toThrow("two schemas have the name same");
});
