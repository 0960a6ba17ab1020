{{/*
Parts of the pod that both charts have. `realmwatch.program`, `.args`, `.mounts` and `.volumes` are in _program.tpl.
*/}}

{{/* Values that no schema can refuse: each message begins with the value. */}}
{{- define "realmwatch.check" -}}
{{- if and .Values.secrets.apiToken.name .Values.auth.existingSecret -}}
{{- fail "secrets.apiToken.name: cannot be set together with auth.existingSecret: with an auth document its tokens are used" -}}
{{- end -}}
{{- if and .Values.tls.clientCa (not .Values.tls.secretName) -}}
{{- fail "tls.secretName: required with tls.clientCa" -}}
{{- end -}}
{{- if and .Values.tls.clientCa (not .Values.metrics.port) -}}
{{- fail "metrics.port: required with tls.clientCa, because probes have no certificate" -}}
{{- end -}}
{{- range $values := list "commonLabels" "podLabels" -}}
{{- range $label, $_ := index $.Values $values -}}
{{- if has $label (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/part-of" "app.kubernetes.io/managed-by" "app.kubernetes.io/component" "helm.sh/chart") -}}
{{- fail (printf "%s: the label %s is set by the chart" $values $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled -}}
{{- fail "podMonitor.enabled: cannot be set together with serviceMonitor.enabled: every figure would be scraped twice" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: required with ingress.enabled" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: required with httpRoute.enabled: name the gateway" -}}
{{- end -}}
{{- end -}}

{{- define "realmwatch.extraFlags" -}}
{{- range $name, $value := .Values.extraFlags }}
- {{ printf "-%s=%s" $name (include "realmwatch.number" $value) | quote }}
{{- end }}
{{- end -}}

{{- define "realmwatch.podMetadata" -}}
labels:
  {{- include "realmwatch.labels" . | nindent 2 }}
  {{- with .Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $checksum := include "realmwatch.checksum" . }}
{{- if or $checksum .Values.podAnnotations }}
annotations:
  {{- with $checksum }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "realmwatch.podSpec" -}}
serviceAccountName: {{ include "realmwatch.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "realmwatch.podSecurity" . | nindent 2 }}
  {{- include "realmwatch.sysctls" . | nindent 2 }}
{{- with .Values.extraInitContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ include "realmwatch.program" . }}
    image: {{ include "realmwatch.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    {{- if include "realmwatch.isPair" . }}
    command:
      {{- include "realmwatch.pairCommand" . | nindent 6 }}
    {{- end }}
    args:
      {{- include "realmwatch.args" . | nindent 6 }}
      {{- include "realmwatch.portFlags" . | nindent 6 }}
      {{- if .Values.tls.ca.secretName }}
      {{- include "realmwatch.caFlags" . | nindent 6 }}
      {{- end }}
      {{- include "realmwatch.secretFlags" .Values.secrets | nindent 6 }}
      {{- include "realmwatch.extraFlags" . | nindent 6 }}
    {{- if or .Values.extraEnv (include "realmwatch.isPair" .) }}
    env:
      {{- if include "realmwatch.isPair" . }}
      - name: POD_NAME
        valueFrom: {fieldRef: {fieldPath: metadata.name}}
      {{- end }}
      {{- with .Values.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
    ports:
      {{- include "realmwatch.containerPorts" . | nindent 6 }}
    {{- include "realmwatch.probes" . | nindent 4 }}
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    securityContext:
      {{- toYaml .Values.securityContext | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- include "realmwatch.mounts" . | nindent 6 }}
      {{- if .Values.auth.existingSecret }}
      - name: auth
        mountPath: /etc/realmwatch/auth
        readOnly: true
      {{- end }}
      {{- if .Values.nats.creds.existingSecret }}
      - name: nats-creds
        mountPath: /etc/realmwatch/nats
        readOnly: true
      {{- end }}
      {{- if .Values.tls.secretName }}
      - name: tls
        mountPath: /etc/realmwatch/tls
        readOnly: true
      {{- end }}
      {{- if .Values.tls.ca.secretName }}
      - name: ca
        mountPath: /etc/realmwatch/ca
        readOnly: true
      {{- end }}
      {{- include "realmwatch.secretMounts" .Values.secrets | nindent 6 }}
      {{- with .Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- include "realmwatch.volumes" . | nindent 2 }}
  {{- if .Values.auth.existingSecret }}
  - name: auth
    secret:
      secretName: {{ .Values.auth.existingSecret }}
      defaultMode: 0440
      items: [{key: auth.cue, path: auth.cue}]
  {{- end }}
  {{- if .Values.nats.creds.existingSecret }}
  - name: nats-creds
    secret:
      secretName: {{ .Values.nats.creds.existingSecret }}
      defaultMode: 0440
      items: [{key: {{ .Values.nats.creds.key }}, path: nats.creds}]
  {{- end }}
  {{- if .Values.tls.secretName }}
  - name: tls
    secret:
      secretName: {{ .Values.tls.secretName }}
      defaultMode: 0440
  {{- end }}
  {{- if .Values.tls.ca.secretName }}
  - name: ca
    secret:
      secretName: {{ .Values.tls.ca.secretName }}
      defaultMode: 0440
      items: [{key: {{ .Values.tls.ca.key }}, path: ca.crt}]
  {{- end }}
  {{- include "realmwatch.secretVolumes" .Values.secrets | nindent 2 }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Affinity of pods of which there are several: they prefer different nodes. */}}
{{- define "realmwatch.affinity" -}}
{{- if .Values.affinity -}}
{{- toYaml .Values.affinity -}}
{{- else -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "realmwatch.selector" . | nindent 12 }}
{{- end -}}
{{- end -}}
