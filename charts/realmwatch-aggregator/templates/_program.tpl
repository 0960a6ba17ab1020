{{- define "realmwatch.program" -}}aggregator{{- end -}}

{{- define "realmwatch.checksum" -}}
{{- if not .Values.realms.existingConfigMap -}}
checksum/realms: {{ .Values.realms.document | sha256sum }}
{{- end -}}
{{- end -}}

{{- define "realmwatch.sysctls" -}}{{- end -}}

{{- define "realmwatch.isWorker" -}}{{- end -}}

{{- define "realmwatch.replicas" -}}{{- .Values.replicas -}}{{- end -}}

{{- define "realmwatch.args" -}}
- -realms-config=/etc/realmwatch/config/realms.cue
- -listen=0.0.0.0:8080
- -data-dir=/var/lib/realmwatch
- -log-level={{ .Values.logLevel }}
{{- if not .Values.secrets.natsUrl.name }}
- -nats-url={{ .Values.nats.url }}
{{- end }}
{{- if .Values.nats.creds.existingSecret }}
- -nats-creds=/etc/realmwatch/nats/nats.creds
{{- end }}
{{- if and .Values.redis.url (not .Values.secrets.redisUrl.name) }}
- -redis-url={{ .Values.redis.url }}
{{- end }}
{{- if .Values.readOnly }}
- -read-only
{{- end }}
{{- if .Values.auth.existingSecret }}
- -auth-config=/etc/realmwatch/auth/auth.cue
{{- end }}
{{- end -}}

{{- define "realmwatch.caFlags" -}}
- -nats-ca=/etc/realmwatch/ca/ca.crt
{{- if or .Values.redis.url .Values.secrets.redisUrl.name }}
- -redis-ca=/etc/realmwatch/ca/ca.crt
{{- end }}
{{- end -}}

{{- define "realmwatch.mounts" -}}
- name: data
  mountPath: /var/lib/realmwatch
- name: config
  mountPath: /etc/realmwatch/config
  readOnly: true
{{- if .Values.realms.tokensSecret }}
- name: tokens
  mountPath: /etc/realmwatch/tokens
  readOnly: true
{{- end }}
{{- end -}}

{{- define "realmwatch.volumes" -}}
# The read model is in Redis and can be rebuilt from NATS; a pod stores only its own audit log.
- name: data
  emptyDir: {}
- name: config
  configMap:
    name: {{ .Values.realms.existingConfigMap | default (include "realmwatch.fullname" .) }}
{{- if .Values.realms.tokensSecret }}
- name: tokens
  secret:
    secretName: {{ .Values.realms.tokensSecret }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{- define "realmwatch.readyPath" -}}/readyz{{- end -}}

{{/* Empty: only agents are pairs. */}}
{{- define "realmwatch.isPair" -}}{{- end -}}
