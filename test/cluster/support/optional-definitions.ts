/** Kinds that clusters with the Prometheus operator or the Gateway API have, as far as they matter here. */

const definitionOf = (group: string, version: string, kind: string) => {
  const singular = kind.toLowerCase();
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${singular}s.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for tests" },
    },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural: `${singular}s`, singular },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
};

/** The definition of ServiceMonitor, to be applied. */
export const SERVICE_MONITORS = definitionOf("monitoring.coreos.com", "v1", "ServiceMonitor");
/** The definition of HTTPRoute, to be applied. */
export const HTTP_ROUTES = definitionOf("gateway.networking.k8s.io", "v1", "HTTPRoute");
/** The definitions of the kinds of the Prometheus Operator that the chart and the operator write. */
export const PROMETHEUS_KINDS = [
  SERVICE_MONITORS,
  ...["PodMonitor", "PrometheusRule"].map((kind) => definitionOf("monitoring.coreos.com", "v1", kind)),
];
