{{- define "realmwatch.program" -}}agent{{- end -}}

{{- define "realmwatch.checksum" -}}
{{- if not (or .Values.config.existingConfigMap .Values.worker.enabled) -}}
checksum/config: {{ .Values.config.document | sha256sum }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.sysctls" -}}
{{- if .Values.icmp.enabled -}}
sysctls:
  - name: net.ipv4.ping_group_range
    value: "0 2147483647"
{{- end -}}
{{- end -}}

{{- define "realmwatch.args" -}}
- -realm={{ .Values.realm }}
- -listen=0.0.0.0:8080
- -log-level={{ .Values.logLevel }}
{{- if .Values.worker.enabled }}
- -worker
- -zones={{ join "," .Values.worker.zones }}
{{- else }}
- -config=/etc/realmwatch/config/config.cue
- -data-dir=/var/lib/realmwatch
{{- if .Values.readOnly }}
- -read-only
{{- end }}
{{- if include "realmwatch.isPair" . }}
- -pair=$(POD_NAME)
{{- if .Values.tls.secretName }}
{{- if .Values.pair.tlsCaKey }}
- -pair-tls-ca=/etc/realmwatch/tls/{{ .Values.pair.tlsCaKey }}
{{- end }}
{{- else }}
- -insecure-pair
{{- end }}
{{- if not .Values.secrets.pairSecret.name }}
{{- include "realmwatch.secretFlags" (include "realmwatch.madeSecret" . | fromYaml) }}
{{- end }}
{{- end }}
{{- if .Values.auth.existingSecret }}
- -auth-config=/etc/realmwatch/auth/auth.cue
{{- end }}
{{- end }}
{{- if and .Values.nats.url (not .Values.secrets.natsUrl.name) }}
- -nats-url={{ .Values.nats.url }}
{{- end }}
{{- if .Values.nats.creds.existingSecret }}
- -nats-creds=/etc/realmwatch/nats/nats.creds
{{- end }}
{{- end -}}

{{- define "realmwatch.caFlags" -}}
- -nats-ca=/etc/realmwatch/ca/ca.crt
{{- end -}}

{{- define "realmwatch.mounts" -}}
{{- if not .Values.worker.enabled -}}
- name: data
  mountPath: /var/lib/realmwatch
- name: config
  mountPath: /etc/realmwatch/config
  readOnly: true
{{- if and (include "realmwatch.isPair" .) (not .Values.secrets.pairSecret.name) }}
{{- include "realmwatch.secretMounts" (include "realmwatch.madeSecret" . | fromYaml) }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.volumes" -}}
{{- if not .Values.worker.enabled -}}
- name: config
  configMap:
    name: {{ .Values.config.existingConfigMap | default (include "realmwatch.fullname" .) }}
{{- if and (include "realmwatch.isPair" .) (not .Values.secrets.pairSecret.name) }}
{{- include "realmwatch.secretVolumes" (include "realmwatch.madeSecret" . | fromYaml) }}
{{- end }}
{{- if .Values.persistence.existingClaim }}
- name: data
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim }}
{{- else if not .Values.persistence.enabled }}
- name: data
  emptyDir: {}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.replicas" -}}
{{- ternary .Values.worker.replicas .Values.replicas .Values.worker.enabled -}}
{{- end -}}

{{/* Not empty for a pair of agents. */}}
{{- define "realmwatch.isPair" -}}
{{- if and (not .Values.worker.enabled) (eq (int .Values.replicas) 2) -}}true{{- end -}}
{{- end -}}

{{/* Page of the readiness probe. */}}
{{- define "realmwatch.readyPath" -}}
{{- if and (include "realmwatch.isPair" .) (eq .Values.pair.service "active") -}}/activez{{- else -}}/readyz{{- end -}}
{{- end -}}

{{/* Headless Service, by which the members of a pair have names. */}}
{{- define "realmwatch.members" -}}
{{ include "realmwatch.fullname" . }}-members
{{- end -}}

{{/* Secret of the pair that the chart makes, as a map of secret flags. */}}
{{- define "realmwatch.madeSecret" -}}
pairSecret: {name: {{ include "realmwatch.fullname" . }}-pair, key: pair-secret}
{{- end -}}

{{/* Values of a pair that contradict each other: each message begins with the value. */}}
{{- define "realmwatch.checkPair" -}}
{{- if include "realmwatch.isPair" . -}}
{{- if not (or .Values.nats.url .Values.secrets.natsUrl.name) -}}
{{- fail "nats.url: required with replicas: 2, because the lease of a pair is kept in NATS" -}}
{{- end -}}
{{- if not (or .Values.tls.secretName .Values.pair.insecure) -}}
{{- fail "pair.insecure: required with replicas: 2 without tls.secretName: the members would talk without TLS" -}}
{{- end -}}
{{- if .Values.tls.clientCa -}}
{{- fail "tls.clientCa: cannot be set together with replicas: 2, because the members have no certificate of a client" -}}
{{- end -}}
{{- if .Values.persistence.existingClaim -}}
{{- fail "persistence.existingClaim: cannot be set together with replicas: 2, because each member has a claim of its own" -}}
{{- end -}}
{{- if and .Values.auth.existingSecret (not .Values.secrets.sessionSecret.name) -}}
{{- fail "secrets.sessionSecret.name: required with replicas: 2 and auth.existingSecret, because a session is used at both members" -}}
{{- end -}}
{{- else if and .Values.worker.enabled (ne (int .Values.replicas) 1) -}}
{{- fail "replicas: cannot be set together with worker.enabled: use worker.replicas" -}}
{{- else if .Values.secrets.pairSecret.name -}}
{{- fail "secrets.pairSecret.name: requires replicas: 2, because a single agent has no secret of a pair" -}}
{{- end -}}
{{- end -}}

{{/*
Command of a member: that of the image with the address of the other member, which is the other pod of the two. Kubernetes
has no variable for it.
*/}}
{{- define "realmwatch.pairCommand" -}}
- sh
- -c
- |
  case "$POD_NAME" in *-0) other=1 ;; *) other=0 ;; esac
  exec /opt/realmwatch/bin/node --disable-warning=ExperimentalWarning /opt/realmwatch/agent/dist/main.js "$@" \
    "-pair-peer={{ include "realmwatch.scheme" . }}://{{ include "realmwatch.fullname" . }}-$other.{{ include "realmwatch.members" . }}.{{ .Release.Namespace }}.svc:8080"
- realmwatch-agent
{{- end -}}

{{/* Not empty for a worker, which serves no API. */}}
{{- define "realmwatch.isWorker" -}}
{{- if .Values.worker.enabled -}}true{{- end -}}
{{- end -}}
