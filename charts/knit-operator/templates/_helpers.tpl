{{/* Name of all objects, and of the Lease. */}}
{{- define "knit-operator.fullname" -}}
{{ .Values.fullnameOverride | default .Release.Name }}
{{- end }}

{{- define "knit-operator.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "knit-operator.fullname" .) }}
{{- end }}

{{- define "knit-operator.labels" -}}
app.kubernetes.io/name: knit-operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "knit-operator.selector" -}}
app.kubernetes.io/name: knit-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Namespaces of the Nodes, by commas; watchNamespace is the former name of a list of one. */}}
{{- define "knit-operator.namespaces" -}}
{{- $former := ternary (list .Values.watchNamespace) list (ne .Values.watchNamespace "") -}}
{{- concat .Values.watchNamespaces $former | uniq | join "," }}
{{- end }}

{{- define "knit-operator.scope" -}}
{{- if not (include "knit-operator.namespaces" .) }}Cluster{{ end }}
{{- end }}

{{/* An image with its digest, or else with its tag. A list of the root and the values of the image. */}}
{{- define "knit-operator.imageOf" -}}
{{- with index . 1 -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default (index $ 0).Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "knit-operator.image" -}}
{{ include "knit-operator.imageOf" (list . .Values.image) }}
{{- end }}

{{- define "knit-operator.nodeImage" -}}
{{ include "knit-operator.imageOf" (list . .Values.nodeImage) }}
{{- end }}

{{/* Where user ids of pods come from: those that the images have, or the cluster, as on OpenShift. */}}
{{- define "knit-operator.podIds" -}}
{{ .Values.podIds | default (ternary "assigned" "fixed" (.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}
{{- end }}

{{- define "knit-operator.pullSecrets" -}}
{{- with concat .Values.imagePullSecrets .Values.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "knit-operator.rules" -}}
- apiGroups: [knit.dev]
  resources: [nodes]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [knit.dev]
  resources: [networks]
  verbs: [list, watch]
- apiGroups: [knit.dev]
  resources: [nodes/status, networks/status]
  verbs: [patch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services, configmaps, secrets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [persistentvolumeclaims, serviceaccounts]
  verbs: [get, list, watch, create, patch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [monitoring.coreos.com]
  resources: [servicemonitors]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [list, create, patch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch]
{{- end }}

{{/* In a Role: the end of its namespace, before which the Nodes are released. */}}
{{- define "knit-operator.namespaceRules" -}}
- apiGroups: [""]
  resources: [namespaces]
  verbs: [watch]
{{- end }}

{{/* Where only those who may delete an object may change its owners (OwnerReferencesPermissionEnforcement), as on OpenShift. */}}
{{- define "knit-operator.ownerRules" -}}
- apiGroups: [""]
  resources: [persistentvolumeclaims, serviceaccounts]
  verbs: [delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [delete]
{{- end }}

{{- define "knit-operator.guardsOwners" -}}
{{- if kindIs "bool" .Values.rbac.deleteOwned -}}
{{ .Values.rbac.deleteOwned }}
{{- else -}}
{{ .Capabilities.APIVersions.Has "security.openshift.io/v1" }}
{{- end -}}
{{- end }}

{{- define "knit-operator.podSecurity" -}}
runAsNonRoot: true
{{- if eq (include "knit-operator.podIds" .) "fixed" }}
runAsUser: 1000
runAsGroup: 1000
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "knit-operator.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "knit-operator.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Metadata of a hook: a list of the root, its weight and its event. Helm runs hooks by weight, then by name. */}}
{{- define "knit-operator.hookMeta" -}}
{{- $weight := index . 1 -}}
{{- $event := index . 2 -}}
{{- with index . 0 -}}
labels:
  {{- include "knit-operator.labels" . | nindent 2 }}
annotations:
  helm.sh/hook: {{ $event }}
  helm.sh/hook-weight: {{ $weight | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  helm.sh/hook-output-log-policy: hook-failed
{{- end }}
{{- end }}

{{/* Metadata of a hook behind `helm uninstall`. */}}
{{- define "knit-operator.releaseMeta" -}}
{{- include "knit-operator.hookMeta" (list (index . 0) (index . 1) "post-delete") }}
{{- end }}

{{/* Metadata of a hook before `helm upgrade`. */}}
{{- define "knit-operator.upgradeMeta" -}}
{{- include "knit-operator.hookMeta" (list (index . 0) (index . 1) "pre-upgrade") }}
{{- end }}
