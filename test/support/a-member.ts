/** A Node and its members as builders take them. */
import { readNode } from "../../operator/api/resource.ts";
import { membersOf } from "../../operator/build/names.ts";

/** The other arguments of a member's pod template. */
export const PARTS = { nodeImage: "knit:1", gatewayImage: "operator:1", digest: "d", address: undefined };

/** Of the objects. */
export const META = { name: "first", namespace: "demo", uid: "u", resourceVersion: "1" };

/** A Node; an endpoint unless `spec` says otherwise. */
export function aNode(spec: object = {}) {
  return readNode({ metadata: META, spec: { type: "endpoint", network: { name: "n" }, ...spec } });
}

/** One of its members. */
export function aMember(spec: object = {}, index = 0) {
  const member = membersOf(aNode(spec))[index];
  if (member === undefined) throw new RangeError(`no member ${index}`);
  return member;
}
