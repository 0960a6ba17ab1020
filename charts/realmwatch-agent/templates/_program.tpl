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
{{- end -}}
{{- end -}}

{{- define "realmwatch.volumes" -}}
{{- if not .Values.worker.enabled -}}
- name: config
  configMap:
    name: {{ .Values.config.existingConfigMap | default (include "realmwatch.fullname" .) }}
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
{{- ternary .Values.worker.replicas 1 .Values.worker.enabled -}}
{{- end -}}

{{/* Not empty for a worker, which serves no API. */}}
{{- define "realmwatch.isWorker" -}}
{{- if .Values.worker.enabled -}}true{{- end -}}
{{- end -}}
