/** Rights that the chart gives the operator, and those that the audit log shows in use. */
import { parseAllDocuments } from "yaml";
import type { AuditEntry } from "./cluster.ts";
import { OPERATOR_NAMESPACE } from "./operator-process.ts";

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

/** A role of the chart. */
export interface Role {
  readonly kind: "Role" | "ClusterRole";
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly rules: readonly Rule[];
}

/** The roles among the chart's objects. */
export function rolesOf(chart: string): readonly Role[] {
  return parseAllDocuments(chart)
    .map((document) => document.toJS() as Role | null)
    .filter((each): each is Role => each?.kind === "Role" || each?.kind === "ClusterRole");
}

/** True for a role of the operator, and not one that is aggregated to the roles of users. */
export function isOfOperator({ metadata }: Role): boolean {
  return Object.keys(metadata.labels ?? {}).every((label) => !label.includes("aggregate-to"));
}

/** Rights of a role, a line for each verb on each resource. */
export function rightsOf({ rules }: Role): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs = [] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
    ),
  );
}

/** The rights of the role that is the operator's own, or of the other one, that nobody used. */
export function unusedRights(role: Role, entries: readonly AuditEntry[]): readonly string[] {
  const ofOwnRole = role.kind === "Role" && role.metadata.namespace === OPERATOR_NAMESPACE;
  const used = new Set(entries.filter((entry) => isOfOwn(entry) === ofOwnRole).flatMap(usedBy));
  return rightsOf(role).filter((right) => !used.has(right));
}

function isOfOwn({ objectRef }: AuditEntry): boolean {
  return objectRef?.namespace === OPERATOR_NAMESPACE;
}

/** An apply that makes an object needs the right to create it as well. */
function usedBy({ verb, objectRef, responseStatus }: AuditEntry): readonly string[] {
  if (objectRef?.resource === undefined) return [];
  const { apiGroup = "", resource, subresource } = objectRef;
  const what = `${apiGroup}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
  const isMade = verb === "patch" && responseStatus?.code === 201;
  return [`${verb} ${what}`, ...(isMade ? [`create ${what}`] : [])];
}
