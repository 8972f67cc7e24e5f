/** Kinds of objects that the operator reads or writes, one row each. */

/** A kind and its API path. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** All kinds. */
export const kinds = {
  network: { apiVersion: "knit.dev/v1alpha1", kind: "Network", plural: "networks" },
  node: { apiVersion: "knit.dev/v1alpha1", kind: "Node", plural: "nodes" },
  statefulSet: { apiVersion: "apps/v1", kind: "StatefulSet", plural: "statefulsets" },
  pod: { apiVersion: "v1", kind: "Pod", plural: "pods" },
  service: { apiVersion: "v1", kind: "Service", plural: "services" },
  configMap: { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  secret: { apiVersion: "v1", kind: "Secret", plural: "secrets" },
  claim: { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims" },
  networkPolicy: { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", plural: "networkpolicies" },
  serviceAccount: { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  disruptionBudget: {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
  },
  serviceMonitor: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    plural: "servicemonitors",
  },
  ingress: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", plural: "ingresses" },
  httpRoute: { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", plural: "httproutes" },
  securityConstraints: {
    apiVersion: "security.openshift.io/v1",
    kind: "SecurityContextConstraints",
    plural: "securitycontextconstraints",
  },
  definition: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
  },
  event: { apiVersion: "v1", kind: "Event", plural: "events" },
  lease: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases" },
} as const satisfies Readonly<Record<string, Kind>>;

/**
 * Returns the path of a kind's objects in a namespace, in all namespaces when it is undefined, or of one
 * object.
 */
export function pathOf({ apiVersion, plural }: Kind, namespace?: string, name?: string): string {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${group}${scope}/${plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

/** Returns the row of an object. Throws `RangeError` for an unknown kind, which is a programming error. */
export function kindOf({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">): Kind {
  const found = Object.values(kinds).find((row) => row.kind === kind && row.apiVersion === apiVersion);
  if (found === undefined) throw new RangeError(`${apiVersion} ${kind} is not a supported kind`);
  return found;
}
