{{- define "realmwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/*
Release name and chart name; only the release name if it contains the chart name. At most 52 characters, because
Kubernetes adds up to 11 to the name of a StatefulSet for a label; a Service's name begins with a letter.
*/}}
{{- define "realmwatch.fullname" -}}
{{- $name := printf "%s-%s" .Release.Name (include "realmwatch.name" .) -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if contains (include "realmwatch.name" .) .Release.Name -}}
{{- $name = .Release.Name -}}
{{- end -}}
{{- $name = $name | replace "." "-" | trunc 52 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- fail (printf "fullnameOverride: required, because the name %q does not begin with a letter, as that of a Service must" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "realmwatch.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "realmwatch.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
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

{{/* Labels of what runs for a moment; not those of the programs' pods: a Service and a budget would count it as one of them. */}}
{{- define "realmwatch.hookLabels" -}}
app.kubernetes.io/name: {{ include "realmwatch.name" . }}-hook
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: realmwatch
{{- end -}}

{{- define "realmwatch.image" -}}
{{- with .Values.image.registry }}{{ . | trimSuffix "/" }}/{{ end -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Security of the pod. A field that is null in the values is left out, as OpenShift's own users need. */}}
{{- define "realmwatch.podSecurity" -}}
{{- $fields := dict -}}
{{- range $name, $value := .Values.podSecurityContext -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $fields $name $value -}}{{- end -}}
{{- end -}}
{{- toYaml $fields -}}
{{- end -}}

{{/* Number as it was written: large ones are floats in Helm, which would print an exponent. */}}
{{- define "realmwatch.number" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{- int64 . -}}{{- else -}}{{- . -}}{{- end -}}
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

{{- define "realmwatch.scheme" -}}
{{- ternary "https" "http" (ne .Values.tls.secretName "") -}}
{{- end -}}

{{/* Flags of the certificate of the port and of the address of metrics. */}}
{{- define "realmwatch.portFlags" -}}
{{- if .Values.tls.secretName }}
- -tls-cert=/etc/realmwatch/tls/tls.crt
- -tls-key=/etc/realmwatch/tls/tls.key
{{- if .Values.tls.clientCa }}
{{- if not .Values.metrics.port }}
{{- fail "metrics.port: required with tls.clientCa, because probes have no certificate" }}
{{- end }}
- -tls-client-ca=/etc/realmwatch/tls/ca.crt
{{- end }}
{{- else if .Values.tls.clientCa }}
{{- fail "tls.secretName: required with tls.clientCa" }}
{{- end }}
{{- if .Values.metrics.port }}
- -metrics-listen=0.0.0.0:{{ .Values.metrics.port }}
{{- end }}
{{- end -}}

{{- define "realmwatch.containerPorts" -}}
- name: http
  containerPort: 8080
{{- if .Values.metrics.port }}
- name: metrics
  containerPort: {{ .Values.metrics.port }}
{{- end }}
{{- end -}}

{{/* Address of a probe: the port of metrics, which has no TLS, where there is one. */}}
{{- define "realmwatch.probePort" -}}
{{- if .Values.metrics.port -}}
port: metrics
{{- else -}}
port: http, scheme: {{ include "realmwatch.scheme" . | upper }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.probes" -}}
startupProbe:
  httpGet: {path: /healthz, {{ include "realmwatch.probePort" . }}}
  periodSeconds: 2
  failureThreshold: {{ div (add (int .Values.probes.startupSeconds) 1) 2 }}
livenessProbe:
  httpGet: {path: /healthz, {{ include "realmwatch.probePort" . }}}
  {{- toYaml .Values.probes.liveness | nindent 2 }}
readinessProbe:
  httpGet: {path: {{ include "realmwatch.readyPath" . }}, {{ include "realmwatch.probePort" . }}}
  {{- toYaml .Values.probes.readiness | nindent 2 }}
{{- end -}}

{{/* Endpoint of a ServiceMonitor or PodMonitor. Call with `root` and `monitor`, the values of the monitor. */}}
{{- define "realmwatch.monitorEndpoint" -}}
port: {{ ternary "metrics" "http" (ne (int .root.Values.metrics.port) 0) }}
path: /metrics
{{- if and .root.Values.tls.secretName (not .root.Values.metrics.port) }}
scheme: https
tlsConfig:
  {{- toYaml (.monitor.tlsConfig | default (dict "insecureSkipVerify" true)) | nindent 2 }}
{{- end }}
{{- with .monitor.interval }}
interval: {{ . }}
{{- end }}
{{- with .monitor.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
relabelings:
  - {targetLabel: job, replacement: realmwatch}
  {{- with .monitor.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .monitor.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
