{{- define "realmwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Release name and chart name; only the release name if it contains the chart name. */}}
{{- define "realmwatch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "realmwatch.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "realmwatch.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selector labels of the pods; constant for the lifetime of a release. */}}
{{- define "realmwatch.selector" -}}
app.kubernetes.io/name: {{ include "realmwatch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "realmwatch.labels" -}}
{{ include "realmwatch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: realmwatch
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "realmwatch.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "realmwatch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/*
Secret flags, each read from a file, so that plugins do not inherit secrets in their environment.
Call with the map `secrets` of the values: flag name -> {name, key} of an existing Secret.
*/}}
{{- define "realmwatch.secretFlags" -}}
{{- range $flag, $ref := . }}
{{- if $ref.name }}
- -{{ $flag | kebabcase }}-file=/etc/realmwatch/secrets/{{ $flag | kebabcase }}/value
{{- end }}
{{- end }}
{{- end -}}

{{- define "realmwatch.secretMounts" -}}
{{- range $flag, $ref := . }}
{{- if $ref.name }}
- name: secret-{{ $flag | kebabcase }}
  mountPath: /etc/realmwatch/secrets/{{ $flag | kebabcase }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "realmwatch.secretVolumes" -}}
{{- range $flag, $ref := . }}
{{- if $ref.name }}
- name: secret-{{ $flag | kebabcase }}
  secret:
    secretName: {{ $ref.name }}
    defaultMode: 0440
    items:
      - key: {{ $ref.key }}
        path: value
{{- end }}
{{- end }}
{{- end -}}

{{- define "realmwatch.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  failureThreshold: {{ div (add (int .Values.probes.startupSeconds) 1) 2 }}
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
