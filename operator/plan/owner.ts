/** The operator of a Node, recorded in an annotation. */
import { annotations } from "../api/names.ts";
import type { ObjectMeta } from "../api/resource.ts";

/** True for a Node of another operator. */
export function isForeign(
  { annotations: given }: Pick<ObjectMeta, "annotations">,
  operator: string,
): boolean {
  const owner = given[annotations.operator];
  return owner !== undefined && owner !== "" && owner !== operator;
}
