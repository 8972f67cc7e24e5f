{{- define "knit-operator.labels" -}}
app.kubernetes.io/name: knit-operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "knit-operator.selector" -}}
app.kubernetes.io/name: knit-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "knit-operator.scope" -}}
{{- if not .Values.watchNamespace }}Cluster{{ end }}
{{- end }}

{{- define "knit-operator.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "knit-operator.nodeImage" -}}
{{ .Values.nodeImage.repository }}:{{ .Values.nodeImage.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "knit-operator.rules" -}}
- apiGroups: [knit.dev]
  resources: [nodes]
  verbs: [list, watch, patch]
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
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch]
{{- end }}

{{- define "knit-operator.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
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
{{- end }}

{{/* Metadata of a hook behind `helm uninstall`: a list of the root and its weight. Helm runs hooks by weight, then by name. */}}
{{- define "knit-operator.releaseMeta" -}}
{{- $weight := index . 1 -}}
{{- with index . 0 -}}
labels:
  {{- include "knit-operator.labels" . | nindent 2 }}
annotations:
  helm.sh/hook: post-delete
  helm.sh/hook-weight: {{ $weight | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  helm.sh/hook-output-log-policy: hook-failed
{{- end }}
{{- end }}
